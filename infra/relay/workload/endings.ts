/** Ends of connections that are under way, by the name of the Cluster: its next connection begins after them. */
export interface Endings {
  /** Ends something; a start of this name that still waits does not happen. `work` must not reject. */
  end(name: string, work: () => Promise<void>): void;
  /** Starts at once, or after what is ending. Of several starts of one name that wait, the last one happens. */
  start(name: string, begin: () => void): void;
  /** Resolves when all that is ending has ended. */
  settled(): Promise<void>;
}

export function createEndings(): Endings {
  const ending = new Map<string, Promise<void>>();
  const waiting = new Map<string, () => void>();
  return {
    end(name, work) {
      waiting.delete(name);
      const before = ending.get(name) ?? Promise.resolve();
      const ended: Promise<void> = before.then(work).then(() => {
        if (ending.get(name) !== ended) return;
        ending.delete(name);
        waiting.get(name)?.();
        waiting.delete(name);
      });
      ending.set(name, ended);
    },
    start(name, begin) {
      if (ending.has(name)) waiting.set(name, begin);
      else begin();
    },
    async settled() {
      await Promise.all(ending.values());
    },
  };
}
