import type { ContractVersion, KubeObject } from "../../../api/kinds.ts";
import type { ContractRole } from "../crd/contract-kinds.ts";
import type { Rule } from "../rule.ts";

/** Every object of the namespace at one moment, by `Kind name`. No value of a Secret is in it. */
export type Snapshot = ReadonlyMap<string, KubeObject>;

/** One pause of the life. */
export interface PauseTrial {
  readonly by: "Cluster" | "annotation";
  /** Titles of the objects that the pause is for. */
  readonly targets: ReadonlySet<string>;
  /** Once everything rests, and 10 s after the change that must not be acted on. */
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Titles of objects whose condition Paused became True, for the generation that they had. */
  readonly saidPaused: ReadonlySet<string>;
  /** After the end of the pause: titles of objects whose condition Paused became False. */
  readonly saidResumed: ReadonlySet<string>;
}

export interface ScaleTrial {
  readonly replicas: number;
  /** The pool followed within the limit. */
  readonly settled: boolean;
  readonly before: Snapshot;
  readonly after: Snapshot;
  /** Provider IDs of the Nodes of the workload cluster; undefined: it did not answer. */
  readonly nodes: ReadonlySet<string> | undefined;
}

/** The recorded life of a Cluster. A step that was not reached is undefined or empty. */
export interface Life {
  readonly scaled: readonly ScaleTrial[];
  readonly pauses: readonly PauseTrial[];
  /** By the title of a template: why a dry run of the topology was refused; null: it was accepted. */
  readonly dryRuns: ReadonlyMap<string, string | null>;
  readonly wiped: { readonly before: Snapshot; readonly after: Snapshot } | undefined;
  /** Titles of objects that were still there at the end of the limit, with their finalizers. */
  readonly left: ReadonlyMap<string, readonly string[]> | undefined;
  /** Snapshots of a living Cluster at rest, in order. */
  readonly snapshots: readonly Snapshot[];
  /** By title: what each object was like whenever its metadata had changed, in order. */
  readonly seen: ReadonlyMap<string, readonly KubeObject[]>;
}

/** A provider object in the life of its Cluster (A4). */
export interface ProbeSubject {
  readonly title: string;
  readonly role: ContractRole;
  readonly contract: ContractVersion;
  readonly life: Life;
}

export type ProbeRule = Rule<ProbeSubject>;

export function titleOf({ kind, metadata }: Pick<KubeObject, "kind" | "metadata">): string {
  return `${kind} ${metadata.name}`;
}
