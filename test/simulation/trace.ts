import { createHash } from "node:crypto";

/** What happened, line by line: its hash says whether two runs were the same (6.2). */
export interface Trace {
  readonly length: number;
  /** The last lines; all of them when asked for. */
  readonly lines: readonly string[];
  add(line: string): void;
  /** SHA-256 over all lines so far. */
  hash(): string;
}

const KEPT_LINES = 2_000;

export function createTrace(keepAll: boolean): Trace {
  const hash = createHash("sha256");
  let lines: string[] = [];
  let length = 0;
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
      lines.push(line);
      if (!keepAll && lines.length >= 2 * KEPT_LINES) lines = lines.slice(-KEPT_LINES);
    },
    hash: () => hash.copy().digest("hex"),
  };
}
