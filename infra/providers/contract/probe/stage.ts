import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { clusterIn } from "../../../../shared/contract/rules/probe/life-views.ts";
import type { Snapshot } from "../../../../shared/contract/rules/probe/subject.ts";
import type { ManifestObject } from "./manifest.ts";
import { change, type Scratch } from "./scratch.ts";
import { LifeEnded, type Watcher, type WatchLimits } from "./watcher.ts";

/** A field that a provider acts on. */
export interface Mutation {
  /** `spec.size` */
  readonly path: string;
  readonly value: unknown;
}

export interface LifeOptions extends WatchLimits {
  /** The change of a field beside the replicas of the MachinePool. */
  readonly mutation: Mutation | undefined;
  /** Called at each step. */
  readonly note: (text: string) => void;
}

/** Where a life is played. */
export interface Stage {
  readonly scratch: Scratch;
  readonly options: LifeOptions;
  readonly watcher: Watcher;
  readonly manifest: readonly ManifestObject[];
  /** The snapshot once everything was provisioned. */
  readonly provisioned: Snapshot;
  /** Waits until nothing changes, and keeps what it was like. */
  quiet(): Promise<Snapshot>;
}

export function clusterOn({ provisioned }: Stage): KubeObject {
  const cluster = clusterIn(provisioned);
  if (cluster === undefined) throw new LifeEnded("the manifest has no Cluster");
  return cluster;
}

export function setPaused(stage: Stage, paused: boolean): Promise<void> {
  const path = "/spec/paused";
  // Absent and false are the same; a core may drop the default.
  return change(stage.scratch, clusterOn(stage), [{ op: "add", path, value: paused }]);
}

export function setReplicas({ scratch }: Stage, pool: KubeObject, replicas: number): Promise<void> {
  return change(scratch, pool, [{ op: "add", path: "/spec/replicas", value: replicas }]);
}
