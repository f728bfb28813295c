/** Class names put together; what is false is left out. */
export function classes(...names: (string | false | undefined | null)[]): string {
  return names.filter(Boolean).join(" ");
}
