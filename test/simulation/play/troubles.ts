import type { Kernel, Operation } from "../kernel/kernel.ts";

/** Troubles that last for a while. */
export interface Troubles {
  /** Calls `end` once: after so long, or when all heals. */
  lasting(ms: number, end: () => void): void;
  /** For so long operations are shown to `isHit` before they happen; those for which it says true do not. */
  hit(ms: number, isHit: (operation: Operation) => boolean): void;
  /** Ends everything that lasts. */
  heal(): void;
}

export function createTroubles(kernel: Kernel): Troubles {
  const machinery = kernel.process("troubles");
  const ends = new Set<() => void>();
  const lasting: Troubles["lasting"] = (ms, end) => {
    const once = (): void => {
      if (ends.delete(once)) end();
    };
    ends.add(once);
    machinery.clock.after(ms, once);
  };
  return {
    lasting,
    hit: (ms, isHit) => lasting(ms, kernel.intercept(isHit)),
    heal() {
      for (const end of [...ends]) end();
    },
  };
}
