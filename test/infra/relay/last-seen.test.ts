import { describe, expect, it } from "vitest";
import { createLastSeen } from "../../../infra/relay/last-seen.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Clock, ListOptions, WatchEvent } from "../../../shared/runtime/ports.ts";
import { eventually } from "../../support/eventually.ts";
import { listing, reset } from "../../support/scripted-server.ts";
import { isLimit, Thing, thing, watching } from "./watching.ts";

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

  it("KR-12: by a change that is newer than all that was seen", async () => {
    const { seen } = seeing({ items: [thing("a", "85")], resourceVersion: "90" });
    seen.listed([thing("a", "70")]);
    expect(await seen.recognise("80")).toBe(true);
  });

  it.each([
    ["at a lower version of its own", [thing("a", "70")], "79"],
    ["without the object", [], "90"],
    ["with the object as it was before", [thing("a", "60")], "90"],
    ["with a change that would have been seen", [thing("a", "75")], "90"],
    ["with another object of the name", [thing("a", "70", "other")], "90"],
  ])("KR-12: not %s", async (_how, items, resourceVersion) => {
    const { seen } = seeing({ items, resourceVersion });
    seen.listed([]);
    seen.handled(event("MODIFIED", thing("a", "70")));
    await expect(seen.recognise("80")).rejects.toMatchObject({ reason: "WentBack", class: "Transient" });
  });

  it("KR-12: by nothing while no object is known, or the newest change was a deletion", async () => {
    const { seen } = seeing({ items: [], resourceVersion: "90" });
    seen.listed([]);
    expect(await seen.recognise("80")).toBe(false);
    seen.handled(event("ADDED", thing("a", "81")));
    seen.handled(event("DELETED", thing("b", "82")));
    expect(await seen.recognise("82")).toBe(false);
  });
});

describe("KR-12: a watch loop whose server was away for more than 5 s", () => {
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

  it("KR-12: goes on where it was when the server still has the object", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "7")], "8"), listing([thing("a", "7")], "30"));
        watches.push(reset);
      },
      { clock: hasty(6_000) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["8", "8"]);
    expect(world.told).toEqual(["list a at 8"]);
  });

  it("KR-12: lists again when the server does not have it", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([thing("a", "7")], "8"), listing([thing("a", "4")], "30"));
        lists.push(listing([thing("a", "4")], "31"));
        watches.push(reset);
      },
      { clock: hasty(6_000) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.watchedFrom()).toEqual(["8", "31"]);
    expect(world.told).toEqual(["list a at 8", "list a at 31"]);
    expect(world.loop.status().reconnects).toMatchObject({ WentBack: 1 });
  });

  it("KR-12: lists again when it knows no object", async () => {
    await using world = await watching(
      ({ lists, watches }) => {
        lists.push(listing([], "8"), listing([], "30"), listing([thing("b", "5")], "31"));
        watches.push(reset);
      },
      { clock: hasty(6_000) },
    );
    await eventually(() => world.watchedFrom().length === 2, within);
    expect(world.told).toEqual(["list  at 8", "list b at 31"]);
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
