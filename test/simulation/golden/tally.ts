import type { Event } from "../../../shared/api/core.ts";
import { functionOf, placeOf } from "../oracles/sent-write.ts";
import { maskRandomEnd } from "../play/generated-names.ts";
import { isPoll } from "../play/polls.ts";
import type { World } from "../play/world.ts";
import type { Passing } from "../ports/network.ts";

/** Counts by name, by the name of who or what they are about. */
export type Table = ReadonlyMap<string, ReadonlyMap<string, number>>;

/** Counts of a run from its beginning. */
export interface Tally {
  /** By `created` and `deleted`: objects of the management server, by type. */
  readonly history: Table;
  /** By `machinepool-status` or `relay`: requests that have left, by verb and type; those of users left out. */
  readonly requests: Table;
  /** By component: Events, by type, reason and object. */
  readonly events: Table;
}

/** Counts from now on. */
export function tallyOf(world: World): Tally {
  const [history, requests, events] = [createTable(), createTable(), createTable()];
  world.management.onChange((type, { type: change, object }) => {
    if (type === "/events") {
      if (change === "ADDED") events.count(...titleOf(object as unknown as Event));
    } else if (change !== "MODIFIED") {
      history.count(change === "ADDED" ? "created" : "deleted", type);
    }
  });
  const once = new Set<string>();
  world.network.onLeave(({ process, server, request }) => {
    if (process.name.startsWith("user") || isPoll(process, request.path)) return;
    const known = knownByOne(request);
    if (known !== undefined && once.has(known)) return;
    if (known !== undefined) once.add(known);
    const place = placeOf(request.path);
    const path = request.path.replace(/^\/as\/[^/]+/, "").replace(/\?.*/, "");
    const type = place === undefined ? path : `${place.type}${slash(place)}`;
    const where = server === world.management.address ? "" : " of the workload cluster";
    requests.count(functionOf(request.headers), `${verbOf(request, place?.name ?? "")} ${type}${where}`);
  });
  return { history: history.rows, requests: requests.rows, events: events.rows };
}

/**
 * A worker does not know that another one has read a kubeconfig or sent an Event: which of them runs a key is chance, so
 * such requests count once. Returns what they are about; undefined for others.
 */
function knownByOne({ method, path, headers, body }: Passing["request"]): string | undefined {
  if (method === "GET" && functionOf(headers) === "worker") return path;
  if (method !== "POST" || !/\/events(?:\?|$)/.test(path)) return undefined;
  return (JSON.parse(body ?? "{}") as Partial<Event>).metadata?.name;
}

function slash({ subresource }: { readonly subresource: string }): string {
  return subresource === "" ? "" : `/${subresource}`;
}

function titleOf({ type, reason, involvedObject, source, reportingComponent }: Event): [string, string] {
  const component = source?.component ?? reportingComponent ?? "";
  const name = involvedObject.kind === "Machine" ? maskRandomEnd(involvedObject.name) : involvedObject.name;
  return [component, `${type} ${reason} ${involvedObject.kind}/${name}`];
}

function verbOf(
  { method, path, headers }: { readonly method: string; readonly path: string; readonly headers: object },
  name: string,
): string {
  switch (method) {
    case "GET":
      if (path.includes("watch=")) return "watch";
      return name === "" && path.includes("/api") ? "list" : "get";
    case "PATCH":
      return /apply-patch/.test(String(Reflect.get(headers, "content-type"))) ? "apply" : "patch";
    case "POST":
      return "create";
    default:
      return method.toLowerCase();
  }
}

function createTable() {
  const rows = new Map<string, Map<string, number>>();
  return {
    rows,
    count(row: string, name: string): void {
      const counts = rows.get(row) ?? new Map<string, number>();
      rows.set(row, counts.set(name, (counts.get(name) ?? 0) + 1));
    },
  };
}
