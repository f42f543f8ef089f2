import { describe, expect, it } from "vitest";
import { handOver } from "../../../../infra/relay/watch/hand-over.ts";
import type { WatchEvent } from "../../../../shared/runtime/ports.ts";
import { thing } from "../watching.ts";

function changed(name: string, version: number, type: WatchEvent["type"] = "MODIFIED"): WatchEvent {
  return { type, object: thing(name, String(version)) };
}

/** Notes what begins and ends; an event of `b` ends after all others, or fails. */
function consuming(failure?: Error) {
  const notes: string[] = [];
  const slow = Promise.withResolvers<void>();
  return {
    notes,
    consumer: {
      async changed({ object: { metadata } }: WatchEvent, upTo?: string) {
        notes.push(`${metadata.name} begins, up to ${upTo}`);
        if (metadata.name === "b") {
          await slow.promise;
          if (failure !== undefined) throw failure;
        }
        notes.push(`${metadata.name} ends`);
        if (metadata.name === "c") slow.resolve();
      },
      async reached(resourceVersion: string) {
        notes.push(`reached ${resourceVersion}`);
      },
    },
  };
}

describe("events that are handed over (KR-16)", () => {
  const EVENTS = [changed("a", 11), changed("b", 12), changed("c", 13)];

  it("KR-16: are handed over side by side, and count as reached together", async () => {
    const { consumer, notes } = consuming();
    await handOver(consumer, EVENTS, "10");
    expect(notes).toEqual([
      "a begins, up to 10",
      "a ends",
      "b begins, up to 10",
      "c begins, up to 10",
      "c ends",
      "b ends",
      "reached 13",
    ]);
  });

  it("KR-16: count as not reached when one fails, once none is under way", async () => {
    const { consumer, notes } = consuming(new Error("away"));
    await expect(handOver(consumer, EVENTS, "10")).rejects.toThrow("away");
    expect(notes.slice(2)).toEqual(["b begins, up to 10", "c begins, up to 10", "c ends"]);
  });

  it("KR-16: alone need no further word, and a bookmark is one", async () => {
    const { consumer, notes } = consuming();
    await handOver(consumer, [changed("a", 11)], "10");
    await handOver(consumer, [changed("", 12, "BOOKMARK")], "11");
    await handOver(consumer, [], "12");
    expect(notes).toEqual(["a begins, up to undefined", "a ends", "reached 12"]);
  });
});
