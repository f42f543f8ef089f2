import { MANAGEMENT } from "../../shared/api/kinds.ts";
import type { Clock } from "../../shared/runtime/ports.ts";
import type { Relay } from "../relay/relay.ts";
import { LABEL_VALUES } from "./metric-specs.ts";
import type { LabelsOf, Metrics } from "./metrics.ts";

type Loop = ReturnType<Relay["status"]>["loops"][number];
type LoopLabels = LabelsOf<"capstan_relay_events_total">;
const NEVER: Pick<Loop, "lists" | "events" | "undecodable" | "reconnects"> = Object.freeze({
  lists: 0,
  events: 0,
  undecodable: 0,
  reconnects: {},
});

/**
 * Shows the relay's watch loops at each scrape (KR-23), from its status. Loops of workload clusters are added up:
 * the names of clusters are for `/status`, not for labels (S-44).
 */
export function meterRelay(relay: Pick<Relay, "status">, metrics: Metrics, clock: Clock): void {
  const before = new Map<string, Loop>();
  metrics.onScrape(() => {
    const { ready, loops, connections } = relay.status();
    const all = [...loops, ...connections.flatMap(({ nodes }) => (nodes === undefined ? [] : [nodes]))];
    metrics.set("capstan_relay_ready", {}, ready ? 1 : 0);
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

/** Adds what a loop has counted since the last scrape. Lower numbers are those of a new loop with the same name. */
function countLoop(metrics: Metrics, loop: Loop, last: Loop | undefined): void {
  const labels = labelsOf(loop);
  const restarted = last === undefined || loop.lists < last.lists || loop.events < last.events;
  const since = restarted ? NEVER : last;
  metrics.add("capstan_relay_lists_total", labels, loop.lists - since.lists);
  metrics.add("capstan_relay_events_total", labels, loop.events - since.events);
  metrics.add("capstan_relay_undecodable_total", labels, Math.max(0, loop.undecodable - since.undecodable));
  for (const [cause, count] of Object.entries(loop.reconnects)) {
    const by = Math.max(0, count - (since.reconnects[cause] ?? 0));
    metrics.add("capstan_relay_reconnects_total", { ...labels, cause }, by);
  }
}

function showLoops(metrics: Metrics, loops: readonly Loop[], nowMs: number): void {
  metrics.clear("capstan_relay_loops");
  metrics.clear("capstan_relay_silent_seconds");
  for (const group of Map.groupBy(loops, (loop) => JSON.stringify(labelsOf(loop))).values()) {
    const [first] = group;
    if (first === undefined) continue;
    const labels = labelsOf(first);
    for (const [state, same] of Map.groupBy(group, (loop) => loop.state)) {
      metrics.set("capstan_relay_loops", { ...labels, state }, same.length);
    }
    const heard = group.flatMap(({ state, lastHeardAt }) =>
      state === "streaming" && lastHeardAt !== undefined ? [lastHeardAt] : [],
    );
    if (heard.length === 0) continue;
    metrics.set("capstan_relay_silent_seconds", labels, Math.max(0, nowMs - Math.min(...heard)) / 1_000);
  }
}

/** `management machinepools.cluster.x-k8s.io`, `default/c1 nodes`. */
function labelsOf({ name }: Loop): LoopLabels {
  const [server = "", resource = ""] = name.split(" ");
  return {
    server: server === MANAGEMENT ? MANAGEMENT : "workload",
    resource: KNOWN.has(resource) ? resource : "provider",
  };
}
const KNOWN: ReadonlySet<string> = new Set(LABEL_VALUES.resource);
