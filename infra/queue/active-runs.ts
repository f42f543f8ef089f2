import type { Clock } from "../../shared/runtime/ports.ts";

/** The runs of one worker, for its shutdown. */
export class ActiveRuns {
  readonly #runs = new Set<Promise<void>>();
  readonly #stop = new AbortController();
  #draining = false;

  get size(): number {
    return this.#runs.size;
  }

  /** No new claims from here on. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Aborts when the drain time is over. */
  get stop(): AbortSignal {
    return this.#stop.signal;
  }

  /** Settles as `run` does, when the run no longer counts. */
  track(run: Promise<void>): Promise<void> {
    const tracked = run.finally(() => this.#runs.delete(tracked));
    this.#runs.add(tracked);
    return tracked;
  }

  /** Waits for the runs, after `drainMs` makes them stop. May be called twice. */
  async drain(clock: Clock, drainMs: number): Promise<void> {
    this.#draining = true;
    const cancel = clock.after(drainMs, () => this.#stop.abort());
    await Promise.allSettled(this.#runs);
    cancel();
  }
}
