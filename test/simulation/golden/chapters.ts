import type { Event } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { functionOf, placeOf } from "../oracles/sent-write.ts";
import { maskRandomEnds } from "../play/generated-names.ts";
import { manifestsIn } from "../play/manifests-in.ts";
import { isPoll } from "../play/polls.ts";
import type { User } from "../play/user.ts";
import type { World } from "../play/world.ts";
import type { Passing } from "../ports/network.ts";

/** One thing that a user does, and what follows until the next. */
interface Chapter {
  readonly atMs: number;
  readonly title: string;
  /** By who sends them: requests and Events, in the order in which the first of each kind leaves. */
  readonly sent: Counts;
  /** By who sends: when the first one left. Which of two is first at the same time is chance. */
  readonly beganMs: Map<string, number>;
  /** By `created` and `deleted`: types of objects. */
  readonly history: Counts;
}

export interface Chronicle {
  /** The user whose words are written down. */
  of(user: User): User;
  /** As text: what the user does, and under it what the product does. */
  lines(): readonly string[];
}

/** Writes down what users and functions do from now on. */
export function chronicleOf(world: World): Chronicle {
  const begin = (title: string): Chapter => ({
    atMs: world.kernel.now - startedAt,
    title,
    sent: new Counts(),
    beganMs: new Map(),
    history: new Counts(),
  });
  const send = (who: string, what: string): void => {
    if (!current.beganMs.has(who)) current.beganMs.set(who, world.kernel.now);
    current.sent.count(who, what);
  };
  const startedAt = world.kernel.now;
  let current = begin("the processes start");
  const chapters: Chapter[] = [];
  const tell = (title: string): void => {
    current = begin(title);
    chapters.push(current);
  };
  world.management.onChange((type, { type: change, object }) => {
    if (type === "/events") {
      if (change === "ADDED") send(...titleOf(object as unknown as Event));
    } else if (change !== "MODIFIED") {
      current.history.count(change === "ADDED" ? "created" : "deleted", shortened(type));
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
    const type = place === undefined ? path : `${shortened(place.type)}${slash(place)}`;
    const where = server === world.management.address ? "" : " of the workload cluster";
    send(functionOf(request.headers), `${verbOf(request, place?.name ?? "")} ${type}${where}`);
  });
  return {
    of: (user) => ({
      ...user,
      apply(yaml) {
        tell(`apply ${manifestsIn(yaml).map(sized).join(", ")}`);
        return user.apply(yaml);
      },
      patch(kind, name, operations, subresource) {
        const what = operations.map(({ op, path, ...more }) => [op, path, ...shortValue(more)].join(" "));
        tell(`patch ${named(kind, name)}${slash({ subresource })}: ${what.join(", ")}`);
        return user.patch(kind, name, operations, subresource);
      },
      delete(kind, name) {
        tell(`delete ${named(kind, name)}`);
        return user.delete(kind, name);
      },
      onWorkload(cluster, work) {
        tell(`work on the workload cluster of ${cluster}`);
        return user.onWorkload(cluster, work);
      },
    }),
    lines: () => chapters.flatMap(linesOf),
  };
}

/** Numbers by name, in the order in which the names came. */
class Counts {
  readonly rows = new Map<string, Map<string, number>>();

  count(row: string, name: string): void {
    const counts = this.rows.get(row) ?? new Map<string, number>();
    this.rows.set(row, counts.set(name, (counts.get(name) ?? 0) + 1));
  }
}

function linesOf({ atMs, title, sent, beganMs, history }: Chapter): readonly string[] {
  const inTime = [...sent.rows].toSorted(
    ([a], [b]) => (beganMs.get(a) ?? 0) - (beganMs.get(b) ?? 0) || compareText(a, b),
  );
  const rows = [...inTime, ...history.rows].map(([who, counts]) => `${who}: ${counted(counts)}`);
  return ["", ...wrapped(`${timeOf(atMs)} ${title}`, ""), ...rows.flatMap((row) => wrapped(row, "  "))];
}

/** Requests that follow each other with one verb and equally often share both: `watch clusters, machines ×2 each`. */
function counted(counts: ReadonlyMap<string, number>): string {
  const groups: { readonly verb: string; readonly count: number; readonly what: string[] }[] = [];
  for (const [name, count] of counts) {
    const [, verb = "", what = ""] = /^(?:([a-z]+) )?(.*)$/.exec(name) ?? [];
    const last = groups.at(-1);
    if (last?.verb === verb && last.count === count) last.what.push(what);
    else groups.push({ verb, count, what: [what] });
  }
  return groups
    .map(({ verb, count, what }) => {
      const times = count === 1 ? "" : ` ×${count}${what.length > 1 ? " each" : ""}`;
      return `${verb === "" ? "" : `${verb} `}${what.join(", ")}${times}`;
    })
    .join("; ");
}

const MAX_WIDTH = 110;

/** Broken between words; what continues stands further in. */
export function wrapped(text: string, indent: string): readonly string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ")) {
    if (line.trim() !== "" && line.length + 1 + word.length > MAX_WIDTH) {
      lines.push(line);
      line = `${indent}  `;
    }
    line += line.trim() === "" ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** Minutes and seconds. */
function timeOf(atMs: number): string {
  const seconds = Math.round(atMs / 1_000);
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`;
}

/** `MachinePool p1 of 3`. */
function sized(object: ReturnType<typeof manifestsIn>[number]): string {
  const { replicas } = Object(Reflect.get(object, "spec")) as { readonly replicas?: number };
  const size = replicas === undefined ? "" : ` of ${replicas}`;
  return `${object.kind} ${object.metadata.name}${size}`;
}

function named({ kind }: Kind, name: string): string {
  return `${kind} ${maskRandomEnds(name)}`;
}

const LONGEST_VALUE = 40;

function shortValue({ value }: { readonly value?: unknown }): readonly string[] {
  if (value === undefined) return [];
  const text = JSON.stringify(value);
  return text.length > LONGEST_VALUE ? [] : [text];
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

/** `machinepools` of `cluster.x-k8s.io/machinepools`. */
function shortened(type: string): string {
  return type.slice(type.indexOf("/") + 1);
}

function slash({ subresource = "" }: { readonly subresource?: string | undefined }): string {
  return subresource === "" ? "" : `/${subresource}`;
}

function titleOf({ type, reason, involvedObject, source, reportingComponent }: Event): [string, string] {
  const component = source?.component ?? reportingComponent ?? "";
  const { kind } = involvedObject;
  const name = ["Machine", "MachineSet"].includes(kind)
    ? maskRandomEnds(involvedObject.name)
    : involvedObject.name;
  const warning = type === "Normal" ? "" : `${type} `;
  return [component.replace(/^capstan-/, ""), `"${warning}${reason} ${kind} ${name}"`];
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
