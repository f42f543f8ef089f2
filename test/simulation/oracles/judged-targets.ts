import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Node } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { RecordedRead } from "../../../shared/runtime/attempt-record.ts";
import { parseKey } from "../../../shared/runtime/queue/key.ts";
import type { ObservedRun } from "../ports/observed-runs.ts";
import { type NodeSeen, type Verdict, verdictOn } from "./simple-verdict.ts";

/** A target of a health check with the verdicts of all checks that select it, as one run has read them. */
export interface JudgedTarget {
  readonly machine: Machine;
  /** Name of the first check that selects it. */
  readonly lead: string;
  /** Of the check of the run. */
  readonly own: Verdict;
  /** Of all checks that select it. */
  readonly all: readonly Verdict[];
}

/** The reads of one run of a health check, judged once more. */
export interface Evaluation {
  readonly check: MachineHealthCheck;
  readonly targets: readonly JudgedTarget[];
  /** The time that the run was given, ms since 1970. */
  readonly clockMs: number;
}

/**
 * Judges the targets that a run has read: in its read model, or live. Undefined: it has not read as much, because it was
 * paused, does not see the workload cluster, or asks no server.
 */
export function evaluationOf(run: ObservedRun, from: "snapshots" | "servers"): Evaluation | undefined {
  const { record } = run;
  const reads = record?.reads ?? [];
  const call = from === "snapshots" ? "" : "live.";
  const check = reads.flatMap(foundIn).find(({ kind }) => kind === "MachineHealthCheck") as
    | MachineHealthCheck
    | undefined;
  const cluster = lastOf(reads, `${call}get`, "Cluster")[0] as Cluster | undefined;
  const machines = reads.find((read) => isAsked(read, `${call}list`, "Machine"));
  if (check === undefined || cluster === undefined || machines?.answer.type !== "list") return undefined;
  const clockMs = record?.clock?.getTime() ?? 0;
  const own = parseKey(run.key)?.name;
  const checks = [check, ...(lastOf(reads, "list", "MachineHealthCheck") as MachineHealthCheck[])]
    .filter(({ metadata }, at) => at === 0 || metadata.name !== own)
    .filter(({ metadata }) => metadata.annotations?.["cluster.x-k8s.io/paused"] === undefined)
    .sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const nodeOf = nodesIn(reads, cluster, from);
  const targets = (machines.answer.items as readonly Machine[])
    .filter((machine) => isTarget(check, machine))
    .map((machine): JudgedTarget => {
      const judge = (by: MachineHealthCheck) =>
        verdictOn({ check: by, cluster, machine, node: nodeOf(machine) }, clockMs);
      const selecting = checks.filter((each) => isTarget(each, machine));
      const lead = selecting[0]?.metadata.name ?? "";
      return { machine, lead, own: judge(check), all: selecting.map(judge) };
    });
  return { check, targets, clockMs };
}

/** By its labels; the workloads have no expressions. Paused Machines and those that have opted out are left out. */
export function isTarget({ metadata, spec }: MachineHealthCheck, machine: Machine): boolean {
  const wanted = Object.entries(spec.selector.matchLabels ?? {});
  const { labels = {}, annotations = {}, namespace } = machine.metadata;
  return (
    namespace === metadata.namespace &&
    machine.spec.clusterName === spec.clusterName &&
    labels["cluster.x-k8s.io/cluster-name"] === spec.clusterName &&
    wanted.length > 0 &&
    wanted.every(([name, value]) => labels[name] === value) &&
    !OPT_OUTS.some((name) => annotations[name] !== undefined)
  );
}

export const OPT_OUTS: readonly string[] = ["cluster.x-k8s.io/paused", "cluster.x-k8s.io/skip-remediation"];

/** Requests of health checks that a run has listed last; from snapshots and live. */
export function requestsListed({ record }: ObservedRun): readonly KubeObject[] {
  return lastOf(record?.reads ?? [], "live.list", "SimRemediation");
}

/** The Machines of the first live list of a run: those that it decides about; undefined: it has none. */
export function machinesListed({ record }: ObservedRun): readonly Machine[] | undefined {
  const read = record?.reads.find((each) => isAsked(each, "live.list", "Machine"));
  return read?.answer.type === "list" ? (read.answer.items as readonly Machine[]) : undefined;
}

function nodesIn(
  reads: readonly RecordedRead[],
  cluster: Cluster,
  from: "snapshots" | "servers",
): (machine: Machine) => NodeSeen {
  const isUp = cluster.status?.conditions?.some(
    ({ type, status }) => type === "ControlPlaneInitialized" && status === "True",
  );
  const shown = new Map((lastOf(reads, "list", "Node") as Node[]).map((node) => [node.metadata.name, node]));
  const answered = new Map<string, Node | "gone">();
  for (const { question, answer } of reads) {
    if (!("kind" in question) || question.kind.kind !== "Node") continue;
    if (question.call === "live.get" && answer.type === "object")
      answered.set(question.key.name, (answer.object as Node | undefined) ?? "gone");
    if (question.call === "live.list" && answer.type === "list")
      for (const node of answer.items as readonly Node[]) answered.set(node.metadata.name, node);
  }
  const isAnyUnanswered = firstNodeReads(reads).some(
    ({ name, answer }) => answer.type !== "object" && !shown.has(name),
  );
  return ({ status }) => {
    const name = status?.nodeRef?.name;
    if (isUp !== true || name === undefined) return "none";
    const live = answered.get(name);
    if (from === "servers") return live ?? "unknown";
    return shown.get(name) ?? (live === "gone" && !isAnyUnanswered ? "gone" : "unknown");
  };
}

/**
 * A run asks for all Nodes that no snapshot shows, and takes none for gone when one of the answers is missing. A hand-over
 * asks again, and its answers change no verdict.
 */
function firstNodeReads(reads: readonly RecordedRead[]) {
  const asked = reads.flatMap(({ question, answer }) =>
    question.call === "live.get" && question.kind.kind === "Node"
      ? [{ name: question.key.name, answer }]
      : [],
  );
  return asked.filter(({ name }, at) => asked.findIndex((first) => first.name === name) === at);
}

function lastOf(reads: readonly RecordedRead[], call: string, kind: string): readonly KubeObject[] {
  const found = reads.findLast((read) => isAsked(read, call, kind));
  return found === undefined ? [] : foundIn(found);
}

function isAsked({ question }: RecordedRead, call: string, kind: string): boolean {
  return question.call === call && "kind" in question && question.kind.kind === kind;
}

function foundIn({ answer }: RecordedRead): readonly KubeObject[] {
  if (answer.type === "list") return answer.items;
  return answer.type === "object" && answer.object !== undefined ? [answer.object] : [];
}
