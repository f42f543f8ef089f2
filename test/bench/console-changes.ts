import { createBullmqQueue } from "../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../shared/api/kinds.ts";
import { DEFAULT_QUEUE } from "../../shared/function/backoff.ts";
import type { Store } from "../../shared/runtime/ports.ts";
import { formatKey } from "../../shared/runtime/queue/key.ts";
import type { Outcome, Queue } from "../../shared/runtime/queue/queue-port.ts";
import { managementType } from "../../shared/runtime/read/management-type.ts";
import { eventually } from "../support/eventually.ts";
import { silentLog } from "../support/silent-log.ts";
import { clusterOf, type Member, machineOf, objectsOf, type Snapshot } from "./console-fleet.ts";

export const CHANGES_PER_SECOND = 200;
/** The other changes are of Machines. */
const CLUSTER_EVERY = 4;
/** Of the changes of Clusters: one falls ill or, once there are so many, gets well. */
const TROUBLE_EVERY = 10;
const MOST_UNWELL = 50;
const TICK_MS = 100;
const AT_ONCE = 500;
const DEAD_KEYS = 40;
/** One function of each kind runs for every change. */
const RUNS = { Cluster: "cluster-status", Machine: "machine-status" } as const;
const DYING = "machine-node";

/** A fleet in the read model that changes on demand. */
export interface ChangingFleet extends AsyncDisposable {
  readonly snapshots: number;
  /** 200 changes a second, until it is disposed; each one enqueues a key that a worker runs at once. */
  change(): AsyncDisposable;
}

interface Filling {
  readonly store: Store;
  readonly url: string;
  readonly crds: readonly KubeObject[];
}

/** Stores all objects of the members; 40 Clusters have a dead key. */
export async function fillFleet(
  { store, url, crds }: Filling,
  members: readonly Member[],
): Promise<ChangingFleet> {
  await using starting = new AsyncDisposableStack();
  const queue = starting.use(await createBullmqQueue({ url, log: silentLog }));
  let snapshots = 0;
  const put = async (some: readonly Snapshot[]): Promise<void> => {
    snapshots += some.length;
    await Promise.all(some.map(({ kind, object }) => store.put(managementType(kind), object)));
  };
  const definitions = crds.map((object) => ({ kind: CustomResourceDefinition as Kind, object }));
  const [first] = members;
  if (first === undefined) throw new Error("a fleet needs a Cluster");
  const kinds = new Map([...definitions, ...objectsOf(first)].map(({ kind }) => [kind.kind, kind]));
  for (const kind of kinds.values()) await store.advance(managementType(kind), { ready: false });
  await put(definitions);
  for (const some of batches(members)) await put(some);
  for (const kind of kinds.values())
    await store.advance(managementType(kind), { ready: true, resourceVersion: "1" });
  await letDie(queue, members.slice(0, DEAD_KEYS));
  for (const name of Object.values(RUNS)) {
    starting.use(await queue.work(name, { ...DEFAULT_QUEUE, owner: "bench" }, async () => OK));
  }
  const next = changesOf(members);
  const running = starting.move();
  return {
    snapshots,
    change: () =>
      everyTick(async (count) => {
        const changed = Array.from({ length: count }, next);
        await Promise.all(changed.map((one) => store.put(managementType(one.kind), one.object)));
        const newest = new Map(changed.map(({ kind, object }) => [kind, object.metadata.resourceVersion]));
        for (const [kind, resourceVersion] of newest) {
          await store.advance(managementType(kind), { resourceVersion });
        }
        for (const [name, some] of Map.groupBy(changed, ({ kind }) => RUNS[kind.kind as keyof typeof RUNS])) {
          await queue.enqueue(name, some.map(entryOf));
        }
      }),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

const OK: Outcome = { type: "ok", requested: false, fences: [] };
const DIES: Outcome = {
  type: "error",
  failure: {
    class: "Terminal",
    reason: "InvalidNode",
    message: "Node has the provider ID of another Machine",
  },
  terminal: true,
  requested: false,
  fences: [],
};

function* batches(members: readonly Member[]): Iterable<readonly Snapshot[]> {
  let batch: Snapshot[] = [];
  for (const member of members) {
    batch.push(...objectsOf(member));
    if (batch.length < AT_ONCE) continue;
    yield batch;
    batch = [];
  }
  yield batch;
}

/** Returns the changes one after the other, each of the next Cluster or of one of its Machines. */
function changesOf(members: readonly Member[]): () => Snapshot {
  const unwell: Member[] = [];
  let version = 1;
  return () => {
    version += 1;
    // A step that shares no divisor with the size goes round through all of them; the large one stays as it is.
    const member = members[(version * 7_919) % (members.length - 1)];
    if (member === undefined) throw new Error("bug: a member out of range");
    if (version % CLUSTER_EVERY !== 0) return machineOf(member, version % member.machines, version);
    if (version % (CLUSTER_EVERY * TROUBLE_EVERY) !== 0) return clusterOf(member, version);
    const healed = unwell.length < MOST_UNWELL ? undefined : unwell.shift();
    if (healed !== undefined) return clusterOf(healed, version);
    unwell.push(member);
    return clusterOf(member, version, false);
  };
}

function entryOf({ kind, object }: Snapshot) {
  const key = objectKeyOf(object);
  const tenant = `${key.namespace}/${key.name.replace(/-md-\d+$/, "")}`;
  const cause = {
    what: `${kind.kind} ${key.namespace}/${key.name}`,
    resourceVersion: object.metadata.resourceVersion,
  };
  return { key: formatKey({ tenant, kind: kind.kind, ...key }), priority: "live" as const, cause };
}

async function letDie(queue: Queue, members: readonly Member[]): Promise<void> {
  await using _worker = await queue.work(DYING, { ...DEFAULT_QUEUE, owner: "bench" }, async () => DIES);
  await queue.enqueue(
    DYING,
    members.map((member) => entryOf(machineOf(member, 0, 1))),
  );
  await eventually(async () => (await queue.peek(DYING)).dead === members.length, { withinMs: 60_000 });
}

/** Calls `act` ten times a second with a share of the changes, one call after the other. */
function everyTick(act: (count: number) => Promise<void>): AsyncDisposable {
  let closed = false;
  const play = async (): Promise<void> => {
    const startedAt = performance.now();
    for (let ticks = 1; !closed; ticks += 1) {
      await act((CHANGES_PER_SECOND * TICK_MS) / 1_000);
      const waitMs = startedAt + ticks * TICK_MS - performance.now();
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, waitMs)));
    }
  };
  const playing = play();
  return {
    async [Symbol.asyncDispose]() {
      closed = true;
      await playing;
    },
  };
}
