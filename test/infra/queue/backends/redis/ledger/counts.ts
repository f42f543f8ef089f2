import { COUNTED, type Counted } from "../../../../../../shared/runtime/queue/queue-port.ts";

/** Sums up what a ledger has counted. */
export class Counts {
  readonly #times = new Map<Counted, number>();

  add(counted: Counted, times: number): void {
    this.#times.set(counted, (this.#times.get(counted) ?? 0) + times);
  }

  without(...left: readonly Counted[]): object {
    return Object.fromEntries(
      COUNTED.filter((each) => !left.includes(each)).map((each) => [each, this.#times.get(each) ?? 0]),
    );
  }
}
