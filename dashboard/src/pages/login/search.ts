/** Where to go once one has logged in. */
export interface LoginSearch {
  to?: string | undefined;
}

export function loginSearch(said: Record<string, unknown>): LoginSearch {
  const { to } = said;
  // A path of ours, and no address of anybody else. What is not said, the router would keep.
  return { to: typeof to === "string" && /^\/(?![/\\])/.test(to) ? to : undefined };
}
