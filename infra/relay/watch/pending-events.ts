import type { Clock } from "../../../shared/runtime/ports.ts";
import { createTimeSlices } from "../../kube/time-slices.ts";
import type { ReceivedEvent } from "../../kube/watch-stream.ts";
import type { OpenWatch } from "./open-watch.ts";
import { checkForward } from "./recovery.ts";

/** A watch that is read ahead of its consumer, as far as events may wait (KR-16). */
export interface ReadAhead {
  /** Events that wait, those in the consumer's hands included. */
  readonly pending: number;
  /** For one consumer. What has come before a failure is given before it is thrown. Leaving ends the watch. */
  events(): AsyncGenerator<ReceivedEvent>;
}

/** Reads a watch that begins at version `from`. */
export function readAhead(watch: OpenWatch, from: string, clock: Clock): ReadAhead {
  const waiting = createPendingEvents(clock);
  return {
    get pending() {
      return waiting.count;
    },
    async *events() {
      const reading = read(watch, waiting, from);
      try {
        yield* waiting.events();
      } finally {
        watch.abort();
      }
      const failure = await reading;
      if (failure !== undefined) throw failure;
    },
  };
}

/** Gives the failure that ended the watch, if one did. */
async function read(watch: OpenWatch, waiting: PendingEvents, from: string): Promise<unknown> {
  let seen = from;
  try {
    for await (const event of watch.events) {
      const { resourceVersion = seen } = event.object.metadata;
      checkForward(seen, resourceVersion);
      seen = resourceVersion;
      waiting.add(event);
      await waiting.room();
    }
    return undefined;
  } catch (error) {
    return watch.isOverdue ? undefined : error;
  } finally {
    waiting.end();
  }
}

/**
 * Of one object only the newest event waits, in the order of the versions: whoever resumes from the version of a
 * handled event has missed nothing. One that was created again under the same name is another: its end is not the end
 * of the first.
 */
interface PendingEvents {
  /** Those in the consumer's hands included, as with all limits. */
  readonly count: number;
  add(event: ReceivedEvent): void;
  /** Resolves when fewer than 1,000 events and 16 MB wait. */
  room(): Promise<void>;
  /** No more events come; `events` ends after those that wait. */
  end(): void;
  /** For one consumer. Asking for the next event says that the last one is handled. Leaving ends everything. */
  events(): AsyncGenerator<ReceivedEvent>;
}

const MAX_EVENTS = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

function createPendingEvents(clock: Clock): PendingEvents {
  let waiting = new Map<string, ReceivedEvent>();
  let count = 0;
  let bytes = 0;
  let ended = false;
  let tell: () => void = () => undefined;
  /** Until anything changes; there is one reader and one consumer, and never do both wait. */
  const change = () => new Promise<void>((resolve) => (tell = resolve));
  const weigh = (event: ReceivedEvent, sign: 1 | -1) => {
    count += sign;
    bytes += sign * event.bytes;
  };
  return {
    get count() {
      return count;
    },
    add(event) {
      const name = nameOf(event);
      const older = waiting.get(name);
      if (older !== undefined) weigh(older, -1);
      waiting.delete(name);
      waiting.set(name, event);
      weigh(event, 1);
      tell();
    },
    async room() {
      while (!ended && (count >= MAX_EVENTS || bytes >= MAX_BYTES)) await change();
    },
    end() {
      ended = true;
      tell();
    },
    async *events() {
      const pause = createTimeSlices(clock);
      try {
        for (;;) {
          while (waiting.size === 0 && !ended) await change();
          if (waiting.size === 0) return;
          // All that wait, before what comes meanwhile: an object that never rests must not always be the last.
          const batch = waiting;
          waiting = new Map();
          for (const event of batch.values()) {
            yield event;
            weigh(event, -1);
            tell();
            await pause();
          }
        }
      } finally {
        ended = true;
        tell();
      }
    },
  };
}

function nameOf({ type, object }: ReceivedEvent): string {
  const { namespace = "", name, uid = "" } = object.metadata;
  return type === "BOOKMARK" ? "" : `${namespace}/${name} ${uid}`;
}
