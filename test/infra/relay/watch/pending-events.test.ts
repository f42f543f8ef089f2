import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import type { ReceivedEvent } from "../../../../infra/platform/kube/watch-stream.ts";
import type { OpenWatch } from "../../../../infra/relay/watch/open-watch.ts";
import {
  type PendingEvent,
  type ReadAhead,
  readAhead,
} from "../../../../infra/relay/watch/pending-events.ts";
import type { WatchEvent } from "../../../../shared/runtime/ports.ts";
import { thing } from "../watching.ts";

function received(type: WatchEvent["type"], name: string, version: number, bytes = 10): ReceivedEvent {
  return { type, object: thing(name, String(version)), bytes };
}

/** A watch that says this and then ends. `read` counts what has been taken from it. */
function saying(events: readonly ReceivedEvent[], failure?: Error) {
  let read = 0;
  let isAborted = false;
  async function* say() {
    for (const event of events) {
      read += 1;
      yield event;
    }
    if (failure !== undefined) throw failure;
  }
  const watch: OpenWatch = {
    events: say(),
    isOverdue: false,
    abort: () => {
      isAborted = true;
    },
    [Symbol.dispose]: () => undefined,
  };
  return { watch, read: () => read, isAborted: () => isAborted };
}

function textOf({ type, object }: WatchEvent): string {
  return `${type} ${object.metadata.name} ${object.metadata.resourceVersion}`;
}

async function* each(ahead: ReadAhead): AsyncGenerator<PendingEvent> {
  for await (const events of ahead.groups()) yield* events;
}

/** Handles one event after the other, while those behind it are read. */
async function handedOver(ahead: ReadAhead): Promise<readonly string[]> {
  const reported: string[] = [];
  for await (const event of each(ahead)) {
    reported.push(`${textOf(event)} up to ${event.upTo}`);
    await settled();
  }
  return reported;
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 3; turn += 1) await new Promise((resolve) => setImmediate(resolve));
}

describe("events that wait for the consumer (KR-16)", () => {
  it("KR-16: are the newest of each object, and complete up to the version that they carry", async () => {
    const { watch } = saying([
      received("ADDED", "a", 1),
      received("ADDED", "b", 2),
      received("MODIFIED", "a", 3),
      received("BOOKMARK", "", 3),
      received("DELETED", "b", 4),
      received("MODIFIED", "c", 5),
      received("BOOKMARK", "", 6),
    ]);
    const ahead = readAhead(watch, "0", systemClock);
    // The first was in the consumer's hands before the second was read.
    expect(await handedOver(ahead)).toEqual([
      "ADDED a 1 up to 1",
      "DELETED b 4 up to 2",
      "MODIFIED a 3 up to 3",
      "MODIFIED c 5 up to 5",
      "BOOKMARK  6 up to 6",
    ]);
    expect(ahead.pending).toBe(0);
  });

  it("KR-14: a bookmark is not handed over before a change that it includes", async () => {
    const { watch } = saying([
      received("ADDED", "z", 1),
      received("MODIFIED", "a", 2),
      received("BOOKMARK", "", 3),
      received("MODIFIED", "b", 4),
      received("MODIFIED", "a", 5),
    ]);
    expect(await handedOver(readAhead(watch, "0", systemClock))).toEqual([
      "ADDED z 1 up to 1",
      "MODIFIED a 5 up to 2",
      "BOOKMARK  3 up to 3",
      "MODIFIED b 4 up to 5",
    ]);
  });

  it("KR-16: keep the end of an object that was created again under its name", async () => {
    const ofUid = (event: ReceivedEvent, uid: string): ReceivedEvent => {
      const { object } = event;
      return { ...event, object: { ...object, metadata: { ...object.metadata, uid } } };
    };
    const { watch } = saying([
      ofUid(received("MODIFIED", "z", 1), "z"),
      ofUid(received("DELETED", "a", 2), "first"),
      ofUid(received("ADDED", "a", 3), "second"),
      ofUid(received("DELETED", "a", 4), "second"),
    ]);
    const reported: string[] = [];
    for await (const event of each(readAhead(watch, "0", systemClock))) {
      reported.push(textOf(event));
      await settled();
    }
    expect(reported).toEqual(["MODIFIED z 1", "DELETED a 2", "DELETED a 4"]);
  });

  it("KR-16: are a thousand at most; then the socket is left alone", async () => {
    const many = Array.from({ length: 3_000 }, (_none, at) => received("ADDED", `t${at}`, at + 1));
    const { watch, read } = saying(many);
    const ahead = readAhead(watch, "0", systemClock);
    let reported = 0;
    for await (const _event of each(ahead)) {
      if (reported === 0) {
        await settled();
        expect(read()).toBe(1_000);
        expect(ahead.pending).toBe(1_000);
      }
      reported += 1;
    }
    expect(reported).toBe(3_000);
  });

  it("KR-16: are 16 MB at most", async () => {
    const many = Array.from({ length: 30 }, (_none, at) => received("ADDED", `t${at}`, at + 1, 1024 * 1024));
    const { watch, read } = saying(many);
    for await (const _event of each(readAhead(watch, "0", systemClock))) {
      await settled();
      expect(read()).toBe(16);
      break;
    }
  });

  it("KR-16: an object that changes all the time comes once per round, not always last", async () => {
    const noisy = Array.from({ length: 400 }, (_none, at) => [
      received("MODIFIED", "noisy", 2 * at + 1),
      received("ADDED", `t${at}`, 2 * at + 2),
    ]).flat();
    const { watch } = saying(noisy);
    const reported: string[] = [];
    for await (const event of each(readAhead(watch, "0", systemClock))) {
      reported.push(event.object.metadata.name);
      if (reported.length === 1) await settled();
    }
    expect(reported.filter((name) => name === "noisy").length).toBeGreaterThan(1);
    expect(reported.at(-1)).toBe("t399");
  });

  it("KR-08: all come before the failure that followed them", async () => {
    const { watch } = saying([received("ADDED", "a", 1), received("ADDED", "b", 2)], new Error("broken"));
    const reported: string[] = [];
    const follow = async () => {
      for await (const event of each(readAhead(watch, "0", systemClock))) {
        await settled();
        reported.push(textOf(event));
      }
    };
    await expect(follow()).rejects.toThrow("broken");
    expect(reported).toEqual(["ADDED a 1", "ADDED b 2"]);
  });

  it("KR-12: end with a version that goes down", async () => {
    const { watch, isAborted } = saying([received("ADDED", "a", 105), received("ADDED", "b", 50)]);
    const follow = async () => {
      for await (const _event of each(readAhead(watch, "100", systemClock))) await settled();
    };
    await expect(follow()).rejects.toMatchObject({ reason: "WentBack" });
    expect(isAborted()).toBe(true);
  });
});
