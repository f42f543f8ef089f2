import type { Kind } from "../../../shared/api/kinds.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";
import type { Clock } from "../../../shared/runtime/ports.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import type { ReceivedEvent } from "../../platform/kube/watch-stream.ts";
import type { Budget } from "./budget.ts";
import type { LoopMeter } from "./loop-meter.ts";
import type { Recovery } from "./recovery.ts";

/** One watch request. Disposing ends it. */
export interface OpenWatch extends Disposable {
  readonly events: AsyncGenerator<ReceivedEvent>;
  /** True when the watch was ended here because the server did not end it in time: its events are valid. */
  readonly isOverdue: boolean;
  abort(): void;
}

export interface WatchFrom {
  readonly resourceVersion: string;
  readonly sendInitialEvents?: boolean;
}

interface OpenerOptions {
  readonly client: ServerClient;
  readonly kind: Kind;
  readonly selector?: ListOptions | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly meter: LoopMeter;
  readonly budget?: Budget | undefined;
  readonly recovery: Pick<Recovery, "idleMs" | "overdueMs">;
}

/** KR-06. */
const SHORTEST_SECONDS = 300;
const LONGEST_SECONDS = 600;

/** Begins a watch. `accepted` is called once the server has said that events follow. */
type Opener = (from: WatchFrom, accepted?: () => void) => OpenWatch;

/**
 * Returns a function that opens watches with a random lifetime, bookmarks, an idle limit, and the pace of the budget.
 */
export function createOpener(options: OpenerOptions): Opener {
  const { client, kind, selector, clock, random, meter, budget, recovery } = options;
  return (from, accepted) => {
    const spread = Math.floor(random() * (LONGEST_SECONDS - SHORTEST_SECONDS + 1));
    const timeoutSeconds = SHORTEST_SECONDS + spread;
    const ending = new AbortController();
    const signal = AbortSignal.any([options.signal, ending.signal]);
    let isOverdue = false;
    const cancel = clock.after(recovery.overdueMs(timeoutSeconds), () => {
      isOverdue = true;
      ending.abort();
    });
    const received = async (bytes: number) => {
      meter.received(bytes);
      await budget?.spend({ bytes }, signal);
    };
    const idleMs = recovery.idleMs(timeoutSeconds);
    const metadataOnly = kind.metadataOnly !== undefined;
    const watch = { ...selector, ...from, timeoutSeconds, idleMs, accepted, received, metadataOnly };
    const end = () => {
      cancel();
      ending.abort();
    };
    return {
      events: counted(client.watch(kind, watch, signal), budget, signal),
      get isOverdue() {
        return isOverdue;
      },
      abort: end,
      [Symbol.dispose]: end,
    };
  };
}

async function* counted(
  events: AsyncIterable<ReceivedEvent>,
  budget: Budget | undefined,
  signal: AbortSignal,
): AsyncGenerator<ReceivedEvent> {
  for await (const event of events) {
    await budget?.spend({ events: 1 }, signal);
    yield event;
  }
}
