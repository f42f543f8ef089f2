/** Returns the budget that a text says, in runs a second. Throws for anything else but a whole number from 1 to 999999. */
export function parseRunsPerSecond(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new Error("a budget of runs is a whole number from 1 to 999999; leave it away for any number");
}
