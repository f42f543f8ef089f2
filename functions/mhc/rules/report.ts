import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { StepContext } from "../../../shared/function/define-function.ts";
import { isDeleting, pausedBy, readCluster } from "../../../shared/function/guards.ts";
import type { HealthReport } from "../../../shared/function/health-report.ts";
import type { Reader } from "../../../shared/function/reads.ts";
import { conditionOf, timestamp } from "../../../shared/rules/conditions/conditions.ts";
import { binding, type Permission, permissionFor } from "./binding.ts";
import { type HandOver, handOver } from "./hand-over.ts";
import { type Judged, judge } from "./judge.ts";
import { budgetOf, limitOf } from "./limit.ts";
import { type Answered, answered, readAbsent, readForHandOver } from "./live-reads.ts";
import { refusedUntilMs } from "./notices.ts";
import { overlapText } from "./overlap.ts";
import { type Occupant, usesPlace } from "./places.ts";
import { readScene, readUnseenScene, type Scene } from "./reads.ts";
import { type Planned, reportTarget } from "./report-target.ts";
import {
  occupantsOf,
  type RequestKind,
  type Requests,
  readRequestKind,
  readRequests,
} from "./request-reads.ts";

/** The statuses that Kubernetes writes. */
const STATUSES: ReadonlySet<string> = new Set(["True", "False", "Unknown"]);

/**
 * Says what a health check knows of each target and what its hand-over waits for, by the rules that decide it, also
 * while it is paused or the workload cluster is away.
 */
export async function reportCheck(
  check: MachineHealthCheck,
  { read, now }: StepContext,
): Promise<HealthReport> {
  const cluster = await readCluster(read, check);
  if (cluster === undefined) return unjudged(`Cluster ${check.spec.clusterName} does not exist`);
  const seen = await readScene(read, check, cluster);
  const isUnseen = seen === "unseen";
  const scene = isUnseen ? await readUnseenScene(read, check, cluster) : seen;
  if ("problem" in scene) return unjudged(scene.problem);
  const pause = pausedBy(cluster, check);
  const held = pause === undefined ? undefined : `it waits for ${pause}`;
  const view = await look(read, scene, isUnseen, now);
  const obstacle = isUnseen ? obstacleOf("Nodes", "the workload cluster does not show its Nodes") : undefined;
  const planned =
    (held === undefined ? obstacle : obstacleOf("pause", held)) ?? (await planOf(read, scene, view, now));
  const facts = { scene, requests: view.requests ?? new Map(), planned, now };
  const overlap = overlapText(scene);
  const remarks = remarksOf(scene);
  return {
    ...(held === undefined ? {} : { held }),
    ...(remarks.length === 0 ? {} : { remarks }),
    ...(overlap === undefined ? {} : { overlap }),
    nodes: isUnseen ? "unseen" : seenNodes(scene),
    counts: countsOf(view.judged),
    limit: isUnseen ? storedLimit(check, view, now) : limitReport(check, view, now),
    ...waitingOf(view.judged, planned),
    targets: view.judged.map((one) => reportTarget(facts, one)),
  };
}

/**
 * Names the conditions of Nodes that a health check looks for and none of its Nodes has, so that they never fail: a type
 * that all of them lack, or a status that Kubernetes does not know. Admission takes both.
 */
export function remarksOf({ check, nodes = new Map() }: Pick<Scene, "check" | "nodes">): readonly string[] {
  const seen = [...nodes.values()].map(({ status }) => status?.conditions ?? []);
  return (check.spec.checks?.unhealthyNodeConditions ?? []).flatMap(({ type, status }, index) => {
    const field = `spec.checks.unhealthyNodeConditions[${index}]`;
    const found = seen.flatMap((conditions) => conditions.filter((one) => one.type === type));
    if (seen.length > 0 && found.length === 0) {
      return [`${field}: no Node of its targets has a condition ${type}, so it never fails`];
    }
    if (STATUSES.has(status) || found.some((one) => one.status === status)) return [];
    return [
      `${field}: no Node has the status "${status}", so it never fails; a condition of a Node is True, False or Unknown`,
    ];
  });
}

function seenNodes({ nodes }: Scene): HealthReport["nodes"] {
  return nodes === undefined ? "unneeded" : "seen";
}

function unjudged(held: string): HealthReport {
  return { held, nodes: "unneeded", counts: countsOf([]), targets: [] };
}

function obstacleOf(because: string, text: string): Planned {
  return { chosen: new Set(), waits: { because, text } };
}

/** Everything that is known before a server is asked for a hand-over. */
interface View {
  readonly judged: readonly Judged[];
  readonly occupants: readonly Occupant[];
  readonly requestKind: RequestKind;
  readonly requests: Requests | undefined;
  /** The words of a server that does not answer. */
  readonly unreadable?: string;
}

async function look(read: Reader, scene: Scene, isUnseen: boolean, now: Date): Promise<View> {
  const absent: Answered<ReadonlySet<string>> = isUnseen
    ? { answer: new Set<string>() }
    : await readAbsent(read, scene);
  const judged = judge(scene, (name) => "answer" in absent && absent.answer.has(name), now);
  const requestKind = await readRequestKind(read, scene.check);
  const known = await answered(() => readRequests(read, scene.check, requestKind));
  const requests = "answer" in known ? known.answer : undefined;
  const [unreadable] = [absent, known].flatMap((asked) => ("unreadable" in asked ? [asked.unreadable] : []));
  const occupants = occupantsOf(judged, requests);
  return { judged, occupants, requestKind, requests, ...(unreadable === undefined ? {} : { unreadable }) };
}

/** Plans as the functions do: snapshots say whether it is worth asking the servers, and the servers decide. */
async function planOf(read: Reader, { check }: Scene, view: View, now: Date): Promise<Planned> {
  const { occupants, requestKind, unreadable } = view;
  if (isDeleting(check)) return obstacleOf("deletion", "the health check is being deleted");
  if (unreadable !== undefined) return obstacleOf("live read", unreadable);
  const bound = await binding.of(read, check);
  const isBound = bound !== undefined;
  const plan = handOver({ check, occupants, isBound, now });
  if (plan.chosen.length === 0) return plannedBy(plan);
  const live = await readForHandOver(read, check, { requestKind, now });
  if ("unreadable" in live) return obstacleOf("live read", live.unreadable);
  if (live.answer === "changed") return obstacleOf("live read", "the server has another health check");
  const decided = handOver({ check, occupants: live.answer.occupants, isBound, now });
  const asked = await answered(() => permissionFor(bound, { chosen: decided.chosen, now }));
  if ("unreadable" in asked) return obstacleOf("live read", asked.unreadable);
  return permitted(decided, asked.answer);
}

/** The bond of the health check has the last word about those that the limit lets go. */
function permitted(decided: HandOver, { allowed, refused }: Permission): Planned {
  const [first] = refused;
  const texts = refused.map(({ machine, by }) => [machine.metadata.name, by] as const);
  const waits = first && { because: "policy", text: `${first.by}: ${first.text}` };
  return {
    ...plannedBy({ ...decided, chosen: allowed }),
    ...(decided.waits === undefined && waits !== undefined
      ? { waits, againAtMs: refusedUntilMs(refused) }
      : {}),
    refused: new Map(texts),
  };
}

function plannedBy({ chosen, waits, againAtMs }: HandOver): Planned {
  return { chosen: new Set(chosen.map(({ metadata }) => metadata.name)), waits, againAtMs };
}

function countsOf(judged: readonly Judged[]): HealthReport["counts"] {
  const count = (is: keyof HealthReport["counts"]) =>
    judged.filter(({ verdict }) => verdict.is === is).length;
  return {
    healthy: count("healthy"),
    pending: count("pending"),
    unhealthy: count("unhealthy"),
    neither: count("neither"),
    unknown: count("unknown"),
  };
}

/**
 * Returns the limit as the status has it: while Nodes are not visible, each target is unknown, which says nothing of
 * it. Places are those that targets use whatever their Nodes are.
 */
function storedLimit(
  check: MachineHealthCheck,
  { occupants }: View,
  now: Date,
): NonNullable<HealthReport["limit"]> {
  const stored = conditionOf(check.status?.conditions, "RemediationAllowed");
  const isAllowed = stored?.status !== "False";
  const healthy = occupants.map((occupant) => ({ ...occupant, verdict: { is: "healthy" } as const }));
  return {
    isAllowed,
    ...(isAllowed ? {} : { message: stored.message }),
    used: healthy.filter((occupant) => usesPlace(check, occupant, now)).length,
    isStored: true,
  };
}

function limitReport(
  check: MachineHealthCheck,
  { occupants }: View,
  now: Date,
): NonNullable<HealthReport["limit"]> {
  const limit = limitOf(check, occupants.length);
  const verdicts = occupants.map(({ verdict }) => verdict);
  const { isAllowed, message } = budgetOf(check, verdicts);
  const isBounded = !("problem" in limit) && !limit.isNone;
  return {
    isAllowed,
    ...(isAllowed ? {} : { message }),
    used: occupants.filter((occupant) => usesPlace(check, occupant, now)).length,
    ...(isBounded ? { places: limit.upper } : {}),
  };
}

/** Says what is waited for, only while some target needs it. */
function waitingOf(judged: readonly Judged[], { waits, againAtMs }: Planned): Pick<HealthReport, "handOver"> {
  if (waits === undefined || !judged.some(({ verdict }) => verdict.is === "unhealthy")) return {};
  const { because, text } = waits;
  return {
    handOver: {
      because,
      text,
      ...(againAtMs === undefined ? {} : { until: timestamp(new Date(againAtMs)) }),
    },
  };
}
