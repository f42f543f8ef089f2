import type { Clock } from "../../../../shared/runtime/ports.ts";
import type { Token } from "../../tokens/token-ledger.ts";
import type { HandleToken, Receiver, Transport } from "../../tokens/token-transport.ts";

interface Worker {
  readonly handle: HandleToken;
  readonly concurrency: number;
  readonly running: Set<Promise<void>>;
}

/** Hands tokens to the workers of this process, as BullMQ orders them: live ones first, then by rank and arrival. */
export class TokenHub implements Transport {
  readonly #clock: Clock;
  /** The next one to hand out is the first. */
  readonly #tokens: Token[] = [];
  readonly #workers = new Set<Worker>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(tokens: readonly Token[]): Promise<void> {
    this.#tokens.push(...tokens);
    // Keeps the order of arrival among equals.
    this.#tokens.sort(byPriority);
    this.#deliver();
  }

  async receive(handle: HandleToken, concurrency: number): Promise<Receiver> {
    const worker: Worker = { handle, concurrency, running: new Set() };
    this.#workers.add(worker);
    this.#deliver();
    return {
      close: async (deadlineMs) => {
        this.#workers.delete(worker);
        const late = Promise.withResolvers<void>();
        const cancel = this.#clock.after(deadlineMs, late.resolve);
        await Promise.race([Promise.all(worker.running), late.promise]);
        cancel();
      },
    };
  }

  async close(): Promise<void> {
    // Tokens outlive the workers.
  }

  #deliver(): void {
    for (const worker of this.#workers) {
      while (worker.running.size < worker.concurrency) {
        const token = this.#tokens.shift();
        if (token === undefined) return;
        const handled = worker.handle(token).finally(() => {
          worker.running.delete(handled);
          this.#deliver();
        });
        worker.running.add(handled);
      }
    }
  }
}

function byPriority(a: Token, b: Token): number {
  const rankOf = (token: Token): number => (token.priority === "live" ? 0 : 1);
  return rankOf(a) - rankOf(b) || (a.rank ?? 0) - (b.rank ?? 0);
}
