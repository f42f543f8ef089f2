import { describe, expect, it } from "vitest";
import { createLastSeen } from "../../../../infra/relay/watch/last-seen.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { ListOptions } from "../../../../shared/function/reads.ts";
import type { Clock, WatchEvent } from "../../../../shared/runtime/ports.ts";
import { eventually } from "../../../support/eventually.ts";
import { listing, reset } from "../../../support/processes/scripted-server.ts";
import { isLimit, Thing, thing, watching } from "../watching.ts";

const within = { withinMs: 10_000 };

function seeing(served: { items: readonly KubeObject[]; resourceVersion: string }) {
  const asked: ListOptions[] = [];
  async function* pages(_kind: unknown, options: ListOptions) {
    asked.push(options);
    yield { remaining: 0, ...served };
  }
  const client = { pages } as unknown as Parameters<typeof createLastSeen>[0]["client"];
  return { asked, seen: createLastSeen({ client, kind: Thing, selector: { labelSelector: "x=y" } }) };
}
/** A server at version 90 with these objects by name. */
function serving(objects: { readonly [name: string]: KubeObject }) {
  const asked: string[] = [];
  async function* pages(_kind: unknown, { fieldSelector = "" }: ListOptions) {
    const name = fieldSelector.replace("metadata.name=", "");
    asked.push(name);
    const found = objects[name];
    yield { remaining: 0, resourceVersion: "90", items: found === undefined ? [] : [found] };
  }
  const client = { pages } as unknown as Parameters<typeof createLastSeen>[0]["client"];
  return { asked, seen: createLastSeen({ client, kind: Thing }) };
}
const event = (type: WatchEvent["type"], object: KubeObject) => ({ type, object });

describe("KR-12: a server that was away is recognised", () => {
  it("KR-12: by the newest object of a list, asked for by name with the selector of the loop", async () => {
    const { seen, asked } = seeing({ items: [thing("b", "70")], resourceVersion: "90" });
    seen.listed([thing("a", "9"), thing("b", "70"), thing("c", "8")]);
    expect(await seen.recognise("80")).toBe(true);
    expect(asked).toEqual([
      { labelSelector: "x=y", namespace: "default", fieldSelector: "metadata.name=b", pageItems: 1 },
    ]);
  });

  it("KR-12: by an older object when newer ones have changed since: the watch shows those", async () => {
    const { seen, asked } = serving({ a: thing("a", "60"), b: thing("b", "85"), c: thing("c", "86") });
    seen.listed([thing("a", "60"), thing("b", "70"), thing("c", "75")]);
    expect(await seen.recognise("80")).toBe(true);
    expect(asked).toEqual(["c", "b", "a"]);
  });

  it("KR-12: not when an older object went back though a newer one has changed since", async () => {
    const { seen } = serving({ a: thing("a", "85"), b: thing("b", "50") });
    seen.listed([thing("a", "70"), thing("b", "65")]);
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack" });
  });

  it("KR-12: not when its version is that of another write, as after a restore", async () => {
    const written = (at: string): KubeObject => {
      const object = thing("a", "70");
      return { ...object, metadata: { ...object.metadata, managedFields: [{ time: at }] } as never };
    };
    const { seen } = serving({ a: written("2026-01-01T00:02:57Z") });
    seen.listed([written("2026-01-01T00:02:57Z")]);
    expect(await seen.recognise("80")).toBe(true);
    seen.listed([written("2026-01-01T00:02:23Z")]);
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack" });
  });

  it("KR-12: by no object where a field selector is refused; then it is asked for the version alone", async () => {
    const asked: (string | undefined)[] = [];
    async function* pages(_kind: unknown, { fieldSelector }: ListOptions) {
      asked.push(fieldSelector);
      if (fieldSelector !== undefined) {
        throw new KubeError({ class: "Transient", status: 500, reason: "NoAnswer", message: "no Status" });
      }
      yield { items: [], resourceVersion: "90" };
    }
    const client = { pages } as unknown as Parameters<typeof createLastSeen>[0]["client"];
    const seen = createLastSeen({ client, kind: Thing });
    seen.listed([thing("a", "70")]);
    expect(await seen.recognise("80")).toBe(false);
    expect(await seen.recognise("80")).toBe(false);
    expect(asked).toEqual(["metadata.name=a", undefined]);
    await expect(seen.recognise("95")).rejects.toMatchObject({ reason: "WentBack" });
  });

  it("KR-12: not when the newest was lost that was handed over before an older one (KR-16)", async () => {
    const { seen } = serving({ a: thing("a", "60"), b: thing("b", "70") });
    seen.listed([]);
    seen.handled(event("MODIFIED", thing("a", "75")));
    seen.handled(event("MODIFIED", thing("b", "70")));
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack" });
  });

  it("KR-12: not when an object that was deleted is back", async () => {
    const { seen } = serving({ a: thing("a", "70"), b: thing("b", "30") });
    seen.listed([thing("a", "70"), thing("b", "30")]);
    seen.handled(event("DELETED", thing("b", "75")));
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack" });
  });

  it("KR-12: by what was there before a deletion, if what was deleted still is", async () => {
    const { seen } = serving({ a: thing("a", "70") });
    seen.listed([thing("a", "70"), thing("b", "30")]);
    seen.handled(event("DELETED", thing("b", "75")));
    expect(await seen.recognise("80")).toBe(true);
  });

  it("KR-12: by nothing when all that it asks for has changed", async () => {
    const names = ["a", "b", "c", "d", "e"];
    const { seen, asked } = serving(Object.fromEntries(names.map((name) => [name, thing(name, "85")])));
    seen.listed(names.map((name, at) => thing(name, `${60 + at}`)));
    expect(await seen.recognise("80")).toBe(false);
    expect(asked).toEqual(["e", "d", "c", "b"]);
  });

  it.each([
    ["at a lower version of its own", [thing("a", "70")], "79"],
    ["with the object as it was before", [thing("a", "60")], "90"],
    ["with a change that would have been seen", [thing("a", "75")], "90"],
    ["with another object of the name", [thing("a", "70", "other")], "90"],
  ])("KR-12: not %s", async (_how, items, resourceVersion) => {
    const { seen } = seeing({ items, resourceVersion });
    seen.listed([]);
    seen.handled(event("MODIFIED", thing("a", "70")));
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack", class: "Transient" });
  });

  it("KR-12: by nothing while no object is known, or when it is gone", async () => {
    const { seen, asked } = seeing({ items: [], resourceVersion: "90" });
    seen.listed([]);
    expect(await seen.recognise("80")).toBe(false);
    expect(asked).toEqual([{ labelSelector: "x=y", pageItems: 1 }]);
    seen.handled(event("ADDED", thing("a", "81")));
    expect(await seen.recognise("82")).toBe(false);
  });

  it("KR-12: not by the version of a list when no object is known", async () => {
    const { seen } = seeing({ items: [], resourceVersion: "79" });
    seen.listed([]);
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack" });
  });
});

describe("KR-12: a watch loop whose server was away for a second", () => {
  /** Every look at the time is so much later, and every pause over at once. */
  const hasty = (stepMs: number): Clock => {
    let nowMs = 0;
    return {
      now: () => {
        nowMs += stepMs;
        return new Date(nowMs);
      },
      after(delayMs, callback) {
        if (isLimit(delayMs)) return () => undefined;
        const timer = setImmediate(callback);
        return () => clearImmediate(timer);
      },
    };
  };

  it("KR-12: resumes where it was when the server still has the object", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "7")], "8"), listing([thing("a", "7")], "30"));
        watches.push(reset);
      },
      { clock: hasty(1_000) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["8", "8"]);
    expect(world.reported).toEqual(["list a at 8"]);
  });

  it("KR-12: lists again when the server does not have it", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "7")], "8"), listing([thing("a", "4")], "30"));
        lists.push(listing([thing("a", "4")], "31"));
        watches.push(reset);
      },
      { clock: hasty(1_000) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["8", "31"]);
    expect(world.reported).toEqual(["list a at 8", "list a at 31"]);
    expect(world.loop.status().reconnects).toMatchObject({ WentBack: 1 });
  });

  it("KR-12: lists again when it knows no object", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([], "8"), listing([], "30"), listing([thing("b", "5")], "31"));
        watches.push(reset);
      },
      { clock: hasty(1_000) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.reported).toEqual(["list  at 8", "list b at 31"]);
  });

  it("KR-10: is not asked after a shorter failure", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "7")], "8"));
        watches.push(reset);
      },
      { clock: hasty(1) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.listsSeen()).toBe(1);
  });
});
