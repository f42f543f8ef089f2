import { MANAGEMENT } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { SECOND } from "../../../shared/function/backoff.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { isOverdue, standstill } from "../../../shared/rules/rollout/standstill.ts";
import type { Clock, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import { readFreshness } from "../../../shared/runtime/read/signs.ts";
import type { Relay } from "../../relay/relay.ts";
import { LABEL_VALUES } from "./metric-labels.ts";
import type { LabelsOf, Metrics } from "./metrics.ts";

type Loop = ReturnType<Relay["status"]>["loops"][number];
type LoopLabels = LabelsOf<"capstan_relay_lists_total">;
/** Counters of a loop: they never decrease while it lives. */
type Counts = Pick<Loop, "lists" | "bytes" | "undecodable" | "eventsByType" | "reconnects">;
const NONE: Counts = Object.freeze({
  lists: 0,
  bytes: 0,
  undecodable: 0,
  eventsByType: { ADDED: 0, MODIFIED: 0, DELETED: 0, BOOKMARK: 0 },
  reconnects: {},
});

/**
 * Shows the relay's watch loops at each scrape (KR-23), from its status. Loops of workload clusters are added up: the
 * names of clusters are for `/status`, not for labels (S-44).
 */
export function meterRelay(relay: Pick<Relay, "status">, metrics: Metrics, clock: Clock): void {
  const before = new Map<string, Loop>();
  metrics.onScrape(() => {
    const { ready, loops, connections, share } = relay.status();
    const all = [...loops, ...connections.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodes]))];
    // One that only shares the workload clusters must not hide that none watches the management cluster.
    if (share === undefined) metrics.set("capstan_relay_ready", {}, ready ? 1 : 0);
    else metrics.set("capstan_relay_shards", {}, share.shards.length);
    for (const loop of all) countLoop(metrics, loop, before.get(loop.name));
    before.clear();
    for (const loop of all) before.set(loop.name, loop);
    showLoops(metrics, all, clock.now().getTime());
    metrics.clear("capstan_relay_connections");
    for (const state of ["connected", "unreachable", "unknown"] as const) {
      const count = connections.filter((connection) => connection.state === state).length;
      metrics.set("capstan_relay_connections", { state }, count);
    }
  });
}

/** Adds what a loop has counted since the last scrape. Lower numbers belong to a new loop with the same name. */
function countLoop(metrics: Metrics, loop: Loop, last: Loop | undefined): void {
  const labels = labelsOf(loop);
  const restarted =
    last === undefined || loop.lists < last.lists || loop.bytes < last.bytes || loop.events < last.events;
  const since: Counts = restarted ? NONE : last;
  const add = (name: CounterName, by: number) => metrics.add(name, labels, Math.max(0, by));
  add("capstan_relay_lists_total", loop.lists - since.lists);
  add("capstan_relay_received_bytes_total", loop.bytes - since.bytes);
  add("capstan_relay_undecodable_total", loop.undecodable - since.undecodable);
  for (const type of LABEL_VALUES.type) {
    const by = loop.eventsByType[type] - since.eventsByType[type];
    metrics.add("capstan_relay_events_total", { ...labels, type }, Math.max(0, by));
  }
  for (const [cause, count] of Object.entries(loop.reconnects)) {
    const by = Math.max(0, count - (since.reconnects[cause] ?? 0));
    metrics.add("capstan_relay_reconnects_total", { ...labels, cause }, by);
  }
}

type CounterName =
  | "capstan_relay_lists_total"
  | "capstan_relay_received_bytes_total"
  | "capstan_relay_undecodable_total";

const GAUGES = [
  "capstan_relay_loops",
  "capstan_relay_silent_seconds",
  "capstan_relay_quiet_seconds",
  "capstan_relay_lag_seconds",
  "capstan_relay_pending_events",
] as const;

function showLoops(metrics: Metrics, loops: readonly Loop[], nowMs: number): void {
  for (const gauge of GAUGES) metrics.clear(gauge);
  for (const group of Map.groupBy(loops, (loop) => JSON.stringify(labelsOf(loop))).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const labels = labelsOf(first);
    for (const [state, same] of Map.groupBy(group, (loop) => loop.state)) {
      metrics.set("capstan_relay_loops", { ...labels, state }, same.length);
    }
    const streaming = group.filter(({ state }) => state === "streaming");
    const show = (name: (typeof GAUGES)[1 | 2 | 3], ages: readonly (number | undefined)[]) => {
      const known = ages.filter((age) => age !== undefined);
      if (known.length > 0) metrics.set(name, labels, Math.max(0, ...known) / 1_000);
    };
    const since = (at: number | undefined) => (at === undefined ? undefined : nowMs - at);
    // Of the management server also those that it has cut off: then nothing is seen. Of workload servers some always are.
    const heard = labels.server === MANAGEMENT ? group : streaming;
    show(
      "capstan_relay_silent_seconds",
      heard.map((loop) => since(lastByteOf(loop))),
    );
    show(
      "capstan_relay_quiet_seconds",
      streaming.map((loop) => since(loop.lastEventAt)),
    );
    show(
      "capstan_relay_lag_seconds",
      group.map(({ lagMs }) => lagMs),
    );
    const pending = group.reduce((sum, loop) => sum + loop.pending, 0);
    metrics.set("capstan_relay_pending_events", labels, pending);
  }
}

/** A list counts as bytes, too: a watch follows it. */
function lastByteOf({ lastByteAt, lastHeardAt }: Loop): number | undefined {
  return lastByteAt === undefined ? lastHeardAt : Math.max(lastByteAt, lastHeardAt ?? 0);
}

/** Returns `management machinepools.cluster.x-k8s.io`, `default/c1 nodes`. */
function labelsOf({ name }: Loop): LoopLabels {
  const [server = "", resource = ""] = name.split(" ");
  return {
    server: server === MANAGEMENT ? MANAGEMENT : "workload",
    resource: KNOWN.has(resource) ? resource : "provider",
  };
}
const KNOWN: ReadonlySet<string> = new Set(LABEL_VALUES.resource);

type Snapshots = Pick<Store, "each" | "list" | "signs">;

const DEPLOYMENTS = managementType(MachineDeployment);
const SETS = managementType(MachineSet);

/** Conditions one of which is True while a rollout is on its way. */
const MOVING = ["RollingOut", "ScalingUp", "ScalingDown"];
/** A standstill is one of ten minutes: scrapes of a minute share a look. */
const LOOK_MS = 60 * SECOND;

/**
 * Shows how many rollouts have stood still for ten minutes; nothing while the read model does not answer or is old. At most once a
 * minute it goes through the deployments, some at a time; most are at rest and cost no more than their own snapshot.
 */
export function meterRollouts(store: Snapshots, metrics: Metrics, clock: Clock): void {
  let look: { readonly at: number; readonly count: Promise<number> } | undefined;
  metrics.onScrape(async () => {
    const now = clock.now();
    if (look === undefined || now.getTime() - look.at >= LOOK_MS)
      look = { at: now.getTime(), count: countStuck(store, now) };
    try {
      metrics.set("capstan_rollouts_standing_still", {}, await look.count);
    } catch {
      // Not known; capstan_queue_reachable or capstan_relay_silent_seconds say so.
      metrics.clear("capstan_rollouts_standing_still");
      look = undefined;
    }
  });
}

async function countStuck(store: Snapshots, now: Date): Promise<number> {
  const { silenceOf } = await readFreshness(store, now);
  const silence = silenceOf(DEPLOYMENTS) ?? silenceOf(SETS);
  if (silence !== undefined) throw new Error(silence.message);
  let count = 0;
  for await (const deployment of store.each(DEPLOYMENTS))
    if (await isStuck(store, deployment as MachineDeployment, now)) count += 1;
  return count;
}

async function isStuck(store: Snapshots, deployment: MachineDeployment, now: Date): Promise<boolean> {
  const { metadata, status } = deployment;
  if (MOVING.every((type) => conditionOf(status?.conditions, type)?.status !== "True")) return false;
  const index = { name: "owner", values: [metadata.uid ?? ""] };
  const sets = (await store.list(SETS, { index })) as readonly MachineSet[];
  const found = standstill({ deployment, sets, machines: [], now });
  return found !== undefined && isOverdue(found, now);
}
