import type { Clock } from "../../../shared/runtime/ports.ts";
import { createTimeSlices } from "../../platform/kube/list-bounds.ts";
import type { ReceivedEvent } from "../../platform/kube/watch-stream.ts";
import { inGroups } from "./event-groups.ts";
import type { OpenWatch } from "./open-watch.ts";
import { checkForward } from "./recovery.ts";

/** A watch that is read ahead of its consumer, up to a limit (KR-16). */
export interface ReadAhead {
  /** Events that wait, including those that the consumer handles, as in all limits. */
  readonly pending: number;
  /**
   * Yields events to one consumer, in groups (event-groups.ts); those before a failure come before it is thrown. Asking
   * for the next group means that the last one is handled. Leaving ends the watch.
   */
  groups(): AsyncGenerator<readonly PendingEvent[]>;
}

/** An event that waits. Once it is handed over, every event up to version `upTo` has been. */
export type PendingEvent = ReceivedEvent & { upTo: string };

/** Reads a watch that begins at version `from`. */
export function readAhead(watch: OpenWatch, from: string, clock: Clock): ReadAhead {
  const waiting = createPendingEvents(clock);
  return {
    get pending() {
      return waiting.pending;
    },
    async *groups() {
      const reading = read(watch, waiting, from);
      try {
        yield* waiting.groups();
      } finally {
        watch.abort();
      }
      const failure = await reading;
      if (failure !== undefined) throw failure;
    },
  };
}

/** Reads a watch to its end. Returns the failure that ended it, if any. */
async function read(watch: OpenWatch, waiting: PendingEvents, from: string): Promise<unknown> {
  let seen = from;
  try {
    for await (const event of watch.events) {
      const { resourceVersion = seen } = event.object.metadata;
      checkForward(seen, resourceVersion);
      seen = resourceVersion;
      waiting.add(event, seen);
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
 * Keeps of one object only the newest event, in the place of the oldest: what was handed over is then complete up to a
 * version, from which a watch may resume. An object that was recreated under the same name is another one: its deletion
 * is not the deletion of the first.
 */
interface PendingEvents extends ReadAhead {
  /** Adds the event that brings the watch to this version. */
  add(event: ReceivedEvent, version: string): void;
  /** Resolves when fewer than 1,000 events and 16 MB wait. */
  room(): Promise<void>;
  /** Ends `groups` after the events that wait. */
  end(): void;
}

const MAX_EVENTS = 1_000;
const MAX_BYTES = 16 * 1024 * 1024;

function createPendingEvents(clock: Clock): PendingEvents {
  let waiting = new Map<string, PendingEvent>();
  let last: PendingEvent | undefined;
  let count = 0;
  let bytes = 0;
  let ended = false;
  let wake: () => void = () => undefined;
  /** Resolves at the next change; there is one reader and one consumer, and they never wait at the same time. */
  const change = () => new Promise<void>((resolve) => (wake = resolve));
  const weigh = (events: readonly ReceivedEvent[], sign: 1 | -1) => {
    count += sign * events.length;
    for (const event of events) bytes += sign * event.bytes;
    wake();
  };
  return {
    get pending() {
      return count;
    },
    add(event, version) {
      const name = nameOf(event);
      const older = waiting.get(name);
      if (older !== undefined) weigh([older], -1);
      if (older === undefined || event.type === "BOOKMARK") {
        waiting.delete(name);
        last = { ...event, upTo: version };
        waiting.set(name, last);
      } else {
        Object.assign(older, event);
        (last ?? older).upTo = version;
      }
      weigh([event], 1);
    },
    async room() {
      while (!ended && (count >= MAX_EVENTS || bytes >= MAX_BYTES)) await change();
    },
    end() {
      ended = true;
      wake();
    },
    async *groups() {
      const pause = createTimeSlices(clock);
      try {
        for (;;) {
          while (waiting.size === 0 && !ended) await change();
          if (waiting.size === 0) return;
          // All events that wait come before later ones: an object that changes all the time must not always be the
          // last.
          const batch = waiting;
          waiting = new Map();
          for (const group of inGroups(batch.values())) {
            yield group;
            weigh(group, -1);
            await pause();
          }
        }
      } finally {
        ended = true;
        wake();
      }
    },
  };
}

function nameOf({ type, object }: ReceivedEvent): string {
  const { namespace = "", name, uid = "" } = object.metadata;
  return type === "BOOKMARK" ? "" : `${namespace}/${name} ${uid}`;
}
