import type { RunPlace } from "../../../shared/runtime/letters/run-history.ts";
import type { Key } from "../../../shared/runtime/queue/key.ts";

/** Returns the name under which the runs of a function for a key are kept. */
export function ringIdOf(functionName: string, key: Key): string {
  return `${functionName} ${key}`;
}

/** No name of a function has a space. */
export function placeOfRing(id: string): RunPlace {
  const end = id.indexOf(" ");
  return { function: id.slice(0, end), key: id.slice(end + 1) };
}
