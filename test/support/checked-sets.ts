import { expect } from "vitest";
import type { Event } from "../../shared/api/core.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { eventually } from "./eventually.ts";
import { simMachineSet } from "./manifests.ts";
import type { Objects } from "./objects.ts";

export const WITHIN = { withinMs: 120_000, stepMs: 300 };
/** Longer than calm, and than the short timeouts of health checks. */
export const FOR_LONG = { forMs: 9_000, stepMs: 1_000 };

/** A MachineSet and what its health check says, in the flow style of YAML. */
export interface CheckedSet {
  readonly replicas: number;
  readonly cluster?: string;
  readonly checks?: string;
  readonly remediation?: string;
  /** The spec of its SimMachines. */
  readonly machine?: string;
}

/** Checks that a Node is Ready, or was so not longer ago than this. */
export function nodeCheck(timeoutSeconds: number): string {
  return `{ nodeStartupTimeoutSeconds: 0, unhealthyNodeConditions: [{ type: Ready, status: "False", timeoutSeconds: ${timeoutSeconds} }] }`;
}

/** A MachineSet and a health check of its Machines; both bear one name. */
export function checkedSet(name: string, { replicas, cluster = "c1", ...more }: CheckedSet): string {
  const machine = `kind: SimMachineTemplate\nmetadata: { name: ${name}, namespace: default }\nspec: `;
  const set = simMachineSet(name, cluster, replicas).replace(
    `${machine}{ template: { spec: {} } }`,
    `${machine}{ template: { spec: ${more.machine ?? "{}"} } }`,
  );
  return `${set}---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: ${cluster}
  selector: { matchLabels: { set: ${name} } }
  checks: ${more.checks ?? nodeCheck(1)}
  remediation: ${more.remediation ?? "{ triggerIf: { unhealthyLessThanOrEqualTo: 100% } }"}
`;
}

/** Status, reason and message of a condition. */
export function conditionIn(machine: Machine | undefined, type: string): readonly (string | undefined)[] {
  const { status, reason, message } = conditionOf(machine?.status?.conditions, type) ?? {};
  return [status, reason, message];
}

export function namesOf(machines: readonly Machine[]): readonly string[] {
  return machines.map(({ metadata }) => metadata.name).toSorted();
}

/** Looks at checked sets, and makes the Nodes of their Machines fail. */
export interface CheckedSets {
  readonly objects: Objects;
  machinesOf(set: string): Promise<readonly Machine[]>;
  /** The Machines of a set, once there are so many and all are healthy. */
  healthy(set: string, replicas: number): Promise<readonly Machine[]>;
  /** Once this Machine is found unhealthy. */
  failed(set: string, machine: Machine | undefined): Promise<void>;
  /** Once this Machine is gone and the set is whole. */
  isReplaced(set: string, gone: Machine | undefined, replicas: number): Promise<void>;
  /** `name: message` of the Events with this reason. */
  eventsOf(reason: string): Promise<readonly string[]>;
  fail(machine: Machine | undefined, node?: "NotReady" | "Gone"): Promise<unknown>;
  heal(machine: Machine | undefined): Promise<unknown>;
}

export function checkedSets(objects: Objects): CheckedSets {
  const machinesOf = (set: string) => objects.list<Machine>("machines", `labelSelector=set=${set}`);
  const setFaults = (machine: Machine | undefined, faults: object | null) =>
    objects.change("siminstances", machine?.metadata.name ?? "", { spec: { faults } });
  return {
    objects,
    machinesOf,
    healthy: (set, replicas) =>
      eventually(async () => {
        const machines = await machinesOf(set);
        expect(machines.map((machine) => conditionIn(machine, "HealthCheckSucceeded")[0])).toEqual(
          Array.from({ length: replicas }, () => "True"),
        );
        return machines;
      }, WITHIN),
    failed: (set, machine) =>
      eventually(async () => {
        const found = (await machinesOf(set)).find(({ metadata }) => metadata.uid === machine?.metadata.uid);
        expect(conditionIn(found, "HealthCheckSucceeded")[0]).toBe("False");
      }, WITHIN),
    isReplaced: (set, gone, replicas) =>
      eventually(async () => {
        const machines = await machinesOf(set);
        expect(machines.map(({ metadata }) => metadata.uid)).not.toContain(gone?.metadata.uid);
        expect(machines).toHaveLength(replicas);
      }, WITHIN),
    async eventsOf(reason) {
      const events = await objects.list<Event>("events", `fieldSelector=reason=${reason}`);
      return events.map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`);
    },
    fail: (machine, node = "NotReady") => setFaults(machine, { node }),
    heal: (machine) => setFaults(machine, null),
  };
}
