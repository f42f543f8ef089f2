import {
  ANY_PAIR,
  CONTROL_PLANE_LABEL,
  clusterNameOf,
  labelPairs,
  type Member,
  NO_PAIR,
} from "../api/indexes.ts";
import { groupOf, type Kind, type KubeObject } from "../api/kinds.ts";
import { Machine } from "../api/machine/machine.ts";
import { MachineHealthCheck } from "../api/machinehealthcheck.ts";
import type { Lookup, ToKeys } from "./spec.ts";

/**
 * A Machine → the health checks of its Cluster that may select it: by one label of their selectors, and those without
 * one. A change from one label to another wakes both, since both sides of a change are asked.
 */
export const selectingChecks: ToKeys = ({ object }, reconciled, lookup) =>
  checksOf(object, reconciled, lookup);

/**
 * A Machine → the same, where any condition may count: one of them names conditions of Machines, or a policy counts its
 * healthy peers of the control plane. Else most conditions of a Machine wake none.
 */
export const checksOfConditions: ToKeys = async ({ object }, reconciled, lookup) => {
  const members = await checksOf(object, reconciled, lookup);
  if (object.metadata.labels?.[CONTROL_PLANE_LABEL] !== undefined) return members;
  const checks = await Promise.all(members.map((member) => lookup.get(MachineHealthCheck, member)));
  // All of them: one writes what they say together.
  return checks.some((check) => check?.spec.checks?.unhealthyMachineConditions !== undefined) ? members : [];
};

/** A Node of a workload cluster → the health checks that may select the Machines which name it. */
export const checksOfNode: ToKeys = async ({ object, cluster }, reconciled, lookup) => {
  const value = `${cluster}|${object.metadata.name}`;
  const machines = await lookup.find(Machine as unknown as Kind, "nodeRef", value);
  const found = machines.map(async (key) => {
    const machine = await lookup.get(Machine, key);
    return machine === undefined ? [] : checksOf(machine, reconciled, lookup);
  });
  return (await Promise.all(found)).flat();
};

/**
 * An object that has the namespace and name of a Machine → the health checks that may select it and make objects of its
 * kind: most objects of such a name are its infrastructure machine and its config.
 */
export const checksOfNamesake: ToKeys = async ({ object }, reconciled, lookup) => {
  const { namespace = "", name } = object.metadata;
  const type = `${groupOf(object.apiVersion)}/${object.kind}`;
  const makers = await lookup.find(reconciled, "referencedKind", type);
  const machine = makers.length === 0 ? undefined : await lookup.get(Machine, { namespace, name });
  if (machine === undefined) return [];
  const own = new Set(makers.filter((maker) => maker.namespace === namespace).map((maker) => maker.name));
  return (await checksOf(machine, reconciled, lookup)).filter((member) => own.has(member.name));
};

async function checksOf(machine: KubeObject, reconciled: Kind, lookup: Lookup): Promise<readonly Member[]> {
  const { namespace = "", labels = {} } = machine.metadata;
  const cluster = `${namespace}/${clusterNameOf(Machine as unknown as Kind, machine) ?? ""}`;
  const pairs = labelPairs(labels);
  if (pairs.includes(ANY_PAIR)) return lookup.find(reconciled, "cluster", cluster);
  const found = [NO_PAIR, ...pairs].map((pair) => lookup.find(reconciled, "selector", `${cluster}|${pair}`));
  return (await Promise.all(found)).flat();
}
