const SIGNALS = ["SIGTERM", "SIGINT", "SIGHUP"] as const;

const ends = new Set<() => void>();

/**
 * Calls `end` when this process exits, is ended by a signal other than SIGKILL, or loses the process that forked it, as a
 * worker of Vitest does whose run is ended. Returns what forgets it.
 */
export function atEnd(end: () => void): () => void {
  if (ends.size === 0) listen("once");
  ends.add(end);
  return () => {
    if (ends.delete(end) && ends.size === 0) listen("off");
  };
}

function listen(method: "once" | "off"): void {
  process[method]("exit", endAll);
  process[method]("disconnect", endOrphan);
  for (const signal of SIGNALS) process[method](signal, endBy);
}

function endAll(): void {
  for (const end of ends) end();
  ends.clear();
}

/** The handler is gone by then, so the same signal again ends this process as if there had been none. */
function endBy(signal: NodeJS.Signals): void {
  endAll();
  listen("off");
  process.kill(process.pid, signal);
}

function endOrphan(): void {
  endBy("SIGTERM");
}
