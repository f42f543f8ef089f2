import { InvalidArgumentError, Option } from "commander";
import { FAULTS } from "../faults/known.ts";
import { WORKLOADS } from "../workloads/known.ts";

/** One or several workloads, as the flags say. */
export function workloadOption(flags: string, otherwise: string): Option {
  return choice(flags, `which users play; default: ${otherwise}`, WORKLOADS);
}

export function faultOption(description: string): Option {
  return choice("--fault <number...>", description, FAULTS);
}

/** One or several of what has a number, or a clear error that names them all. */
export function choice(
  flags: string,
  description: string,
  known: readonly { readonly number: string }[],
): Option {
  return new Option(flags, description).choices([...new Set(known.map(({ number }) => number))]);
}

/** A number of a command line, from 0. */
export function whole(text: string): number {
  return atLeast(0, text, "a whole number is needed");
}

/** How many, from 1. */
export function count(text: string): number {
  return atLeast(1, text, "a whole number above 0 is needed");
}

function atLeast(least: number, text: string, otherwise: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least) return value;
  throw new InvalidArgumentError(otherwise);
}
