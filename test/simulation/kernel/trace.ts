import { createHash } from "node:crypto";

/** The events of a run, line by line: its hash says whether two runs were the same. */
export interface Trace {
  readonly length: number;
  /** The last lines; all of them when asked for. */
  readonly lines: readonly string[];
  add(line: string): void;
  /** A line about the run rather than of it, such as that a fault strikes: no part of the hash. */
  remark(line: string): void;
  /** SHA-256 over all lines so far. */
  hash(): string;
}

const KEPT_LINES = 2_000;

export function createTrace(keepAll: boolean): Trace {
  const hash = createHash("sha256");
  let lines: string[] = [];
  let length = 0;
  const keep = (line: string): void => {
    lines.push(line);
    if (!keepAll && lines.length >= 2 * KEPT_LINES) lines = lines.slice(-KEPT_LINES);
  };
  return {
    get length() {
      return length;
    },
    get lines() {
      return lines;
    },
    add(line) {
      hash.update(line).update("\n");
      length += 1;
      keep(line);
    },
    remark: keep,
    hash: () => hash.copy().digest("hex"),
  };
}
