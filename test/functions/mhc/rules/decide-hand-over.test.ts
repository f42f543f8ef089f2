import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import type { Condition } from "../../../../shared/api/conditions.ts";
import type { Kind, ObjectKey } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import type { AnyDecision } from "../../../../shared/function/define-function.ts";
import { requeueAfter } from "../../../../shared/function/result.ts";
import type { KubeClient } from "../../../../shared/runtime/ports.ts";
import { toPatch } from "../../../../shared/runtime/write/write-request.ts";
import { cluster, node } from "../../../support/builders.ts";
import {
  at,
  badNode,
  checkedWorld,
  failed,
  forbidden,
  LONG_AGO,
  limitedCheck,
  machineAfter,
  machineWith,
  saidOf,
  succeeded,
} from "../../../support/checked-machines.ts";
import { healthCheck, since, target } from "../../../support/health-checks.ts";
import { patched } from "../../../support/patched.ts";
import { decide, liveReads, type World } from "../../../support/world.ts";

const names = ({ patch }: AnyDecision) => patch?.map(({ target: { name } }) => name);

/** Another client changes this of a Machine. */
function changing(metadata: Partial<Machine["metadata"]>) {
  return (machine: Machine): Machine => ({
    ...machine,
    metadata: { ...machine.metadata, resourceVersion: "changed", ...metadata },
  });
}

describe("mhc-machines hands a Machine to its owner", () => {
  const broken = (...conditions: readonly Condition[]) => machineWith("m1", ...conditions);

  it("without a limit in the patch that says why, after reading check, Cluster and Node", async () => {
    const machine = broken(succeeded());
    const of = checkedWorld(healthCheck(), [machine], [badNode("m1")]);
    const decision = await decide(mhcMachines, of);
    expect(decision.patch).toHaveLength(1);
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")[0]).toBe("False");
    expect(saidOf(machineAfter(decision, machine), "OwnerRemediated")).toEqual([
      "False",
      "WaitingForRemediation",
      "False",
      "WaitingForRemediation",
    ]);
    expect(await liveReads(mhcMachines, of, "h1")).toEqual([
      "get MachineHealthCheck h1",
      "get Cluster c1",
      "get Node m1",
    ]);
  });

  it("and announces it once on the Machine", async () => {
    const { patch } = await decide(mhcMachines, checkedWorld(healthCheck(), [broken()], [badNode("m1")]));
    expect(patch?.map(({ announces }) => announces)).toEqual([
      {
        type: "Normal",
        reason: "MachineMarkedUnhealthy",
        message: "Machine default/m1 has been marked as unhealthy by default/h1",
        about: expect.objectContaining({ kind: "Machine" }),
        related: expect.objectContaining({ kind: "MachineSet", name: "s1" }),
        annotations: {
          "capstan.dev/failed-at": at("12:00:00"),
          "capstan.dev/failure-reason": "UnhealthyNode",
        },
        occasion: at("12:00:00"),
      },
    ]);
  });

  it("with a limit first writes the failed check, asks no server for it, and hands nothing over", async () => {
    const machine = broken(succeeded());
    const of = checkedWorld(limitedCheck(), [machine], [badNode("m1")]);
    const decision = await decide(mhcMachines, of);
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")[0]).toBe("False");
    expect(saidOf(machineAfter(decision, machine), "OwnerRemediated")[0]).toBeUndefined();
    expect(await liveReads(mhcMachines, of, "h1")).toEqual([]);
  });

  it("then waits for calm", async () => {
    const of = checkedWorld(limitedCheck(), [broken(failed(at("11:59:58")))], [badNode("m1")]);
    const { patch, result } = await decide(mhcMachines, of);
    expect(patch?.flatMap(({ operations }) => operations).map(({ path }) => path)).not.toContainEqual(
      expect.stringMatching(/Owner/),
    );
    expect(result).toEqual(requeueAfter(4_000, "the hand-over"));
  });

  it("then tests the version and the failed check that one live list of all targets has shown", async () => {
    const machine = broken(failed());
    const newer = { ...machine, metadata: { ...machine.metadata, resourceVersion: "99" } };
    const of = checkedWorld(
      limitedCheck(),
      [machine, machineWith("m2", succeeded())],
      [badNode("m1"), node("m2")],
    ).live(newer);
    const { patch } = await decide(mhcMachines, of);
    const handed = patch?.filter(({ announces }) => announces !== undefined);
    expect(handed?.map(({ target: { name, resourceVersion } }) => [name, resourceVersion])).toEqual([
      ["m1", "99"],
    ]);
    expect(handed?.[0]?.operations[0]).toEqual({
      op: "test",
      path: "/status/conditions/0",
      value: failed(),
    });
    expect(await liveReads(mhcMachines, of, "h1")).toEqual([
      "get MachineHealthCheck h1",
      "get Cluster c1",
      "list Machine",
      "get Node m1",
      "get Node m2",
    ]);
  });

  it.each<[string, (machine: Machine) => Machine | undefined]>([
    ["deleted", () => undefined],
    ["recreated", changing({ uid: "another" })],
    ["marked for deletion", changing({ deletionTimestamp: at("11:59:59") })],
    ["paused", changing({ annotations: { "cluster.x-k8s.io/paused": "" } })],
    ["taken out of the selection", changing({ labels: { tier: "b" } })],
  ])("not a Machine that was %s between list and patch: the server refuses it", async (_, change) => {
    const machine = broken(failed());
    const of = checkedWorld(
      limitedCheck(),
      [machine, machineWith("m2", succeeded())],
      [badNode("m1"), node("m2")],
    );
    const handed = (await decide(mhcMachines, of)).patch?.find(({ announces }) => announces !== undefined);
    const sentTo = async (stored: Machine | undefined) => {
      const jsonPatch = async (_kind: Kind, _key: ObjectKey, operations: readonly PatchOperation[]) =>
        patched(stored as Machine, operations);
      return handed && toPatch(handed).request({ jsonPatch } as unknown as KubeClient);
    };
    expect(saidOf((await sentTo(machine)) as Machine, "OwnerRemediated")[0]).toBe("False");
    await expect(sentTo(change(machine))).rejects.toThrow();
  });

  it.each<[string, World]>([
    [
      "the Node has recovered",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).live(node("m1"), "default/c1"),
    ],
    [
      "the check of the Machine has succeeded",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).live(broken(succeeded())),
    ],
    [
      "a person has paused the Machine",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).live(
        target("m1", { metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      ),
    ],
    [
      "a person has taken the Machine out of the selection",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).live(
        target("m1", { metadata: { labels: { tier: "b" } } }),
      ),
    ],
    [
      "a person has paused the health check",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).live(
        limitedCheck({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      ),
    ],
    [
      "a person has changed the health check",
      checkedWorld(healthCheck(), [broken(failed())], [badNode("m1")]).live(
        limitedCheck({ metadata: { generation: 4 } }),
      ),
    ],
    [
      "the Cluster is paused",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).live(
        cluster({ spec: { paused: true } }),
      ),
    ],
    [
      "the health check is gone",
      checkedWorld(limitedCheck(), [broken(failed())], [badNode("m1")]).goneLive(limitedCheck()),
    ],
  ])("not when %s on its server", async (_, of) => {
    const { patch } = await decide(mhcMachines, of);
    expect(patch?.filter(({ announces }) => announces !== undefined)).toEqual([]);
  });

  it("not while a server does not answer, which ends neither conditions nor deadlines", async () => {
    const machines = [broken(succeeded()), machineWith("m2", succeeded())];
    const of = checkedWorld(healthCheck(), machines, [badNode("m1"), badNode("m2", at("11:58:00"))]);
    const decision = await decide(mhcMachines, of.refusing("default/c1", forbidden("nodes is forbidden")));
    expect(saidOf(machineAfter(decision, machines[0] ?? target()), "HealthCheckSucceeded")[0]).toBe("False");
    expect(saidOf(machineAfter(decision, machines[0] ?? target()), "OwnerRemediated")[0]).toBeUndefined();
    expect(decision.events).toMatchObject([{ type: "Warning", reason: "RemediationBlocked" }]);
    expect(decision.result).toEqual(requeueAfter(180_001, "the next deadline of a target"));
  });

  it("a new statement about another Machine leaves before any server is asked", async () => {
    const machines = [broken(failed()), machineWith("m2", succeeded())];
    const of = checkedWorld(limitedCheck(), machines, [badNode("m1"), badNode("m2", at("11:54:59"))]);
    expect(names(await decide(mhcMachines, of))).toEqual(["m1", "m2"]);
    expect(await liveReads(mhcMachines, of, "h1")).toEqual([]);
  });

  it("not by a health check that is being deleted, which still judges", async () => {
    const machine = broken(succeeded());
    const check = healthCheck({ metadata: { deletionTimestamp: at("11:00:00") } });
    const decision = await decide(mhcMachines, checkedWorld(check, [machine], [badNode("m1")]));
    expect(saidOf(machineAfter(decision, machine), "HealthCheckSucceeded")[0]).toBe("False");
    expect(saidOf(machineAfter(decision, machine), "OwnerRemediated")[0]).toBeUndefined();
  });

  it("names the Machines that hold the places, and takes one back after a minute", async () => {
    const handed = since(LONG_AGO, "OwnerRemediated", "False");
    const older = [{ type: "OwnerRemediated", status: "False", lastTransitionTime: LONG_AGO }];
    const held = (time: string): Machine => {
      const machine = machineWith("m2", succeeded(time), handed);
      return {
        ...machine,
        status: { ...machine.status, deprecated: { v1beta1: { conditions: older } } },
      };
    };
    const of = (time: string) =>
      checkedWorld(limitedCheck(), [broken(failed()), held(time)], [badNode("m1"), node("m2")]);
    const early = await decide(mhcMachines, of(at("11:59:30")));
    expect(early.events).toMatchObject([
      { reason: "RemediationRestricted", message: expect.stringContaining("m2 (places: 1, used: 2)") },
    ]);
    const late = await decide(mhcMachines, of(at("11:58:00")));
    expect(saidOf(machineAfter(late, held(at("11:58:00"))), "OwnerRemediated")).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
  });
});
