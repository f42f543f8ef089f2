import { readdirSync, readFileSync } from "node:fs";
import type {
  Change,
  PlanSet,
  PlanSpec,
  RolloutFields,
  SetCounts,
} from "../../shared/rules/rollout/plan-types.ts";
import { templateNamed } from "./plan-sets.ts";
import { inShared } from "./shared.ts";

/** The folder with Cluster API's rollouts as data; its README says what the members mean. */
export const ROLLOUTS = "data/rollouts";

interface Template {
  readonly version?: string;
  readonly infra: string;
  readonly config?: string;
  readonly dataSecret?: string;
  readonly failureDomain?: string;
}

/** A random situation, and what Cluster API's planner plans for it. */
export interface PlanVector {
  readonly id: string;
  readonly replicas: number;
  readonly strategy: PlanSpec["strategy"];
  readonly maxSurge?: number | string;
  readonly maxUnavailable?: number | string;
  readonly paused?: boolean;
  /** Seconds. */
  readonly after?: number;
  /** Seconds. */
  readonly now: number;
  readonly template: Template;
  readonly sets: readonly {
    readonly name: string;
    readonly createdAt: number;
    readonly template: Template;
    readonly replicas: number;
    readonly status?: Omit<SetCounts, "observed">;
    readonly revision?: string;
    readonly history?: string;
  }[];
  readonly out: {
    readonly current?: string;
    readonly create?: boolean;
    readonly old: readonly string[];
    readonly replicas: { readonly [set: string]: number };
    readonly revision?: string;
    readonly history?: string;
    readonly maxReplicas?: string;
    readonly complete?: boolean;
    readonly remove?: readonly string[];
    /** Another plan that is right. */
    readonly alternative?: { readonly [set: string]: number };
  };
  /** Sets of equal size and age: any of them may get the difference. */
  readonly tie?: readonly string[];
}

export function planVectors(): readonly PlanVector[] {
  return read<readonly PlanVector[]>("vectors-plan.json");
}

export interface LoggedSet {
  readonly set: string;
  readonly template: string;
  readonly replicas: number;
  readonly status: Omit<SetCounts, "observed">;
  readonly machines: readonly string[];
}

export interface DeploymentStep {
  readonly by: "deployment";
  readonly before: readonly LoggedSet[];
  readonly after: { readonly [set: string]: number };
  readonly creates?: string;
}

export type LoggedStep =
  | DeploymentStep
  | {
      readonly by: "set";
      readonly set: string;
      readonly created?: readonly string[];
      readonly deleted?: readonly string[];
    }
  | { readonly by: "user"; readonly deletes: string }
  | { readonly by: "machine"; readonly machine: string };

/** Every step of one rollout. */
export interface RolloutLog {
  readonly id: string;
  readonly strategy: PlanSpec["strategy"];
  readonly maxSurge?: number;
  readonly maxUnavailable?: number;
  readonly order: "fixed" | "random";
  readonly gate?: string;
  readonly deployment: { readonly replicas: number; readonly template: string };
  readonly start: readonly LoggedSet[];
  readonly end: readonly LoggedSet[];
  readonly steps: readonly LoggedStep[];
}

/** Returns the logs of rollouts that replace Machines; those of the alpha gate of in-place updates are left out. */
export function rolloutLogs(): readonly RolloutLog[] {
  return readdirSync(inShared(ROLLOUTS))
    .filter((name) => /^(?:regular|ondelete)-.*\.json$/.test(name))
    .map((name) => read<RolloutLog>(name))
    .filter(({ gate }) => gate === undefined);
}

function read<T>(name: string): T {
  return JSON.parse(readFileSync(inShared(`${ROLLOUTS}/${name}`), "utf8")) as T;
}

/** Returns the sizes of all sets after the changes of a plan; `made` is the name of the set that is made. */
export function sizesAfter(
  sets: readonly Pick<PlanSet, "name" | "replicas">[],
  changes: readonly Change[],
  made = "not logged",
): { readonly [set: string]: number } {
  const sizes = new Map(sets.map(({ name, replicas }) => [name, replicas]));
  for (const change of changes) {
    if (change.do === "create") sizes.set(made, change.replicas);
    if (change.do === "resize") sizes.set(change.set, change.to);
  }
  return Object.fromEntries(sizes);
}

/** Returns the wish of a vector. */
export function specOf(vector: PlanVector): PlanSpec {
  const { replicas, strategy, maxSurge, maxUnavailable, paused = false, after, template } = vector;
  return {
    ...{ replicas, strategy, maxSurge, maxUnavailable, paused },
    after: after === undefined ? undefined : after * 1000,
    rollout: rolloutOf(template),
  };
}

/** Returns the sets of a vector, every one taken as observed. */
export function setsOf({ sets, replicas }: PlanVector): readonly PlanSet[] {
  return sets.map(({ createdAt, template, status, ...set }) => ({
    ...set,
    createdAt: createdAt * 1000,
    deleting: false,
    rollout: rolloutOf(template),
    status: { replicas: 0, available: 0, upToDate: 0, ...status, observed: true },
    desired: String(replicas),
  }));
}

/** Returns the wish of a logged deployment. */
export function loggedSpec({ strategy, maxSurge, maxUnavailable, deployment }: RolloutLog): PlanSpec {
  const rollout = templateNamed(deployment.template);
  return { replicas: deployment.replicas, strategy, paused: false, maxSurge, maxUnavailable, rollout };
}

/** Returns logged sets, which are in the order of their age. */
export function loggedSets(sets: readonly LoggedSet[]): readonly PlanSet[] {
  return sets.map(({ set, template, replicas, status }, age) => ({
    ...{ name: set, replicas, deleting: false, createdAt: age, rollout: templateNamed(template) },
    status: { ...status, observed: true },
  }));
}

function rolloutOf({ version, infra, config, dataSecret, failureDomain }: Template): RolloutFields {
  const reference = (kind: string, name: string) => ({ apiGroup: "foo.cluster.x-k8s.io", kind, name });
  return {
    version,
    failureDomain,
    infrastructureRef: reference("FooMachineTemplate", infra),
    bootstrap: {
      ...(dataSecret === undefined ? {} : { dataSecretName: dataSecret }),
      ...(config === undefined ? {} : { configRef: reference("FooConfigTemplate", config) }),
    },
  };
}
