import { describe, expect, it } from "vitest";
import { type KubeObject, keyOf } from "../../../../../infra/playground/apiserver/objects/kube-object.ts";
import { type Change, Collection } from "../../../../../infra/playground/apiserver/storage/collection.ts";
import { Storage } from "../../../../../infra/playground/apiserver/storage/storage.ts";

const MINUTE = 60_000;

function object(name: string, version = 0): KubeObject {
  const metadata = { name, namespace: "d", uid: name, resourceVersion: `${version}`, creationTimestamp: "" };
  return { apiVersion: "v1", kind: "ConfigMap", metadata };
}

function added(version: number, atMs: number): Change {
  const added = object(`o${version}`, version);
  const key = keyOf(added.metadata);
  return {
    type: "ADDED",
    version,
    key,
    object: added,
    previous: undefined,
    text: "{}",
    atMs,
    lines: new Map(),
  };
}

describe("a collection", () => {
  it("knows its last 1,000 changes", () => {
    const collection = new Collection(0);
    for (let version = 1; version <= 1_500; version++) collection.commit(added(version, 0));
    expect(collection.compactedAt).toBe(500);
    expect(collection.since(499)).toBeUndefined();
    expect(
      collection
        .since(500)
        ?.map((change) => change.version)
        .slice(0, 2),
    ).toEqual([501, 502]);
    expect(collection.since(1_500)).toEqual([]);
  });

  it("makes the text of a past change again", () => {
    const collection = new Collection(0);
    const change = added(1, 0);
    collection.commit({ ...change, text: JSON.stringify(change.object), lines: new Map([["full", "line"]]) });
    const [again] = collection.since(0) ?? [];
    expect(again).toEqual({ ...change, text: JSON.stringify(change.object), lines: new Map() });
  });

  it("forgets changes after 5 minutes", () => {
    const collection = new Collection(0);
    collection.commit(added(1, 0));
    collection.commit(added(2, 3 * MINUTE));
    collection.commit(added(3, 6 * MINUTE));
    expect(collection.since(0)).toBeUndefined();
    expect(collection.since(1)).toHaveLength(2);
  });

  it("keeps the objects of open pages for 5 minutes", () => {
    const collection = new Collection(0);
    collection.commit(added(1, 0));
    collection.keepSnapshot(1, 0);
    collection.commit(added(2, 0));
    const namesAt = (version: number) =>
      [...(collection.scanAt(version, undefined) ?? [])].map(({ metadata }) => metadata.name);
    expect([namesAt(1), namesAt(2)]).toEqual([["o1"], ["o1", "o2"]]);
    for (const _ of ["o1", "o2"]) collection.dropOldest();
    collection.keepSnapshot(2, 5 * MINUTE);
    expect(namesAt(1)).toEqual(["o1"]);
    collection.keepSnapshot(2, 5 * MINUTE + 1);
    expect(collection.scanAt(1, undefined)).toBeUndefined();
  });
});

describe("a storage", () => {
  it("holds at most 64 MiB of history, the oldest goes first", () => {
    const storage = new Storage();
    const filler = "x".repeat(1_024 * 1_024);
    for (let turn = 0; turn < 40; turn++) storage.put("/old", { ...object("a"), filler });
    for (let turn = 0; turn < 40; turn++) storage.put("/new", { ...object("b"), filler });
    const bytes = [...storage.collections].map(([, collection]) => collection.historyBytes);
    expect(bytes.reduce((sum, size) => sum + size)).toBeLessThanOrEqual(64 * 1_024 * 1_024);
    expect(storage.collection("/old").compactedAt).toBeGreaterThan(storage.collection("/new").compactedAt);
  });

  it("can be looked at as it was, as far as history reaches", () => {
    const storage = new Storage();
    storage.put("/a", object("x"));
    const { version } = storage;
    storage.put("/a", { ...object("x"), changed: true });
    storage.put("/b", object("y"));
    storage.remove("/a", object("x"));
    const past = storage.asOf(version);
    expect(past?.version).toBe(version);
    expect([...(past?.collection("/a").values() ?? [])].map((one) => one["changed"])).toEqual([undefined]);
    expect([past?.collection("/b").size, past?.locate("x")?.type, past?.locate("y")]).toEqual([
      0,
      "/a",
      undefined,
    ]);
    storage.compact();
    expect(storage.asOf(version)).toBeUndefined();
  });
});
