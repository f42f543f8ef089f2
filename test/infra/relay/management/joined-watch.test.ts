import { describe, expect, it } from "vitest";
import { startJoinedWatch } from "../../../../infra/relay/management/joined-watch.ts";
import type { Kept, WatchConsumer } from "../../../../infra/relay/watch/watch-consumer.ts";
import type { WatchLoop } from "../../../../infra/relay/watch/watch-loop.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { LoopStatus } from "../../../../shared/runtime/read/loop-status.ts";

function object(namespace: string, name: string, resourceVersion: string): KubeObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace, name, resourceVersion } };
}

function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion ?? "";
}

function text({ metadata }: KubeObject): string {
  return `${metadata.namespace}/${metadata.name}@${metadata.resourceVersion}`;
}

/** A type in namespaces `a` and `b`, whose loops are played. */
function joined({ kept, known = [] }: { readonly kept?: Kept; readonly known?: readonly KubeObject[] } = {}) {
  const reported: string[] = [];
  const relisted: string[] = [];
  const loops = new Map<string, WatchConsumer>();
  const consumer: WatchConsumer = {
    reduce: (one) => one,
    resume: async () => kept,
    resumed: async () => void reported.push("resumed"),
    listed: async (items, { resourceVersion, upTo, first, restored }) => {
      const flags = [first ? "first" : [], restored ? "restored" : []].flat();
      reported.push(["list", resourceVersion, `up to ${upTo}`, ...flags, ...items.map(text)].join(" "));
    },
    changed: async (changed, upTo) => void reported.push(`changed ${changed.map(text).join()} up to ${upTo}`),
    deleted: async (deleted, upTo) => void reported.push(`deleted ${text(deleted)} up to ${upTo}`),
    reached: async (version) => void reported.push(`reached ${version}`),
  };
  const watch = startJoinedWatch({
    namespaces: ["a", "b"],
    consumer,
    known: async () => known,
    start(namespace, own) {
      loops.set(namespace, own);
      const state = namespace === "b" ? "listing" : "streaming";
      return {
        status: () => ({ name: namespace, state }) as LoopStatus,
        relist: () => void relisted.push(namespace),
        wrote: () => undefined,
        [Symbol.asyncDispose]: async () => undefined,
      } satisfies WatchLoop;
    },
  });
  const of = (namespace: string): WatchConsumer => {
    const found = loops.get(namespace);
    if (found === undefined) throw new Error(`no loop of ${namespace}`);
    return found;
  };
  const list = (namespace: string, resourceVersion: string, items: readonly KubeObject[], news = {}) =>
    of(namespace).listed(items, {
      resourceVersion,
      first: true,
      restored: false,
      oversized: undefined,
      ...news,
    });
  const changed = (object: KubeObject) =>
    of(object.metadata.namespace ?? "").changed([object], versionOf(object));
  const deleted = (object: KubeObject) =>
    of(object.metadata.namespace ?? "").deleted(object, versionOf(object));
  return { watch, reported, relisted, of, list, changed, deleted };
}

describe("the watch of a type in several namespaces", () => {
  it("gives a list once all are listed, with the events since, and then says how far all have come", async () => {
    const { watch, reported, list, changed, deleted, of } = joined();
    await list("a", "10", [object("a", "x", "5"), object("a", "y", "6")]);
    await deleted(object("a", "x", "11"));
    await changed(object("a", "z", "12"));
    expect(reported).toEqual([]);
    await list("b", "20", [object("b", "x", "7")]);
    await changed(object("b", "w", "21"));
    await of("a").reached?.("30");
    await deleted(object("b", "w", "40"));
    expect(reported).toEqual([
      "list 20 up to 12 first a/y@6 a/z@12 b/x@7",
      "changed b/w@21 up to 12",
      "reached 21",
      "deleted b/w@40 up to 30",
    ]);
    expect(watch.status().name).toBe("b");
    expect(watch.parts).toHaveLength(2);
  });

  it("lists one namespace again beside what is known of the others", async () => {
    const { reported, list } = joined({ known: [object("a", "old", "5"), object("b", "kept", "6")] });
    await list("a", "10", []);
    await list("b", "11", []);
    await list("a", "30", [object("a", "new", "25")], { first: false });
    expect(reported.at(-1)).toBe("list 30 up to 11 a/new@25 b/kept@6");
  });

  it("lists all again where one shows that the server was restored, or on request", async () => {
    const { reported, relisted, list, changed, watch } = joined();
    await list("a", "10", []);
    await list("b", "11", []);
    await list("a", "8", [object("a", "x", "7")], { first: false, restored: true });
    expect(relisted).toEqual(["b"]);
    await changed(object("b", "ghost", "12"));
    expect(reported).toHaveLength(1);
    await list("b", "9", [object("b", "y", "6")]);
    expect(reported.slice(1)).toEqual(["list 9 up to 8 first restored a/x@7 b/y@6"]);
    watch.relist();
    expect(relisted).toEqual(["b", "a", "b"]);
  });

  it("resumes each namespace with its own objects, from one version", async () => {
    const kept = { resourceVersion: "50", items: [object("a", "x", "5"), object("b", "y", "6")] };
    const { reported, of, changed, list } = joined({ kept, known: kept.items });
    expect((await of("a").resume?.())?.items.map(text)).toEqual(["a/x@5"]);
    expect((await of("b").resume?.())?.items.map(text)).toEqual(["b/y@6"]);
    await of("a").resumed?.();
    await changed(object("a", "z", "55"));
    // The server no longer knows the version in this one.
    await list("b", "60", [object("b", "y", "6")]);
    expect(reported).toEqual(["changed a/z@55 up to 0", "list 60 up to 55 first a/x@5 b/y@6"]);
  });
});
