import { InvalidArgumentError } from "commander";

/** A number of a command line, from 0. */
export function whole(text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError("a whole number is needed");
}
