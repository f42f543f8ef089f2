import { isJsonObject, type Json } from "../objects/json.ts";
import { selectPath } from "../objects/json-path.ts";
import { type KubeObject, listAt, objectAt, textAt } from "../objects/kube-object.ts";
import type { Column } from "./registry.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const YEAR = 365 * DAY;

/** Ages up to which two units are shown, the second while it still matters. Source: apimachinery, util/duration. */
const STEPS: readonly { readonly belowMs: number; readonly show: (ms: number) => string }[] = [
  { belowMs: 2 * MINUTE, show: (ms) => `${Math.floor(ms / SECOND)}s` },
  { belowMs: 10 * MINUTE, show: (ms) => two(ms, [MINUTE, "m"], [SECOND, "s"]) },
  { belowMs: 3 * HOUR, show: (ms) => `${Math.floor(ms / MINUTE)}m` },
  { belowMs: 8 * HOUR, show: (ms) => two(ms, [HOUR, "h"], [MINUTE, "m"]) },
  { belowMs: 2 * DAY, show: (ms) => `${Math.floor(ms / HOUR)}h` },
  { belowMs: 8 * DAY, show: (ms) => two(ms, [DAY, "d"], [HOUR, "h"]) },
  { belowMs: 2 * YEAR, show: (ms) => `${Math.floor(ms / DAY)}d` },
  { belowMs: 8 * YEAR, show: (ms) => two(ms, [YEAR, "y"], [DAY, "d"]) },
  { belowMs: Number.POSITIVE_INFINITY, show: (ms) => `${Math.floor(ms / YEAR)}y` },
];

/** Returns the time since an RFC 3339 instant, as kubectl has it: `5s`, `3m20s`, `2d4h`; `<unknown>` without one. */
export function ageSince(instant: unknown, now: Date): string {
  if (typeof instant !== "string") return "<unknown>";
  const ms = now.getTime() - Date.parse(instant);
  if (Number.isNaN(ms)) return "<invalid>";
  if (ms < -2 * SECOND) return "<invalid>";
  if (ms < 0) return "0s";
  return STEPS.find((step) => ms < step.belowMs)?.show(ms) ?? "";
}

type Unit = readonly [ms: number, name: string];

function two(ms: number, [large, largeName]: Unit, [small, smallName]: Unit): string {
  const rest = Math.floor((ms % large) / small);
  return `${Math.floor(ms / large)}${largeName}${rest === 0 ? "" : `${rest}${smallName}`}`;
}

/*
 * Columns of the compiled-in kinds that people look at; the others have their age only. Their printers write ages and fallbacks themselves, so the cells are texts.
 * Source: Kubernetes v1.34, pkg/printers/internalversion/printers.go
 */

const age: Column = column("Age", (object, now) => ageSince(object.metadata.creationTimestamp, now));

const createdAt: Column = {
  name: "Created At",
  type: "date",
  value: (object) => object.metadata.creationTimestamp,
};

function column(name: string, value: (object: KubeObject, now: Date) => Json, priority = 0): Column {
  return { name, type: "string", priority, value };
}

/** A text found at a path, else `missing`. */
function at(name: string, path: string, missing = "", priority = 0): Column {
  return column(name, (object) => printed(selectPath(object, path)[0], missing), priority);
}

function number(name: string, path: string): Column {
  return { name, type: "integer", value: (object) => selectPath(object, path)[0] ?? 0 };
}

function printed(value: Json | undefined, missing: string): string {
  return value === undefined || value === null || value === "" ? missing : String(value);
}

const ROLE_LABEL = "node-role.kubernetes.io/";

function nodeStatus(node: KubeObject): string {
  const ready = selectPath(node, '.status.conditions[?(@.type=="Ready")].status')[0];
  const status = ready === undefined ? "Unknown" : ready === "True" ? "Ready" : "NotReady";
  return objectAt(node, "spec")["unschedulable"] === true ? `${status},SchedulingDisabled` : status;
}

function nodeRoles(node: KubeObject): string {
  const labels = node.metadata.labels ?? {};
  const roles = Object.keys(labels).filter((key) => key.startsWith(ROLE_LABEL));
  const names = roles.map((key) => key.slice(ROLE_LABEL.length));
  if (labels["kubernetes.io/role"]) names.push(labels["kubernetes.io/role"]);
  return [...new Set(names)].sort(byText).join(",") || "<none>";
}

function byText(a: string, b: string): number {
  return a < b ? -1 : 1;
}

function firstSeen(event: KubeObject): string | undefined {
  return textAt(event, "firstTimestamp") || textAt(event, "eventTime") || undefined;
}

function lastSeen(event: KubeObject): string | undefined {
  const { series } = event;
  if (isJsonObject(series)) return textAt(series, "lastObservedTime") || undefined;
  return textAt(event, "lastTimestamp") || firstSeen(event);
}

function eventObject(event: KubeObject): string {
  const involved = objectAt(event, "involvedObject");
  return `${textAt(involved, "kind").toLowerCase()}/${textAt(involved, "name")}`;
}

/** Newer clients report in other members. */
function eventSource(event: KubeObject): string {
  const source = objectAt(event, "source");
  const component = textAt(source, "component") || textAt(event, "reportingComponent");
  const host = textAt(source, "host") || textAt(event, "reportingInstance");
  return host === "" ? component : `${component}, ${host}`;
}

function size(object: KubeObject, members: readonly string[]): number {
  return members.reduce((sum, member) => sum + Object.keys(objectAt(object, member)).length, 0);
}

function podReady(pod: KubeObject): string {
  const containers = listAt(objectAt(pod, "spec"), "containers");
  const statuses = listAt(objectAt(pod, "status"), "containerStatuses").filter(isJsonObject);
  return `${statuses.filter((status) => status["ready"] === true).length}/${containers.length}`;
}

function podRestarts(pod: KubeObject): string {
  const counts = selectPath(pod, ".status.containerStatuses[*].restartCount").map(Number);
  return String(counts.reduce((sum, count) => sum + count, 0));
}

function podStatus(pod: KubeObject): string {
  if (pod.metadata.deletionTimestamp !== undefined) return "Terminating";
  const status = objectAt(pod, "status");
  return textAt(status, "reason") || textAt(status, "phase");
}

const ADDRESS = (type: string) => `.status.addresses[?(@.type=="${type}")].address`;

/** Columns after Name, by kind. */
export const CORE_COLUMNS = {
  Namespace: [at("Status", ".status.phase"), age],
  Node: [
    column("Status", nodeStatus),
    column("Roles", nodeRoles),
    age,
    at("Version", ".status.nodeInfo.kubeletVersion"),
    at("Internal-IP", ADDRESS("InternalIP"), "<none>", 1),
    at("External-IP", ADDRESS("ExternalIP"), "<none>", 1),
    at("OS-Image", ".status.nodeInfo.osImage", "<unknown>", 1),
    at("Kernel-Version", ".status.nodeInfo.kernelVersion", "<unknown>", 1),
    at("Container-Runtime", ".status.nodeInfo.containerRuntimeVersion", "<unknown>", 1),
  ],
  Secret: [at("Type", ".type"), column("Data", (object) => size(object, ["data"])), age],
  ConfigMap: [column("Data", (object) => size(object, ["data", "binaryData"])), age],
  Event: [
    column("Last Seen", (object, now) => ageSince(lastSeen(object), now)),
    at("Type", ".type"),
    at("Reason", ".reason"),
    column("Object", eventObject),
    at("Subobject", ".involvedObject.fieldPath", "", 1),
    column("Source", eventSource, 1),
    column("Message", (object) => textAt(object, "message").trim()),
    column("First Seen", (object, now) => ageSince(firstSeen(object), now), 1),
    column("Count", (object) => objectAt(object, "series")["count"] ?? object["count"] ?? 1, 1),
    { ...column("Name", (object) => object.metadata.name, 1), format: "name" },
  ],
  Pod: [
    column("Ready", podReady),
    column("Status", podStatus),
    column("Restarts", podRestarts),
    age,
    at("IP", ".status.podIP", "<none>", 1),
    at("Node", ".spec.nodeName", "<none>", 1),
    at("Nominated Node", ".status.nominatedNodeName", "<none>", 1),
    column("Readiness Gates", () => "<none>", 1),
  ],
  ServiceAccount: [column("Secrets", (object) => listAt(object, "secrets").length), age],
  Deployment: [
    column("Ready", (object) => {
      const [ready = 0] = selectPath(object, ".status.readyReplicas");
      const [replicas = 0] = selectPath(object, ".spec.replicas");
      return `${ready}/${replicas}`;
    }),
    at("Up-to-date", ".status.updatedReplicas", "0"),
    at("Available", ".status.availableReplicas", "0"),
    age,
  ],
  Lease: [at("Holder", ".spec.holderIdentity"), age],
  PodDisruptionBudget: [
    at("Min Available", ".spec.minAvailable", "N/A"),
    at("Max Unavailable", ".spec.maxUnavailable", "N/A"),
    number("Allowed Disruptions", ".status.disruptionsAllowed"),
    age,
  ],
  CustomResourceDefinition: [createdAt],
  Role: [createdAt],
  ClusterRole: [createdAt],
} as const satisfies Readonly<Record<string, readonly Column[]>>;
