import { countUpTo } from "./places.ts";

/** `${ VAR}`, `${VAR }`, `${ VAR }`. White space beside an operator stays. Linear: its repetitions share no character. */
const SPACED = /\$\{(?:[\t\n\f\r ]+[A-Za-z0-9_$]+[\t\n\f\r ]*|[A-Za-z0-9_$]+[\t\n\f\r ]+)\}/g;
const SPACES = /[\t\n\f\r ]+/g;

/** The text without white space in `${ VAR }`, and where its places were before. */
interface Unspaced {
  readonly text: string;
  /** Returns the place in the text as it was written. */
  readonly originOf: (at: number) => number;
}

/** Makes the first pass of clusterctl over a file. Source: PC-8. */
export function removeSpaces(text: string): Unspaced {
  const ends: number[] = [];
  const removed: number[] = [0];
  const result = text.replace(SPACED, (found, at: number) => {
    const bare = found.replace(SPACES, "");
    const before = removed.at(-1) ?? 0;
    // Places within it count as its beginning.
    ends.push(at - before + bare.length);
    removed.push(before + found.length - bare.length);
    return bare;
  });
  return { text: result, originOf: (at) => at + (removed[countUpTo(ends, at)] ?? 0) };
}
