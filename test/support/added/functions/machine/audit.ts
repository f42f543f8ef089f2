import { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { defineFunction, watch } from "../../../../../shared/function/define-function.ts";
import { pausedBy } from "../../../../../shared/function/guards.ts";
import { inCluster, itself } from "../../../../../shared/function/mappings.ts";
import { done, waitFor } from "../../../../../shared/function/result.ts";
import { AUDIT_FIELDS, auditPatch } from "./rules/audit.ts";

/** A function that is not part of Capstan: what a function touches is this file, its rules and their tests. */
export const machineAudit = defineFunction(
  {
    name: "machine-audit",
    summary: "Keeps a deleted Machine until an audit has seen it.",
    source: "own",
    reconciles: Machine,
    watches: [
      watch(Machine, AUDIT_FIELDS, itself),
      watch(Machine, ["metadata.uid", "metadata.annotations[cluster.x-k8s.io/paused]"], itself),
      watch(Cluster, ["metadata.uid", "spec.paused"], inCluster),
    ],
    owns: [],
    ownsOn: [{ kind: Machine, fields: ["metadata.finalizers"] }],
    inTurnWith: ["machine-delete", "machine-guard"].map((name) => ({
      function: name,
      on: Machine,
      field: "metadata.finalizers",
      reason: "each adds and removes a finalizer of its own, and tests the list that it changes",
    })),
  },
  async (machine, { read }) => {
    const { namespace = "" } = machine.metadata;
    const cluster = await read.get(Cluster, { namespace, name: machine.spec.clusterName });
    const pause = pausedBy(cluster, machine);
    if (pause !== undefined) return { result: waitFor(pause) };
    return { patch: [{ target: refTo(Machine, machine), operations: auditPatch(machine) }], result: done };
  },
);
