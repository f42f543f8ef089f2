import type { Condition } from "../../shared/api/conditions.ts";
import type { Node } from "../../shared/api/core.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import type { AnyDecision } from "../../shared/function/define-function.ts";
import { KubeError } from "../../shared/function/errors.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { connection, node, type Overrides } from "./builders.ts";
import { OWNED_BY_S1 } from "./foo-sets.ts";
import { healthCheck, since, target, upCluster } from "./health-checks.ts";
import { patched } from "./patched.ts";
import { given, type World } from "./world.ts";

/** A time of the day of `NOW`, which is 12:00:00. */
export const at = (time: string) => `2026-01-01T${time}Z`;
export const LONG_AGO = at("08:00:00");

/** Node that has not been Ready since then. */
export function badNode(name: string, time = at("11:00:00")): Node {
  const conditions = [{ type: "Ready", status: "False", reason: "Gone", lastTransitionTime: time }];
  return node(name, { status: { conditions } });
}

/** The condition of a Machine that its health check has found unhealthy, or healthy. */
export const failed = (time = LONG_AGO) => since(time, "HealthCheckSucceeded", "False", "UnhealthyNode");
export const succeeded = (time = LONG_AGO) =>
  since(time, "HealthCheckSucceeded", "True", "HealthCheckSucceeded");

/** Target of set s1 with these conditions. */
export function machineWith(name: string, ...conditions: readonly Condition[]): Machine {
  return target(name, {
    metadata: { ownerReferences: [OWNED_BY_S1] },
    status: { conditions: conditions.toSorted((a, b) => (a.type < b.type ? -1 : 1)) },
  });
}

/** Cluster c1 with a complete view of these Nodes. */
export function checkedWorld(
  check: MachineHealthCheck,
  machines: readonly Machine[],
  nodes: readonly Node[],
  ...more: readonly KubeObject[]
): World {
  return given(upCluster(), connection(), check, ...machines, ...more).inWorkload("default/c1", ...nodes);
}

/** Health check h1 that remediates while at most one target is not healthy. */
export function limitedCheck(overrides: Overrides<MachineHealthCheck> = {}): MachineHealthCheck {
  const remediation = { triggerIf: { unhealthyLessThanOrEqualTo: 1 } };
  return healthCheck({ ...overrides, spec: { ...overrides.spec, remediation } });
}

/** A Machine as a decision leaves it. */
export function machineAfter(decision: AnyDecision, machine: Machine): Machine {
  const patches = (decision.patch ?? []).filter(({ target: { name } }) => name === machine.metadata.name);
  return patched(
    structuredClone(machine),
    patches.flatMap(({ operations }) => structuredClone(operations)),
  );
}

/** Status and reason of a condition in both families. */
export function saidOf({ status }: Machine, type: string): readonly (string | undefined)[] {
  const present = conditionOf(status?.conditions, type);
  const older = conditionOf(status?.deprecated?.v1beta1?.conditions, type);
  return [present?.status, present?.reason, older?.status, older?.reason];
}

export function forbidden(message: string): KubeError {
  return new KubeError({ class: "Terminal", status: 403, reason: "Forbidden", message });
}
