/** Where to go once one has logged in. */
export interface LoginSearch {
  to?: string;
}

export function loginSearch(said: Record<string, unknown>): LoginSearch {
  const to = said["to"];
  // A path of ours, and no address of anybody else.
  return typeof to === "string" && /^\/(?![/\\])/.test(to) ? { to } : {};
}
