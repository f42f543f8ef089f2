import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { ClusterResourceSet } from "../../../shared/api/clusterresourceset.ts";
import type { Condition } from "../../../shared/api/conditions.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import { titleOf } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { RemediationPolicy } from "../../../shared/api/remediation-policy.ts";
import { traitsOf } from "../../../shared/api/traits.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import { refusalOf } from "../../../shared/rules/machines/remediation-limits.ts";
import { refusedWrite } from "../../../shared/rules/metadata/refused-write.ts";
import { isOverdue, standstill } from "../../../shared/rules/rollout/standstill.ts";
import type { ObjectNode } from "./object-tree.ts";
import { type Finding, parted } from "./problem.ts";
import { refusalIn } from "./refusals.ts";
import { rolloutFactsOf } from "./rollout-facts.ts";

interface ObjectFacts {
  /** All that is known beside it. */
  readonly nodes: readonly ObjectNode[];
  readonly cluster: Cluster | undefined;
  readonly areKindsListed: boolean;
  readonly now: Date;
}

type Detect = (node: ObjectNode, facts: ObjectFacts) => readonly Finding[];

/** Returns everything that is wrong with one object by what snapshots say. */
export function problemsOfObject(node: ObjectNode, facts: ObjectFacts): readonly Finding[] {
  return DETECTORS.flatMap((detect) => detect(node, facts));
}

/** An object that a function makes beside what references it comes within this time. */
const MADE_WITHIN_MS = 30 * SECOND;
/** Controllers take their finalizers away, and write their first status, within this time. */
const GRACE_MS = 10 * SECOND;
/** A Cluster or Machine that is not as it must be for longer than this waits for a person. */
export const PROGRESS_MS = 10 * MINUTE;
/** A deletion drains Nodes one after the other. */
export const DELETION_MS = 60 * MINUTE;

function titleOfNode({ kind, key }: Pick<ObjectNode, "kind" | "key">): string {
  return titleOf(kind.kind, key);
}

/** Returns a finding about the object of a node; without an `id` no other is equal to it. */
function foundAt(
  node: ObjectNode,
  { about, ...finding }: Omit<Finding, "id" | "at" | "object"> & Partial<Pick<Finding, "id">>,
): Finding {
  const object = titleOfNode(node);
  return { about, id: object, at: node, object, ...finding };
}

function ageMs(time: string | undefined, now: Date): number {
  return now.getTime() - Date.parse(time ?? "");
}

/** A reference to nothing: to an object, to a kind that is not installed, or to one that the relay may not list. */
const reference: Detect = (node, { cluster, areKindsListed, now }) => {
  const { problem, definition, isRefused, namedBy } = node;
  if (problem === undefined) return [];
  const object = titleOfNode(node);
  const common = { at: node, object, severity: "broken" } as const;
  if (definition !== undefined && !areKindsListed) return [];
  if (definition !== undefined)
    return [
      { about: "definition", id: definition, definition, ...common, ...installed(problem, namedBy?.path) },
    ];
  if (isRefused === true) return [{ about: "list", id: problem, ...common, ...parted(problem) }];
  if (problem !== "does not exist" || namedBy === undefined) return [];
  const isMade =
    (namedBy.object.metadata.ownerReferences ?? []).length > 0 && namedBy.kind.kind === Machine.kind;
  if (isMade && !(ageMs(namedBy.object.metadata.creationTimestamp, now) > MADE_WITHIN_MS)) return [];
  return [{ about: "missing", id: object, ...common, ...missing(node, namedBy, cluster) }];
};

/** Returns the advice where the definition is missing, not its label. */
function installed(problem: string, path = "the reference"): Pick<Finding, "cause" | "next"> {
  const { cause, next } = parted(problem);
  if (!cause.endsWith("does not exist")) return { cause, next };
  const by = { "spec.infrastructureRef": "--infrastructure", "spec.controlPlaneRef": "--control-plane" };
  const option = Object.hasOwn(by, path) ? by[path as keyof typeof by] : "--infrastructure or --bootstrap";
  return {
    cause,
    next: `${next.replace("install the provider", `install the provider (clusterctl init ${option} NAME)`)}`,
  };
}

function missing(
  node: ObjectNode,
  { kind, object, path, near }: NonNullable<ObjectNode["namedBy"]>,
  cluster: Cluster | undefined,
): Pick<Finding, "cause" | "next"> {
  const named = titleOf(kind.kind, object.metadata);
  const wasThere =
    kind.kind === Cluster.kind &&
    (path === "spec.infrastructureRef"
      ? cluster?.status?.initialization?.infrastructureProvisioned === true
      : cluster?.status?.initialization?.controlPlaneInitialized === true);
  if (wasThere)
    return {
      cause: `${titleOfNode(node)} is gone, and ${named} still names it in ${path}`,
      next: `restore it, for example from a backup; until then its provider makes, changes and deletes nothing for ${named}`,
    };
  const meant = near.length === 0 ? "" : ` (there is ${near.join(", ")})`;
  return {
    cause: `${titleOfNode(node)} does not exist, and ${named} names it in ${path}`,
    next: `create it, or correct ${path}${meant}`,
  };
}

/** An object of a provider whose controller does not run. */
const provider: Detect = (node, { now }) => {
  const { kind, object } = node;
  if (object?.metadata.isSilent !== true || !(ageMs(object.metadata.creationTimestamp, now) > GRACE_MS))
    return [];
  const title = titleOfNode(node);
  const since = object.metadata.creationTimestamp;
  return [
    foundAt(node, {
      about: "provider",
      id: `${kind.group}/${kind.kind}`,
      cause: `nothing has written the status of ${title} since its creation at ${since}`,
      next: `start the controller of its provider (API group ${kind.group}), or read its log`,
      ...(since === undefined ? {} : { since }),
      severity: "broken",
    }),
  ];
};

const paused: Detect = (node, { cluster }) => {
  const { kind, object } = node;
  if (object === undefined) return [];
  const { annotations = {}, deletionTimestamp, pausedBy } = object.metadata;
  const isCluster = kind.kind === Cluster.kind && kind.group === Cluster.group;
  const bySpec = isCluster && valueAt(object, "spec.paused") === true;
  if (!bySpec && (!Object.hasOwn(annotations, PAUSED_ANNOTATION) || cluster?.spec.paused === true)) return [];
  const title = titleOfNode(node);
  const since = conditionIn(node, "Paused", "True")?.lastTransitionTime;
  const by = pausedBy === undefined ? "" : `, written by ${pausedBy}`;
  const when = since === undefined ? "" : ` since ${since}`;
  const how = bySpec ? "spec.paused" : `the annotation ${PAUSED_ANNOTATION}`;
  const kubectl = (verb: string) =>
    `kubectl --namespace ${node.key.namespace} ${verb} ${kind.kind.toLowerCase()} ${node.key.name}`;
  return [
    foundAt(node, {
      about: "paused",
      cause: `${title} is paused by ${how}${when}${by}${deletionTimestamp === undefined ? "" : ", so its deletion waits"}`,
      next: bySpec
        ? `unpause it: ${kubectl("patch")} --type=merge -p '{"spec":{"paused":false}}'`
        : `remove the annotation: ${kubectl("annotate")} ${PAUSED_ANNOTATION}-`,
      ...(since === undefined ? {} : { since }),
      severity: "held",
    }),
  ];
};

const refused: Detect = (node) => {
  const message = node.object && refusedWrite(node.object);
  if (message === undefined) return [];
  const object = titleOfNode(node);
  const refusal = refusalIn(message, node.key.namespace) ?? {
    object,
    cause: `the API server refuses to ${message}`,
    next: "correct what it names",
  };
  return [
    {
      about: "refused",
      id: refusal.cause,
      at: node,
      ...refusal,
      next: `${refusal.next}; ${object} tries again by itself`,
      severity: "broken",
    },
  ];
};

/** One of Kubernetes, of Cluster API, of Capstan, or of the provider of the kind. */
function isOfProvider(finalizer: string, group: string): boolean {
  const [domain = ""] = finalizer.split("/");
  if (!domain.includes(".")) return true;
  const own = group.split(".").slice(-2).join(".");
  return ["k8s.io", "kubernetes.io", "capstan.dev", own].some(
    (end) => domain === end || domain.endsWith(`.${end}`),
  );
}

const MAX_LEFT = 3;

const finalizer: Detect = (node, { nodes, now }) => {
  const { kind, object } = node;
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  if (deletionTimestamp === undefined || !(ageMs(deletionTimestamp, now) > GRACE_MS)) return [];
  const foreign = finalizers.filter((each) => !isOfProvider(each, kind.group));
  // As long as a controller of the object still works on its end, that comes first.
  if (foreign.length === 0 || foreign.length < finalizers.length) return [];
  const title = titleOfNode(node);
  const others = nodes.filter(
    (other) => other !== node && other.kind.kind !== Cluster.kind && other.object !== undefined,
  );
  const left =
    others.length === 0
      ? "all else of its Cluster is gone"
      : `beside it are left: ${listNames(others.map(titleOfNode), MAX_LEFT)}`;
  const isOfDeletion = nodes.some(
    ({ object: of }) => of?.kind === Cluster.kind && of.metadata.deletionTimestamp !== undefined,
  );
  return [
    foundAt(node, {
      about: "finalizer",
      id: `${title} ${foreign.join(" ")}`,
      cause: `${title} is being deleted since ${deletionTimestamp}, and the finalizer ${foreign.join(", ")} keeps it${isOfDeletion ? `; ${left}` : ""}`,
      next: `ask the owner of ${foreign.join(", ")} to finish and remove it; nothing of Capstan or its provider does`,
      since: deletionTimestamp,
      severity: "broken",
    }),
  ];
};

const drain: Detect = (node) => {
  if (node.kind.kind !== Machine.kind || node.object?.metadata.deletionTimestamp === undefined) return [];
  const deleting = conditionIn(node, "Deleting", "True");
  if (deleting?.reason !== "DrainingNode") return [];
  const lines = deleting.message.split("\n").filter((line) => /cannot evict pod|failed to evict/i.test(line));
  if (lines.length === 0) return [];
  const title = titleOfNode(node);
  return [
    foundAt(node, {
      about: "drain",
      id: lines.join(" "),
      cause: `${title} cannot be drained: ${lines.join(" ").replaceAll("* ", "")}`,
      next: "change the PodDisruptionBudget or move the Pod, or set spec.deletion.nodeDrainTimeoutSeconds of the Machine",
      since: deleting.lastTransitionTime,
      severity: "held",
    }),
  ];
};

/** A set whose versions forbid Machines waits for ever; other preflight checks pass by themselves. */
const version: Detect = (node) => {
  if (traitsOf(node.kind).workers === undefined) return [];
  const up = conditionIn(node, "ScalingUp", "True");
  const line = up?.message.split("\n").find((each) => /VersionSkew" preflight check failed/.test(each));
  if (up === undefined || line === undefined) return [];
  const title = titleOfNode(node);
  const isAhead = line.includes("higher than");
  return [
    foundAt(node, {
      about: "version",
      cause: `${title} makes no Machine: ${line.replace(/^\* /, "")}`,
      next: isAhead
        ? "upgrade the control plane first, or lower spec.template.spec.version"
        : "raise spec.template.spec.version of the set",
      since: up.lastTransitionTime,
      severity: "broken",
    }),
  ];
};

const health: Detect = (node) => {
  if (node.kind.kind !== MachineHealthCheck.kind) return [];
  const allowed = conditionIn(node, "RemediationAllowed", "False");
  const [, total, unhealthy, limit] =
    /\(total: (\d+), unhealthy: (\d+), (.*)\)$/.exec(allowed?.message ?? "") ?? [];
  if (allowed === undefined || unhealthy === "0") return [];
  const title = titleOfNode(node);
  return [
    foundAt(node, {
      about: "health",
      cause:
        total === undefined
          ? `${title} remediates nothing: ${parted(allowed.message).cause}`
          : `${title} holds remediation back: ${unhealthy} of ${total} Machines are unhealthy, and ${limit} is exceeded`,
      next:
        total === undefined
          ? parted(allowed.message).next
          : "repair the Nodes, or raise the limit in spec.remediation.triggerIf",
      since: allowed.lastTransitionTime,
      severity: "held",
    }),
  ];
};

/** A policy that lets a Machine of a failed health check wait. */
const policy: Detect = (node, { nodes, now }) => {
  const failed =
    node.kind.kind === Machine.kind ? conditionIn(node, "HealthCheckSucceeded", "False") : undefined;
  if (failed === undefined || node.object?.metadata.deletionTimestamp !== undefined) return [];
  return nodes.flatMap(({ kind, object, key }): readonly Finding[] => {
    if (kind.kind !== RemediationPolicy.kind || object === undefined) return [];
    const of = object as RemediationPolicy;
    const entries = of.status?.remediations ?? [];
    const machine = node.object as Machine;
    // Under way already: it is what the policy has let go.
    if (entries.some((entry) => entry.machine.uid === machine.metadata.uid && entry.endedAt === undefined))
      return [];
    // Whether most of a control plane is healthy, a hand-over asks live.
    const asked = { ...of, spec: { ...of.spec, controlPlaneQuorum: undefined } };
    const refusal = refusalOf({ policy: asked, entries, machine, controlPlane: [], now });
    if (refusal === undefined) return [];
    const title = titleOfNode(node);
    const until =
      refusal.untilMs === undefined ? "" : `, or wait until ${new Date(refusal.untilMs).toISOString()}`;
    return [
      foundAt(node, {
        about: "health",
        id: `${title} ${key.name}`,
        cause: `${title} is unhealthy since ${failed.lastTransitionTime}, and ${titleOf(kind.kind, key)} lets it wait: ${refusal.text}`,
        next: `repair or delete the Machine, raise the limit of the policy${until}`,
        since: failed.lastTransitionTime,
        severity: "held",
      }),
    ];
  });
};

/** A rollout that has stood still for ten minutes, and that no person holds. */
const rollout: Detect = (node, { now }) => {
  const facts = rolloutFactsOf(node, now);
  const found = facts && standstill(facts);
  if (found === undefined || !isOverdue(found, now)) return [];
  const title = titleOfNode(node);
  return [
    foundAt(node, {
      about: "rollout",
      cause: `the rollout of ${title} stands still since ${found.since}: ${found.cause}`,
      next: found.next,
      ...(found.since === undefined ? {} : { since: found.since }),
      severity: "broken",
    }),
  ];
};

/** A set of resources whose values are missing, malformed or refused; a server that is away is not its problem. */
const resources: Detect = (node) => {
  const failed =
    node.kind.kind === ClusterResourceSet.kind ? conditionIn(node, "ResourcesApplied", "False") : undefined;
  if (failed === undefined || failed.reason === "InternalError") return [];
  const title = titleOfNode(node);
  return [
    foundAt(node, {
      about: "resources",
      cause: `${title} is applied to ${failed.message}`,
      next: "create or correct what it names; the set tries again by itself",
      since: failed.lastTransitionTime,
      severity: "broken",
    }),
  ];
};

/** The condition that says whether an object is as it must be. */
const STATE_OF: { readonly [kind: string]: string } = {
  [Cluster.kind]: "Available",
  [Machine.kind]: "Ready",
};

/** Nothing else says what is wrong with it, and it has lasted for long. */
const waiting: Detect = (node, { now }) => {
  const { kind, object } = node;
  const { deletionTimestamp, finalizers = [] } = object?.metadata ?? {};
  const title = titleOfNode(node);
  const found = (id: string, cause: string, next: string, since: string): readonly Finding[] => [
    foundAt(node, { about: "waiting", id, cause, next, since, severity: "broken" }),
  ];
  if (deletionTimestamp !== undefined) {
    if (!(ageMs(deletionTimestamp, now) > DELETION_MS)) return [];
    const message = conditionIn(node, "Deleting", "True")?.message;
    const why = message === undefined ? `the finalizer ${finalizers.join(", ")} keeps it` : inLine(message);
    const next = message === undefined ? `read the log of the controller of API group ${kind.group}` : NAMED;
    return found(
      title,
      `${title} is being deleted since ${deletionTimestamp}: ${why}`,
      next,
      deletionTimestamp,
    );
  }
  const type = STATE_OF[kind.kind];
  const state = type && (conditionIn(node, type, "False") ?? conditionIn(node, type, "Unknown"));
  if (!state || !(ageMs(state.lastTransitionTime, now) > PROGRESS_MS)) return [];
  const { message, reason, lastTransitionTime: since } = state;
  const why = message === "" ? reason : inLine(message);
  const cause = `${title} is not ${type.toLowerCase()} since ${since}: ${why}`;
  return found(`${kind.kind} ${message}`, cause, NAMED, since);
};

const NAMED = "look at what it names";

function inLine(message: string): string {
  return message.replaceAll("* ", "").replaceAll(/\s*\n\s*/g, ", ");
}

const DETECTORS: readonly Detect[] = [
  reference,
  provider,
  paused,
  refused,
  finalizer,
  drain,
  version,
  rollout,
  health,
  policy,
  resources,
  waiting,
];

/** Conditions of providers are foreign data. */
function conditionIn({ object }: ObjectNode, type: string, status: string): Condition | undefined {
  const conditions = object && valueAt(object, "status.conditions");
  const found: unknown = (Array.isArray(conditions) ? conditions : []).find(
    (one: unknown) => valueAt(one, "type") === type && valueAt(one, "status") === status,
  );
  return typeof valueAt(found, "message") === "string" &&
    typeof valueAt(found, "lastTransitionTime") === "string"
    ? (found as Condition)
    : undefined;
}
