/** Returns the first `max` names, joined by commas, and how many follow: a message has a limit, a list may have none. */
export function listNames(names: readonly string[], max: number): string {
  const more = names.length - max;
  const shown = names.slice(0, max).join(", ");
  return more > 0 ? `${shown}, ... (${more} more)` : shown;
}
