import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { createDelivery, type Delivery } from "../../../infra/relay/delivery/delivery.ts";
import { type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { defineFunction, watch } from "../../../shared/function/define-function.ts";
import { itself } from "../../../shared/function/mappings.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { Queue, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";
import { isAtLeast } from "../../../shared/runtime/resource-version.ts";
import { virtualClock } from "../../support/clock.ts";
import { silentLog } from "../../support/silent-log.ts";
import { Thing } from "../../support/thing.ts";

const type = { cluster: MANAGEMENT, group: Thing.group, kind: Thing.kind };
const scope = "scope";

function thing(name: string, resourceVersion: string, owner = "x", uid = `uid-${name}`): KubeObject {
  const metadata = { namespace: "default", name, uid, resourceVersion };
  return { apiVersion: "things.example/v1", kind: "Thing", metadata, owner } as KubeObject;
}

/** Enqueues the object itself and the objects it points at: its deletion enqueues only the latter. */
const pointing = defineFunction(
  {
    name: "thing-owner",
    summary: "s",
    source: "own",
    reconciles: Thing,
    watches: [
      { on: Thing, fields: ["owner"], toKeys: itself },
      watch(Thing, ["metadata.uid"], async ({ object }) => [
        { namespace: "default", name: `owner-${Reflect.get(object, "owner")}`, tenant: "default/-" },
      ]),
      {
        on: Thing,
        fields: ["owner"],
        toKeys: async ({ object }) => [
          { namespace: "default", name: `owner-${Reflect.get(object, "owner")}`, tenant: "default/-" },
        ],
      },
    ],
    owns: [],
  },
  async () => {
    throw new Error("not run here");
  },
);

interface Event {
  readonly version: string;
  readonly change: (delivery: Delivery) => Promise<void>;
  /** The keys that it must have enqueued at least once in any case: `name@version`. */
  readonly wakes: readonly string[];
}

const FIRST = [thing("a", "1"), thing("b", "2"), thing("c", "3")];
/** Objects that the relay takes together (KR-16). */
const put = (objects: readonly KubeObject[], wakes: readonly string[]): Event => ({
  version: objects.at(-1)?.metadata.resourceVersion ?? "",
  change: (delivery) => delivery.put(type, objects, "live"),
  wakes,
});
const remove = (object: KubeObject, wakes: readonly string[]): Event => ({
  version: object.metadata.resourceVersion ?? "",
  change: (delivery) => delivery.remove(type, object),
  wakes,
});
const EVENTS: readonly Event[] = [
  put([thing("a", "11", "y")], ["a@11", "owner-x@11", "owner-y@11"]),
  put(
    [thing("d", "12", "z"), thing("a", "13", "w")],
    ["d@12", "owner-z@12", "a@13", "owner-y@13", "owner-w@13"],
  ),
  // The last that was seen of a deleted object.
  remove(thing("b", "14", "x"), ["owner-x@2"]),
  remove(thing("d", "15", "z"), ["owner-z@12"]),
  // Created again under its name.
  put([thing("b", "16", "v", "uid-b2")], ["b@16", "owner-v@16"]),
  remove(thing("a", "17", "w"), ["owner-w@13"]),
];
const FINAL = ["b 16", "c 3"];

class Killed extends Error {}

/** A port of a process that is killed at its `killAt`th call, before or after the call has its effect. */
function dying<T extends object>(port: T, calls: { left: number; after: boolean }): T {
  return new Proxy(port, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== "function") return value;
      return async (...args: readonly unknown[]) => {
        calls.left -= 1;
        if (calls.left < 0 && !(calls.left === -1 && calls.after)) throw new Killed();
        const result: unknown = await Reflect.apply(value, target, args);
        if (calls.left < 0) throw new Killed();
        return result;
      };
    },
  });
}

function process(store: Store, woken: string[], calls = { left: Number.POSITIVE_INFINITY, after: false }) {
  const clock = virtualClock();
  const abort = new AbortController();
  const queue = {
    enqueue: async (_name: string, entries: readonly QueueEntry[]) => {
      for (const { key, cause } of entries) woken.push(`${key.split("/").at(-1)}@${cause?.resourceVersion}`);
    },
  } as unknown as Queue;
  const delivery = createDelivery({
    functions: [pointing],
    store: dying(store, calls),
    queue: dying(queue, calls),
    clock,
    log: silentLog,
    signal: abort.signal,
    onChange: () => undefined,
  });
  // A killed process repeats nothing.
  abort.abort();
  return { delivery, clock };
}

/** From the version that is stored, or from a list: what a watch loop does. */
async function catchUp(delivery: Delivery): Promise<void> {
  const from = await delivery.resume(type, scope);
  await delivery.open();
  if (from === undefined) throw new Error("the first list was complete before the kill");
  for (const { version, change } of EVENTS) if (!isAtLeast(from, version)) await change(delivery);
  await delivery.flush();
}

async function life(killAt: number, after: boolean) {
  const store = createMemoryStore();
  const woken: string[] = [];
  await process(store, []).delivery.replace(type, FIRST, { resourceVersion: "10", priority: "live", scope });
  const calls = { left: killAt, after };
  const first = process(store, woken, calls);
  let died = false;
  try {
    await catchUp(first.delivery);
  } catch (error) {
    if (!(error instanceof Killed)) throw error;
    died = true;
  }
  const second = process(store, woken);
  await catchUp(second.delivery);
  const stored = await store.list(type, {});
  return {
    died,
    woken,
    progress: await store.progress(type),
    unreported: await store.unreported(type),
    stored: stored.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`),
  };
}

describe("a relay that is killed at any call to store or queue (KR-14)", () => {
  it.each([false, true])("loses no change, with the call done: %s", async (after) => {
    const expected = EVENTS.flatMap(({ wakes }) => wakes);
    let killAt = 0;
    for (let died = true; died; killAt += 1) {
      const { woken, stored, progress, unreported, ...ended } = await life(killAt, after);
      died = ended.died;
      const missing = expected.filter((name) => !woken.includes(name));
      expect({ killAt, missing }).toEqual({ killAt, missing: [] });
      expect(stored).toEqual(FINAL);
      expect(progress).toEqual({ ready: true, resourceVersion: "17", scope });
      expect(unreported).toEqual([]);
    }
    expect(killAt).toBeGreaterThan(15);
  });

  it("notifies of nothing twice when it is not killed", async () => {
    const { woken } = await life(Number.POSITIVE_INFINITY, false);
    const expected = EVENTS.flatMap(({ wakes }) => wakes);
    expect(woken).toHaveLength(expected.length);
    expect(new Set(woken)).toEqual(new Set(expected));
  });
});
