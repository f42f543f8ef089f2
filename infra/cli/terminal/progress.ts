import { SECOND } from "../../../shared/function/backoff.ts";

/** Faster work is done before a person could read the line. */
const SHOWN_AFTER_MS = 2 * SECOND;
const WIDTH = 30;
/** A carriage return that clears the line. */
const CLEAR = "\r\u001b[K";
/** 128 and the number of SIGINT, as for every program. */
const INTERRUPTED = 130;

/** A line with the progress of a command; disposing clears it. */
export interface Progress extends Disposable {
  /** Notes that so many more are done. */
  advance(count?: number): void;
  /** Clears the line before something else is written to the terminal; the next `advance` shows the line again. */
  clear(): void;
}

interface ProgressOptions {
  readonly stream?: Pick<NodeJS.WriteStream, "isTTY" | "write">;
  /** A clock that never goes back. */
  readonly nowMs?: () => number;
}

/**
 * Shows the progress of work that takes more than 2 s on standard error if that is a terminal, and nothing otherwise.
 * Ctrl-C ends the process and prints how many are done.
 */
export function showProgress(
  what: string,
  total: number,
  { stream = process.stderr, nowMs = () => performance.now() }: ProgressOptions = {},
): Progress {
  const startedMs = nowMs();
  let done = 0;
  let shown = "";
  const show = (text: string): void => {
    if (!stream.isTTY || text === shown) return;
    shown = text;
    stream.write(`${CLEAR}${text}`);
  };
  const interrupted = (): void => {
    show("");
    stream.write(`capstan: ${what}: stopped after ${done} of ${total}\n`);
    process.exit(INTERRUPTED);
  };
  process.once("SIGINT", interrupted);
  return {
    advance: (count = 1) => {
      done = Math.min(total, done + count);
      if (nowMs() - startedMs < SHOWN_AFTER_MS) return;
      const percent = Math.floor((done / total) * 100);
      const bar = "=".repeat(Math.floor((percent * WIDTH) / 100)).padEnd(WIDTH);
      // One change per percent: a terminal is slower than the work.
      show(`${what} [${bar}] ${percent} % of ${total}`);
    },
    clear: () => show(""),
    [Symbol.dispose]: () => {
      process.off("SIGINT", interrupted);
      show("");
    },
  };
}
