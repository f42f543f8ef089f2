import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { CLUSTER_NAME_LABEL } from "../../../../shared/api/indexes.ts";
import { type Kind, refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { HOLD_FIELDS, hasFinalizer, isPaused, PAUSING_FIELDS } from "../../../../shared/function/guards.ts";
import { inCluster, itself, sameName } from "../../../../shared/function/mappings.ts";
import { done, requeueAfter, waitFor } from "../../../../shared/function/result.ts";
import { MARK_FIELDS } from "../../../../shared/rules/machines/remediation.ts";
import { addFinalizerPatch, removeFinalizerPatch } from "../../../../shared/rules/metadata/finalizers.ts";
import { OWNER_FIELDS, readOwner } from "../../../../shared/rules/metadata/read-owner.ts";
import { SimInstance } from "../../api/sim-cloud.ts";
import { SimRemediation } from "../../api/sim-remediation.ts";
import { giveUpPatch, instanceOf, rebootPatch, repairStep } from "./rules/remediation.ts";

const FINALIZER = "simremediation.infrastructure.sim.capstan.dev";

/** Functions that remediate the Machines which they control. */
const OWNERS = [
  "machineset-remediate",
  "machinepool-remediate",
  "sim-controlplane-machines",
  "sim-legacy-machines",
];
const APPLIERS = ["machine-status", "machine-drain"];

function turn(name: string, reason: string) {
  return { function: name, on: Machine as unknown as Kind, field: "status", reason };
}

export const simRemediation = defineFunction<SimRemediation, "status">(
  {
    name: "sim-remediation",
    summary: "Reboots the simulated instance of an unhealthy Machine, and gives up after its last try.",
    source: "own",
    reconciles: SimRemediation,
    watches: [
      watch(SimRemediation, ["metadata.uid", ...OWNER_FIELDS, ...HOLD_FIELDS, "spec"], itself),
      // A request has the name of its Machine.
      watch(Machine, ["metadata.uid", "metadata.deletionTimestamp", "spec.infrastructureRef"], sameName),
      watch(Cluster, PAUSING_FIELDS, inCluster),
    ],
    reads: [
      { on: Machine, fields: ["status.conditions", "status.deprecated.v1beta1.conditions"] },
      { on: SimRemediation, fields: [`metadata.labels[${CLUSTER_NAME_LABEL}]`] },
    ],
    readsLive: [SimInstance],
    owns: ["status"],
    ownsOn: [
      { kind: SimRemediation, fields: ["metadata.finalizers"] },
      { kind: SimInstance, fields: ["spec.faults", "spec.reboots"], liveOnly: true },
      { kind: Machine, fields: MARK_FIELDS },
    ],
    inTurnWith: [
      ...OWNERS.map((name) =>
        turn(name, "it writes a hand-over where none is, an owner writes one that is there"),
      ),
      turn(
        "mhc-machines",
        "a health check with a template writes it only after the request has, in the older family",
      ),
      ...APPLIERS.map((name) =>
        turn(name, "the other function leaves this condition out of its apply, always"),
      ),
    ],
  },
  async (request, { read, now }) => {
    const { namespace = "", labels } = request.metadata;
    const own = refTo(SimRemediation, request);
    const key = { namespace, name: labels?.[CLUSTER_NAME_LABEL] ?? "" };
    if (isPaused(await read.get(Cluster, key), request)) return { result: done };
    if (request.metadata.deletionTimestamp !== undefined) {
      return { patch: [{ target: own, operations: removeFinalizerPatch(request, FINALIZER) }], result: done };
    }
    const machine = await readOwner(Machine, request, read);
    if (machine === undefined) return { result: waitFor("SimRemediation.metadata.ownerReferences") };
    if (machine.metadata.deletionTimestamp !== undefined) return { result: done };
    if (!hasFinalizer(request, FINALIZER)) {
      return { patch: [{ target: own, operations: addFinalizerPatch(request, FINALIZER) }], result: done };
    }
    const name = instanceOf(machine);
    const instance = name === undefined ? undefined : await read.live.get(SimInstance, { namespace, name });
    const step = repairStep(request, instance, now);
    const heals = request.spec.outcome !== "Fails";
    return {
      patch: [
        ...(step.reboots && instance !== undefined ? [rebootPatch(instance, heals)] : []),
        ...(step.givesUp ? giveUpPatch(machine, request, now) : []),
      ],
      apply: { status: step.status },
      result: step.nextInMs === undefined ? done : requeueAfter(step.nextInMs, "course of the repair"),
    };
  },
);
