import { describe, expect, it } from "vitest";
import type { ReceivedEvent } from "../../../../infra/platform/kube/watch-stream.ts";
import { inGroups } from "../../../../infra/relay/watch/event-groups.ts";
import { thing } from "../watching.ts";

function received(type: ReceivedEvent["type"], name: string, bytes = 10): ReceivedEvent {
  return { type, object: thing(name, "1"), bytes };
}

function groupsOf(events: readonly ReceivedEvent[]): readonly string[] {
  return [...inGroups(events)].map((group) => group.map(({ object }) => object.metadata.name).join(" "));
}

describe("groups of events (KR-16)", () => {
  it("KR-16: are added and changed objects together, deletions and bookmarks alone, in their order", () => {
    const events = [
      received("ADDED", "a"),
      received("MODIFIED", "b"),
      received("DELETED", "c"),
      received("DELETED", "d"),
      received("ADDED", "e"),
      received("BOOKMARK", "f"),
      received("MODIFIED", "g"),
    ];
    expect(groupsOf(events)).toEqual(["a b", "c", "d", "e", "f", "g"]);
    expect(groupsOf([])).toEqual([]);
  });

  it("KR-16: have 16 objects at most", () => {
    const sizes = [...inGroups(Array.from({ length: 40 }, (_none, at) => received("ADDED", `t${at}`)))];
    expect(sizes.map(({ length }) => length)).toEqual([16, 16, 8]);
  });

  it("KR-16: have 1 MiB at most, unless one object alone is larger", () => {
    const half = 512 * 1024;
    const events = [
      received("ADDED", "a", half),
      received("ADDED", "b", half),
      received("ADDED", "c", 1),
      received("ADDED", "d", 3 * half),
      received("ADDED", "e", half),
    ];
    expect(groupsOf(events)).toEqual(["a b", "c", "d", "e"]);
  });
});
