import { describe, expect, it } from "vitest";
import { simRemediation as simRemediationFunction } from "../../../../../infra/playground/functions/sim/remediation.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { cluster } from "../../../../support/builders.ts";
import { since, target } from "../../../../support/health-checks.ts";
import { simInstance, simRemediation } from "../../../../support/sim.ts";
import { decide, given } from "../../../../support/world.ts";

const FINALIZER = "simremediation.infrastructure.sim.capstan.dev";
const LONG_AGO = "2026-01-01T11:00:00Z";
const GOING = { deletionTimestamp: LONG_AGO, finalizers: [FINALIZER] };
const MACHINE = target("m1", {
  spec: { infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachine", name: "i1" } },
  status: { conditions: [since(LONG_AGO, "HealthCheckSucceeded", "False")] },
});

function world(...objects: readonly KubeObject[]) {
  return given(cluster(), MACHINE, simInstance("i1"), ...objects);
}

const decided = (...objects: readonly KubeObject[]) => decide(simRemediationFunction, world(...objects));

describe("sim-remediation", () => {
  it("takes its finalizer first, and gives it back when its request goes, also without Machine", async () => {
    const { patch } = await decided(simRemediation("m1", { metadata: { finalizers: undefined } }));
    expect(patch).toMatchObject([{ target: { name: "m1" }, operations: [{ value: [FINALIZER] }] }]);
    const going = simRemediation("m1", { metadata: GOING });
    const left = await decide(simRemediationFunction, given(going));
    expect(left.patch).toMatchObject([{ operations: [{ op: "test" }, { op: "remove" }] }]);
  });

  it("begins, reboots the instance, and waits", async () => {
    expect(await decided(simRemediation("m1"))).toMatchObject({
      patch: [],
      apply: { status: { phase: "Running", retryCount: 0 } },
      result: requeueAfter(2_000, "course of the repair"),
    });
    const running = { phase: "Running", retryCount: 0, lastRemediated: LONG_AGO } as const;
    expect(await decided(simRemediation("m1", { status: running }))).toMatchObject({
      patch: [{ target: { name: "i1" }, operations: [{ path: "/spec/faults" }, { path: "/spec/reboots" }] }],
      apply: { status: { phase: "Waiting" } },
    });
    const failing = simRemediation("m1", { status: running, spec: { outcome: "Fails" } });
    expect(await decided(failing)).toMatchObject({ patch: [{ operations: [{ path: "/spec/reboots" }] }] });
  });

  it("gives up after its last try", async () => {
    const waiting = { phase: "Waiting", retryCount: 1, lastRemediated: LONG_AGO } as const;
    expect(await decided(simRemediation("m1", { status: waiting }))).toMatchObject({
      patch: [{ target: { kind: { kind: "Machine" }, name: "m1" }, subresource: "status" }],
      apply: { status: { phase: "Deleting machine" } },
      result: done,
    });
  });

  it("says that a Machine without instance cannot be repaired", async () => {
    const { apply } = await decide(
      simRemediationFunction,
      world(simRemediation("m1")).without(simInstance("i1")),
    );
    expect(apply).toEqual({ status: { phase: "Failed" } });
  });

  it("does nothing while it or its Cluster is paused, its Machine is being deleted or is an earlier one", async () => {
    const paused = simRemediation("m1", { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    expect(await decided(paused)).toEqual({ result: done });
    const pausedCluster = cluster({ spec: { paused: true } });
    expect(await decided(simRemediation("m1"), pausedCluster)).toEqual({ result: done });
    // The finalizer of a paused request is the mover's.
    const going = simRemediation("m1", { metadata: GOING });
    expect(await decided(going, pausedCluster)).toEqual({ result: done });
    const deleted = { ...MACHINE, metadata: { ...MACHINE.metadata, ...GOING } };
    expect(await decided(simRemediation("m1"), deleted)).toEqual({ result: done });
    const later = { ...MACHINE, metadata: { ...MACHINE.metadata, uid: "uid-later" } };
    expect(await decided(simRemediation("m1"), later)).toEqual({
      result: waitFor("SimRemediation.metadata.ownerReferences"),
    });
  });
});
