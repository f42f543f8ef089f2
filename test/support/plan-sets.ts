import type { PlanSet, PlanSpec, RolloutFields } from "../../shared/rules/rollout/plan-types.ts";

/** Instants of these builders are seconds after this. */
export const PLAN_NOW = Date.parse("2026-01-01T12:00:00Z");

/** Returns the fields of a template whose infrastructure template has this name. */
export function templateNamed(name: string): RolloutFields {
  const infrastructureRef = { apiGroup: "foo.cluster.x-k8s.io", kind: "FooMachineTemplate", name };
  return { version: "v1.34.0", bootstrap: { dataSecretName: "data" }, infrastructureRef };
}

/** Returns the wish for three Machines of template `new`, surge 1, none unavailable. */
export function planSpec(overrides: Partial<PlanSpec> = {}): PlanSpec {
  return {
    ...{ replicas: 3, strategy: "RollingUpdate", paused: false, maxSurge: 1, maxUnavailable: 0 },
    rollout: templateNamed("new"),
    ...overrides,
  };
}

interface Counts extends Partial<Omit<PlanSet, "name" | "rollout" | "replicas" | "status">> {
  readonly machines?: number;
  readonly available?: number;
  readonly observed?: boolean;
}

/**
 * Returns a set of a template with so many Machines, all of them available unless the overrides say otherwise. Its age is
 * that of its name: `a` is older than `b`.
 */
export function planSet(name: string, template: string, replicas: number, overrides: Counts = {}): PlanSet {
  const { machines = replicas, available = machines, observed = true, ...others } = overrides;
  return {
    ...{ name, replicas, deleting: false, revision: "1", desired: "3" },
    createdAt: PLAN_NOW - 1_000_000 + name.charCodeAt(0) * 1000,
    rollout: templateNamed(template),
    status: { replicas: machines, available, upToDate: template === "new" ? machines : 0, observed },
    ...others,
  };
}
