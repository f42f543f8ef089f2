import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { clusterOwners, isOwnedByName } from "./adoption.ts";
import type { Descendants } from "./descendants.ts";
import { type ProviderRole, referenceOf } from "./providers.ts";

/** Set by Cluster API's topology controller when its hooks allow the deletion. */
const OK_TO_DELETE_ANNOTATION = "runtime.cluster.x-k8s.io/ok-to-delete";
/** The field of a Cluster that `hookStage` reads. */
export const HOOK_FIELDS = [`metadata.annotations[${OK_TO_DELETE_ANNOTATION}]`] as const;

/**
 * Where the deletion of a Cluster stands, in the order of the stages. `reason` and `message` are those of the
 * condition `Deleting`; `remove` are the objects to delete now.
 */
export interface DeletionStage {
  readonly reason:
    | "WaitingForBeforeDeleteHook"
    | "InternalError"
    | "WaitingForWorkersDeletion"
    | "WaitingForControlPlaneDeletion"
    | "WaitingForInfrastructureDeletion"
    | "DeletionCompleted";
  readonly message: string;
  readonly remove: readonly ObjectToDelete[];
  /** One of its objects is being deleted already. */
  readonly isGoing: boolean;
  /** The field whose change brings the next stage, as `Kind.path`. */
  readonly awaits: string;
}

/** An object to delete, as the kind it was read as. */
interface ObjectToDelete {
  readonly kind: Kind;
  readonly object: KubeObject;
}

/** A provider object as the deletion sees it. */
/** The referenced object; `undefined`: the Cluster has no such reference. */
export interface ProviderToDelete {
  readonly provider: Referenced | undefined;
  /**
   * Another Cluster that exists and references the object: it is left to that one.
   * Differs: upstream the first deletion takes it from the other.
   */
  readonly sharedWith: Cluster | undefined;
}

/** Facts beside the descendants that decide about the stage. */
export interface DeletionFacts {
  readonly controlPlane: ProviderToDelete;
  readonly infrastructure: ProviderToDelete;
  /** Cluster API's topology controller may run here (`readTopologyRuns`). */
  readonly topologyRuns: boolean;
}

/**
 * The stage that a deletion is in: workers, control plane object, infra object, done. The step that deletes reads the
 * parts live, one after the other, and asks `hookStage`, `workersStage` and `providerStage` itself.
 */
export function clusterDeletion(
  cluster: Cluster,
  descendants: readonly Descendants[],
  { controlPlane, infrastructure, topologyRuns }: DeletionFacts,
): DeletionStage {
  return (
    hookStage(cluster, topologyRuns) ??
    workersStage(cluster, descendants) ??
    providerStage(cluster, "controlPlane", controlPlane) ??
    providerStage(cluster, "infrastructure", infrastructure) ??
    COMPLETED
  );
}

/**
 * Whether a stage that snapshots show has to run its course: everything of it that must be deleted is going. An object
 * that is going stays so, so that no live read can say anything else.
 */
export function runsItsCourse({ isGoing, remove }: DeletionStage): boolean {
  return isGoing && remove.length === 0;
}

export const COMPLETED: DeletionStage = {
  reason: "DeletionCompleted",
  message: "Deletion completed",
  remove: [],
  isGoing: false,
  awaits: "Cluster.metadata.uid",
};

/** Differs: the hook is waited for only where a topology controller runs, which calls it. */
export function hookStage({ metadata, spec }: Cluster, topologyRuns: boolean): DeletionStage | undefined {
  if (spec.topology === undefined || !topologyRuns) return undefined;
  if (Object.hasOwn(metadata.annotations ?? {}, OK_TO_DELETE_ANNOTATION)) {
    return undefined;
  }
  return {
    reason: "WaitingForBeforeDeleteHook",
    message: "Waiting for BeforeClusterDelete hook",
    remove: [],
    isGoing: false,
    awaits: "Cluster.metadata.annotations",
  };
}

interface Pending {
  readonly kind: Kind;
  readonly label: string;
  readonly deleteOrder: number;
  readonly objects: readonly KubeObject[];
}

/** Control plane Machines go behind all workers. */
const LAST = Number.POSITIVE_INFINITY;

/**
 * All descendants are waited for, owned or not; direct children are deleted, those that are going already are left.
 * With a controlPlaneRef the control plane Machines are its provider's business.
 */
export function workersStage(
  cluster: Cluster,
  descendants: readonly Descendants[],
): DeletionStage | undefined {
  const workers: readonly Pending[] = descendants.map(({ of, objects }) => ({
    kind: of.kind,
    label: of.label,
    deleteOrder: of.deleteOrder,
    objects: of.controlPlaneLabel === undefined ? objects : objects.filter((m) => !isControlPlaneMachine(m)),
  }));
  const controlPlane: readonly Pending[] = descendants.flatMap(({ of, objects }) =>
    of.controlPlaneLabel === undefined || cluster.spec.controlPlaneRef !== undefined
      ? []
      : [
          {
            kind: of.kind,
            label: of.controlPlaneLabel,
            deleteOrder: LAST,
            objects: objects.filter(isControlPlaneMachine),
          },
        ],
  );
  const pending = [...controlPlane, ...workers].filter(({ objects }) => objects.length > 0);
  if (pending.length === 0) return undefined;
  return {
    reason: "WaitingForWorkersDeletion",
    message: pending.map(pendingLine).join("\n"),
    awaits: `${pending.map(({ kind }) => kind.kind).join(", ")}.metadata.uid`,
    isGoing: pending.some(({ objects }) => objects.some(isDeleting)),
    remove: pending
      .toSorted((a, b) => a.deleteOrder - b.deleteOrder)
      .flatMap(({ kind, objects }) => objects.map((object) => ({ kind, object })))
      .filter(({ object }) => isOwnedByName(object, cluster) && !isDeleting(object)),
  };
}

const MAX_NAMES = 5;

function pendingLine({ label, objects }: Pending): string {
  const names = objects.map((object) => object.metadata.name).sort(compareText);
  return `* ${label}: ${listNames(names, MAX_NAMES)}`;
}

/**
 * Returns `undefined` once the object is gone, or counts as gone: it never existed, its CRD is gone (Differs:
 * upstream blocks for ever), or it is left to another Cluster.
 */
export function providerStage(
  cluster: Cluster,
  role: ProviderRole,
  { provider, sharedWith }: ProviderToDelete,
): DeletionStage | undefined {
  const reference = referenceOf(cluster, role);
  if (reference === undefined || provider === undefined || sharedWith !== undefined) return undefined;
  if (provider.state === "missing") return undefined;
  if (provider.state === "unresolved") {
    if (!provider.crdExists) return undefined;
    const awaits = awaitedDefinition(provider, reference);
    return { reason: "InternalError", message: provider.message, remove: [], isGoing: false, awaits };
  }
  return {
    reason: role === "controlPlane" ? "WaitingForControlPlaneDeletion" : "WaitingForInfrastructureDeletion",
    message: `Waiting for ${provider.object.kind} to be deleted`,
    awaits: `${provider.object.kind}.metadata.uid`,
    isGoing: isDeleting(provider.object),
    remove: isDeleting(provider.object) ? [] : [{ kind: provider.kind, object: provider.object }],
  };
}

/** Names of other Clusters among the owners of an object; whether they still reference it has to be read. */
export function otherClusterNames(cluster: Cluster, provider: Referenced | undefined): readonly string[] {
  if (provider?.state !== "found") return [];
  return clusterOwners(provider.object)
    .map((owner) => owner.name)
    .filter((name) => name !== cluster.metadata.name);
}

/** Whether `other` references the object that `cluster` references in the same role. */
export function sharesProvider(cluster: Cluster, other: Cluster, role: ProviderRole): boolean {
  const [mine, theirs] = [referenceOf(cluster, role), referenceOf(other, role)];
  return (
    mine !== undefined &&
    theirs !== undefined &&
    mine.apiGroup === theirs.apiGroup &&
    mine.kind === theirs.kind &&
    mine.name === theirs.name
  );
}
