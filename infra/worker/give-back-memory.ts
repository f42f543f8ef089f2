import { flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** The time after a start, before work comes: what it takes then delays nothing that was asked for by the start. */
const AFTER_MS = 500;

/**
 * Gives back the memory that only the start has needed, once, a moment after it: 8 of 84 MiB of a worker, in 40 ms. From
 * then on the heap grows by half between two collections. For a process that is Capstan's own. Disposing cancels it.
 *
 * As options of the command, `--expose-gc` and `--heap-growing-percent` would make V8 refuse all compiled code that
 * Node.js brings along, and a start would take longer. Code that was compiled until now is stored before, since the next
 * process begins without them, too.
 */
export function giveBackMemory(collect: () => void = collectAll): Disposable {
  const timer = setTimeout(() => {
    flushCompileCache();
    collect();
    setFlagsFromString("--heap-growing-percent=50");
  }, AFTER_MS);
  return { [Symbol.dispose]: () => clearTimeout(timer) };
}

/** Collects also what V8 keeps for a while, such as code that has run once. */
export function collectAll(): void {
  setFlagsFromString("--expose-gc");
  const gc = runInNewContext("gc") as NonNullable<typeof globalThis.gc>;
  setFlagsFromString("--no-expose-gc");
  gc({ type: "major", execution: "sync", flavor: "last-resort" });
}

/** The same, for a small heap that much passes through: from now on it grows by 2 MiB at least, not by 8. */
export function collectTightly(): void {
  collectAll();
  setFlagsFromString("--optimize-for-size");
}
