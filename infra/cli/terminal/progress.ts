/** A smaller number is done before a person could read the line. */
const MIN_TOTAL = 50;
const WIDTH = 30;
/** A carriage return that clears the line. */
const CLEAR = "\r\u001b[K";

/** A line with the progress of a command; disposing clears it. */
export interface Progress extends Disposable {
  /** So many more are done. */
  advance(count?: number): void;
  /** Before something else is written to the terminal; the next `advance` shows the line again. */
  clear(): void;
}

/** Shows the progress on standard error if that is a terminal, and nothing otherwise. */
export function showProgress(
  what: string,
  total: number,
  stream: Pick<NodeJS.WriteStream, "isTTY" | "write"> = process.stderr,
): Progress {
  const shows = stream.isTTY && total >= MIN_TOTAL;
  let done = 0;
  let shown = "";
  const show = (text: string): void => {
    if (!shows || text === shown) return;
    shown = text;
    stream.write(`${CLEAR}${text}`);
  };
  return {
    advance: (count = 1) => {
      done = Math.min(total, done + count);
      const percent = Math.floor((done / total) * 100);
      const bar = "=".repeat(Math.floor((percent * WIDTH) / 100)).padEnd(WIDTH);
      // One change per percent: a terminal is slower than the work.
      show(`${what} [${bar}] ${percent} % of ${total}`);
    },
    clear: () => show(""),
    [Symbol.dispose]: () => show(""),
  };
}
