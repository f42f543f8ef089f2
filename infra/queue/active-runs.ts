import type { Clock } from "../../shared/runtime/ports.ts";

/** The runs of one worker, for its shutdown. */
export class ActiveRuns {
  readonly #runs = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #draining = false;

  get size(): number {
    return this.#runs.size;
  }

  /** True once the worker must make no new claims. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Aborts when the drain time is over. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Counts a run until it ends. Returns a promise that settles as `run` does. */
  track(run: Promise<void>): Promise<void> {
    const tracked = run.finally(() => this.#runs.delete(tracked));
    this.#runs.add(tracked);
    return tracked;
  }

  /** Waits for the runs and aborts them after `drainMs`. May be called twice. */
  async drain(clock: Clock, drainMs: number): Promise<void> {
    this.#draining = true;
    const cancel = clock.after(drainMs, () => this.#stop.abort());
    await Promise.allSettled(this.#runs);
    cancel();
  }
}
