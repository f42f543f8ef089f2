import { describe, expect, it } from "vitest";
import { machinepoolRemediate } from "../../../functions/machinepool/remediate.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { done, failed, waitFor } from "../../../shared/function/result.ts";
import {
  cluster,
  infraMachinePool,
  machine,
  machineCondition,
  machinePool,
  type Overrides,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { decide, given, type World } from "../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const LIMIT = "capstan.dev/remediation-max-in-flight";
const UNHEALTHY = machineCondition("HealthCheckSucceeded", "False", "NodeNotReady");
const HEALTHY = machineCondition("HealthCheckSucceeded", "True", "Healthy");
const HANDED_OVER = machineCondition(
  "OwnerRemediated",
  "False",
  "WaitingForRemediation",
  "Waiting for remediation",
);
const MARKED = machineCondition("OwnerRemediated", "False", "MachineDeleting", "Machine is deleting");

function unhealthy(name: string, overrides: Overrides<Machine> = {}, handOver = HANDED_OVER): Machine {
  return machine(name, { ...overrides, status: { conditions: [UNHEALTHY, handOver] } });
}

function pool(limit: string | undefined, replicas = 3) {
  const annotations = limit === undefined ? undefined : { [LIMIT]: limit };
  return machinePool({ metadata: { annotations }, spec: { replicas } });
}

function world(limit: string | undefined, ...objects: readonly KubeObject[]): World {
  const infra = infraMachinePool({ status: { infrastructureMachineKind: "FooMachine" } });
  return given(cluster(), pool(limit), infra, ...objects);
}

/** Marks as `m1 <reason>`, and the names of the deleted. */
async function remediated(to: World) {
  const { patch = [], delete: deleted = [] } = await decide(machinepoolRemediate, to);
  const marks = patch.map(({ target, operations }) => {
    const [first] = operations;
    const value =
      first !== undefined && "value" in first ? (first.value as { reason: string }).reason : first?.op;
    return `${target.name} ${value}`;
  });
  return { marks, deleted: deleted.map(({ target }) => target.name) };
}

describe("machinepool-remediate", () => {
  it("takes one at a time without its annotation", async () => {
    expect(await remediated(world(undefined, unhealthy("m1"), unhealthy("m2")))).toEqual({
      marks: ["m1 MachineDeleting", "m2 RemediationDeferred"],
      deleted: [],
    });
  });

  it("never acts where the provider has no Machines", async () => {
    const plain = given(cluster(), pool("1"), infraMachinePool(), unhealthy("m1"));
    expect(await decide(machinepoolRemediate, plain)).toEqual({ result: done });
  });

  it("names what is wrong with a malformed limit", async () => {
    const { result } = await decide(machinepoolRemediate, world("many", unhealthy("m1")));
    expect(result).toEqual(
      failed("InvalidSpec", `annotation ${LIMIT} is neither a count nor a percentage; set it to 1 or 20%`),
    );
  });

  it("marks a Machine before it is deleted, with the version in which it was seen", async () => {
    const { patch } = await decide(machinepoolRemediate, world("1", unhealthy("m1")));
    expect(patch).toEqual([
      {
        target: expect.objectContaining({ name: "m1", uid: "uid-m1", resourceVersion: "70" }),
        subresource: "status",
        operations: [{ op: "replace", path: "/status/conditions/1", value: MARKED }],
      },
    ]);
    expect(await remediated(world("1", unhealthy("m1")))).toMatchObject({ deleted: [] });
  });

  it("deletes a Machine that it has marked, with uid and version", async () => {
    const { delete: deleted, patch } = await decide(
      machinepoolRemediate,
      world("1", unhealthy("m1", {}, MARKED)),
    );
    expect(deleted).toMatchObject([{ target: { name: "m1", uid: "uid-m1", resourceVersion: "70" } }]);
    expect(patch).toEqual([]);
  });

  it("counts those that are going, and defers what is over the limit", async () => {
    const going = unhealthy("m0", { metadata: { deletionTimestamp: DELETED } }, MARKED);
    const to = world("2", going, unhealthy("m1"), unhealthy("m2"));
    expect(await remediated(to)).toEqual({
      marks: ["m1 MachineDeleting", "m2 RemediationDeferred"],
      deleted: [],
    });
    expect(await remediated(world("1", going, unhealthy("m1")))).toMatchObject({
      marks: ["m1 RemediationDeferred"],
    });
  });

  it("takes a percentage of the replicas, rounded up, and 0 as none", async () => {
    const two = [unhealthy("m1"), unhealthy("m2")];
    expect((await remediated(world("34%", ...two))).marks).toEqual([
      "m1 MachineDeleting",
      "m2 MachineDeleting",
    ]);
    expect((await remediated(world("33%", ...two))).marks).toEqual([
      "m1 MachineDeleting",
      "m2 RemediationDeferred",
    ]);
    expect((await remediated(world("0", ...two))).marks).toEqual([
      "m1 RemediationDeferred",
      "m2 RemediationDeferred",
    ]);
  });

  it("prefers what a person has asked for, then the youngest, then the name", async () => {
    const asked = unhealthy("m3", {
      metadata: { annotations: { "cluster.x-k8s.io/remediate-machine": "" } },
    });
    const young = unhealthy("m2", { metadata: { creationTimestamp: "2026-01-01T11:00:00Z" } });
    expect((await remediated(world("2", unhealthy("m1"), young, asked))).marks).toEqual([
      "m3 MachineDeleting",
      "m2 MachineDeleting",
      "m1 RemediationDeferred",
    ]);
  });

  it("writes a deferral once", async () => {
    const text = `Waiting because there are already too many remediations in progress (annotation ${LIMIT} of the MachinePool allows 0)`;
    const deferred = machineCondition("OwnerRemediated", "False", "RemediationDeferred", text);
    expect((await remediated(world("0", unhealthy("m1", {}, deferred)))).marks).toEqual([]);
  });

  it("gives the hand-over of a Machine back that has recovered, also of one that was marked", async () => {
    const recovered = machine("m1", {
      status: {
        conditions: [HEALTHY, MARKED],
        deprecated: {
          v1beta1: { conditions: [{ type: "OwnerRemediated", status: "True", lastTransitionTime: DELETED }] },
        },
      },
    });
    const { patch, delete: deleted } = await decide(machinepoolRemediate, world("1", recovered));
    expect(patch?.[0]?.operations).toEqual([
      { op: "remove", path: "/status/conditions/1" },
      { op: "remove", path: "/status/deprecated/v1beta1/conditions/0" },
    ]);
    expect(deleted).toEqual([]);
  });

  it("lets the deprecated condition follow a mark", async () => {
    const waiting = { type: "OwnerRemediated", status: "False", lastTransitionTime: DELETED };
    const both = machine("m1", {
      status: { conditions: [UNHEALTHY, HANDED_OVER], deprecated: { v1beta1: { conditions: [waiting] } } },
    });
    const { patch } = await decide(machinepoolRemediate, world("1", both));
    expect(patch?.[0]?.operations[1]).toEqual({
      op: "replace",
      path: "/status/deprecated/v1beta1/conditions/0",
      value: { type: "OwnerRemediated", status: "True", lastTransitionTime: "2026-01-01T12:00:00Z" },
    });
  });

  it("decides on live reads: a Machine that is healthy by now stays, one that is gone is not an error", async () => {
    const marked = unhealthy("m1", {}, MARKED);
    const to = world("1", marked);
    const healthy = machine("m1", { status: { conditions: [HEALTHY] } });
    expect(await remediated(to.live(healthy))).toEqual({ marks: [], deleted: [] });
    expect(await remediated(to.goneLive(marked))).toEqual({ marks: [], deleted: [] });
  });

  it("does nothing once the pool is paused, has a limit that cannot be read or is being deleted on the API server", async () => {
    const to = world("1", unhealthy("m1", {}, MARKED));
    expect(await decide(machinepoolRemediate, to.live(cluster({ spec: { paused: true } })))).toEqual({
      result: waitFor("Cluster.spec.paused"),
    });
    expect(await decide(machinepoolRemediate, to.live(pool("many")))).toMatchObject({
      result: { type: "failed", reason: "InvalidSpec" },
    });
    const going = machinePool({ metadata: { deletionTimestamp: DELETED } });
    expect(await decide(machinepoolRemediate, to.live(going))).toEqual({ result: done });
  });

  it("touches no Machine of another controller, and none that was not handed over", async () => {
    const foreign = unhealthy("m1", {
      metadata: { ownerReferences: [{ ...OWNED_BY_P1, kind: "MachineSet", name: "s1", uid: "uid-s1" }] },
    });
    const sick = machine("m2", { status: { conditions: [UNHEALTHY] } });
    expect(await remediated(world("5", foreign, sick))).toEqual({ marks: [], deleted: [] });
  });
});
