import type { ContractVersion, KubeObject } from "../../../api/kinds.ts";
import type { ContractRole } from "../crd/contract-kinds.ts";
import type { Rule } from "../rule.ts";

/** Every object of the namespace at one moment, by `Kind name`. No value of a Secret is in it. */
export type Snapshot = ReadonlyMap<string, KubeObject>;

/** Uids of the Nodes of the workload cluster by their provider IDs; undefined: it did not answer. */
export type WorkloadNodes = ReadonlyMap<string, string> | undefined;

/** One pause of the life. */
export interface PauseTrial {
  readonly by: "Cluster" | "annotation";
  /** Titles of the objects that the pause is for. */
  readonly targets: ReadonlySet<string>;
  /** The snapshot once everything rests, and 10 s after the change that must not be acted on. */
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Titles of objects whose condition Paused became True, for the generation that they had. */
  readonly saidPaused: ReadonlySet<string>;
  /** Titles of objects whose condition Paused became False after the end of the pause. */
  readonly saidResumed: ReadonlySet<string>;
  /** Changes during the pause, by title: each of a field that the provider of the object acts on. */
  readonly changes: ReadonlyMap<string, PausedChange>;
}

interface PausedChange {
  /** `spec.replicas of the MachinePool` */
  readonly what: string;
  /** Whether it was acted on once the pause was over, within the limit. */
  readonly actedOn: boolean;
}

export interface ScaleTrial {
  readonly replicas: number;
  /** The pool followed within the limit. */
  readonly settled: boolean;
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly nodes: WorkloadNodes;
}

/** Answers to a server-side apply of a template with one changed value, which a new template may have. */
export interface TemplateTrial {
  /** Path of the value. */
  readonly path: string;
  /** Refusal of a dry run with the annotation of the topology. */
  readonly dryRun: string | undefined;
  /** Refusal of a dry run without it: the template is immutable. */
  readonly withoutAnnotation: string | undefined;
  /** An immutable template was changed for good, because the change had the annotation. */
  readonly isOpen: boolean;
}

/** A new label in the Machine template of a control plane. */
export interface LabelTrial {
  readonly key: string;
  readonly before: Snapshot;
  /** The snapshot once each Machine had it, or the limit was over. */
  readonly after: Snapshot;
}

/** An InfraCluster with the annotation `cluster.x-k8s.io/managed-by`, of a Cluster of its own. */
export interface ManagedTrial {
  /** Fields that its provider has written, once core had made the Cluster its owner. */
  readonly written: readonly string[];
}

/** Claims of addresses of one pool, made while the Cluster was paused. */
export interface ClaimTrial {
  /** Fields and objects that were written for a claim of the paused Cluster. */
  readonly paused: readonly string[];
  /** The same for a claim of a Cluster that does not exist. */
  readonly missing: readonly string[];
  /** Whether after the pause the claim of the Cluster got its address within the limit. */
  readonly isServed: boolean;
}

/** The recorded life of a Cluster. A step that was not reached is undefined or empty. */
export interface Life {
  /** The newest look while everything was provisioned, or before. */
  readonly provisioned: Snapshot;
  /** Titles of objects that said they were provisioned or initialized while the Cluster had no endpoint. */
  readonly readyWithoutEndpoint: ReadonlySet<string>;
  readonly scaled: readonly ScaleTrial[];
  readonly pauses: readonly PauseTrial[];
  /** The trials by the title of a control plane. */
  readonly labelled: ReadonlyMap<string, LabelTrial>;
  /** Undefined where core did not adopt the object. */
  readonly managed: ManagedTrial | undefined;
  /** The trials by the title of a pool of addresses. */
  readonly claims: ReadonlyMap<string, ClaimTrial>;
  /** The trials by the title of a template. */
  readonly templates: ReadonlyMap<string, TemplateTrial>;
  readonly wiped: WipeTrial | undefined;
  /** Titles of objects that were still there at the end of the limit, with their finalizers. */
  readonly left: ReadonlyMap<string, readonly string[]> | undefined;
  /** Titles of objects that outlived an owner of core's, with the title of that owner. */
  readonly outlived: ReadonlyMap<string, string>;
  /** Snapshots of a living Cluster at rest, in order. */
  readonly snapshots: readonly Snapshot[];
  /** The versions of each object, by title, whenever its metadata had changed, in order. */
  readonly seen: ReadonlyMap<string, readonly KubeObject[]>;
}

/** A trial, with the objects before and after every status was replaced by an empty one. */
export interface WipeTrial {
  readonly before: Snapshot;
  readonly after: Snapshot;
  readonly nodesBefore: WorkloadNodes;
  readonly nodesAfter: WorkloadNodes;
}

/** A provider object in the life of its Cluster (A4). */
export interface ProbeSubject {
  readonly title: string;
  readonly role: ContractRole;
  readonly contract: ContractVersion;
  readonly life: Life;
}

export type ProbeRule = Rule<ProbeSubject>;
export type ProbeCheck = ProbeRule["check"];

/** Returns `Kind name`: every object of a life is in one namespace. */
export function titleOf({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.name}`;
}
