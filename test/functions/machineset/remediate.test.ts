import { describe, expect, it } from "vitest";
import { machinesetRemediate } from "../../../functions/machineset/remediate.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { cluster, machineCondition, merge, type Overrides } from "../../support/builders.ts";
import {
  bootstrapTemplate,
  infraTemplate,
  machineSet,
  setMachine,
  TEMPLATE_CRDS,
} from "../../support/foo-sets.ts";
import { decide, given, type World } from "../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const REVISION = "machinedeployment.clusters.x-k8s.io/revision";
const BATCH = "capstan.dev/remediation-reservation";
const CLUSTER = cluster({ spec: { controlPlaneRef: undefined } });
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
  return setMachine(name, { ...overrides, status: { conditions: [UNHEALTHY, handOver] } });
}

function world(set: MachineSet, ...objects: readonly KubeObject[]): World {
  return given(CLUSTER, ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), set, ...objects);
}

/** A set of a MachineDeployment of three replicas with this limit. */
function limited(maxInFlight: number | string | undefined, overrides: Overrides<MachineSet> = {}) {
  const owner = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDeployment",
    name: "md",
    uid: "uid-md",
    controller: true,
  };
  const deployment = {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDeployment",
    metadata: {
      name: "md",
      namespace: "default",
      uid: "uid-md",
      resourceVersion: "15",
      annotations: { [REVISION]: "2" },
    },
    spec: {
      clusterName: "c1",
      replicas: 3,
      remediation: maxInFlight === undefined ? undefined : { maxInFlight },
    },
  } satisfies KubeObject & { spec: object };
  const base = machineSet({ metadata: { ownerReferences: [owner], annotations: { [REVISION]: "2" } } });
  return [merge<MachineSet>(base, overrides), deployment] as const;
}

/** Writes as `m1 <reason>` or `s1 <batch>`, and the names of the deleted. */
async function remediated(to: World) {
  const { patch = [], delete: deleted = [] } = await decide(machinesetRemediate, to);
  return {
    marks: patch.map(({ target, operations: [first] }) => {
      const value: unknown = first !== undefined && "value" in first ? first.value : first?.op;
      const said = typeof value === "object" && value !== null && "reason" in value ? value.reason : value;
      return `${target.name} ${String(said)}`;
    }),
    deleted: deleted.map(({ target }) => target.name),
  };
}

describe("machineset-remediate", () => {
  it("asks the API server nothing while no Machine was handed over", async () => {
    const sick = setMachine("m1", { status: { conditions: [UNHEALTHY] } });
    expect(await decide(machinesetRemediate, world(machineSet(), sick))).toEqual({ result: done });
  });

  it("marks a Machine, with the version in which it was seen, before it deletes it", async () => {
    const decision = await decide(machinesetRemediate, world(machineSet(), unhealthy("m1")));
    expect(decision).toEqual({
      patch: [
        {
          target: expect.objectContaining({ name: "m1", uid: "uid-m1", resourceVersion: "70" }),
          subresource: "status",
          operations: [{ op: "replace", path: "/status/conditions/1", value: MARKED }],
        },
      ],
      delete: [],
      result: done,
    });
  });

  it("deletes a Machine that it has marked, with uid and resourceVersion", async () => {
    const to = world(machineSet(), unhealthy("m1", {}, MARKED));
    const { delete: deleted, patch } = await decide(machinesetRemediate, to);
    expect(deleted).toMatchObject([{ target: { name: "m1", uid: "uid-m1", resourceVersion: "70" } }]);
    expect(patch).toEqual([]);
  });

  it("marks all of them without a limit", async () => {
    expect(await remediated(world(machineSet(), unhealthy("m1"), unhealthy("m2")))).toEqual({
      marks: ["m1 MachineDeleting", "m2 MachineDeleting"],
      deleted: [],
    });
  });

  it("takes the hand-over of a recovered Machine back", async () => {
    const recovered = setMachine("m1", { status: { conditions: [HEALTHY, HANDED_OVER] } });
    expect(await remediated(world(machineSet(), recovered))).toEqual({ marks: ["m1 remove"], deleted: [] });
  });

  it("decides on live reads", async () => {
    const to = world(machineSet(), unhealthy("m1", {}, MARKED));
    const healthy = setMachine("m1", { status: { conditions: [HEALTHY] } });
    expect(await remediated(to.live(healthy))).toEqual({ marks: [], deleted: [] });
    expect(await remediated(to.goneLive(healthy))).toEqual({ marks: [], deleted: [] });
    const foreign = unhealthy("m1", { metadata: { ownerReferences: [] } }, MARKED);
    expect(await remediated(to.live(foreign))).toEqual({ marks: [], deleted: [] });
  });

  it("leaves the Machines of a set that is not the current revision of its MachineDeployment", async () => {
    const [set, deployment] = limited(undefined, { metadata: { annotations: { [REVISION]: "1" } } });
    expect(await remediated(world(set, deployment, unhealthy("m1")))).toEqual({
      marks: ["m1 CannotBeRemediated"],
      deleted: [],
    });
  });

  it("defers all while a preflight check fails, with its words", async () => {
    const blocked = cluster();
    const { patch = [] } = await decide(
      machinesetRemediate,
      given(...world(machineSet(), unhealthy("m1")).snapshots.map(({ object }) => object), blocked),
    );
    expect(patch[0]?.operations[0]).toMatchObject({
      value: {
        reason: "RemediationDeferred",
        message: "* FooControlPlane default/c1-control-plane does not exist",
      },
    });
  });

  it.each([
    [
      "the Cluster is paused",
      machineSet(),
      cluster({ spec: { paused: true } }),
      waitFor("Cluster.spec.paused"),
    ],
    ["the Cluster is deleted", machineSet(), cluster({ metadata: { deletionTimestamp: DELETED } }), done],
    ["the set is deleted", machineSet({ metadata: { deletionTimestamp: DELETED } }), CLUSTER, done],
  ])("does nothing while %s, also when only the API server knows", async (_, set, of, result) => {
    const to = world(machineSet(), unhealthy("m1", {}, MARKED));
    expect(await decide(machinesetRemediate, to.live(set).live(of))).toEqual({ result });
    const objects = world(set, unhealthy("m1", {}, MARKED)).snapshots.map(({ object }) => object);
    expect(await decide(machinesetRemediate, given(...objects, of))).toEqual({ result });
  });
});

describe("machineset-remediate with a limit", () => {
  const three = [unhealthy("m1"), unhealthy("m2"), unhealthy("m3")];

  it("reserves the batch on the set before it marks, guarded by the set's version", async () => {
    const [set, deployment] = limited(1);
    const to = world(set, deployment, ...three);
    expect(await remediated(to)).toEqual({
      marks: ["m2 RemediationDeferred", "m3 RemediationDeferred", 's1 ["m1"]'],
      deleted: [],
    });
    const { patch = [] } = await decide(machinesetRemediate, to);
    expect(patch.at(-1)?.target).toMatchObject({ name: "s1", resourceVersion: "20" });
  });

  it("then marks the batch, and no more, and clears it once all of it is marked", async () => {
    const [set, deployment] = limited(1, { metadata: { annotations: { [BATCH]: '["m1"]' } } });
    expect((await remediated(world(set, deployment, ...three))).marks).toEqual([
      "m1 MachineDeleting",
      "m2 RemediationDeferred",
      "m3 RemediationDeferred",
    ]);
    const marked = [unhealthy("m1", {}, MARKED), unhealthy("m2")];
    expect(await remediated(world(set, deployment, ...marked))).toEqual({
      marks: ["m2 RemediationDeferred", "s1 remove"],
      deleted: ["m1"],
    });
  });

  it("counts a marked Machine until it is gone", async () => {
    const [set, deployment] = limited(2);
    const going = unhealthy("m0", { metadata: { deletionTimestamp: DELETED } }, MARKED);
    expect((await remediated(world(set, deployment, going, ...three))).marks).toEqual([
      "m2 RemediationDeferred",
      "m3 RemediationDeferred",
      's1 ["m1"]',
    ]);
  });

  it.each([
    ["34%", '["m1","m2"]'],
    ["33%", '["m1"]'],
    [3, '["m1","m2","m3"]'],
  ])("takes %s of three replicas, rounded up", async (limit, batch) => {
    const [set, deployment] = limited(limit);
    expect((await remediated(world(set, deployment, ...three))).marks.at(-1)).toBe(`s1 ${batch}`);
  });

  it.each([0, "many"])("allows none with %s, and says the limit", async (limit) => {
    const [set, deployment] = limited(limit);
    const { patch = [] } = await decide(machinesetRemediate, world(set, deployment, unhealthy("m1")));
    expect(patch[0]?.operations[0]).toMatchObject({
      value: {
        message: `Waiting because there are already too many remediations in progress (spec.strategy.remediation.maxInFlight is ${limit})`,
      },
    });
  });

  it("prefers what a person has asked for, then the youngest, then the name", async () => {
    const [set, deployment] = limited(2);
    const asked = unhealthy("m3", {
      metadata: { annotations: { "cluster.x-k8s.io/remediate-machine": "" } },
    });
    const young = unhealthy("m2", { metadata: { creationTimestamp: "2026-01-01T11:00:00Z" } });
    const { marks } = await remediated(world(set, deployment, unhealthy("m1"), young, asked));
    expect(marks.at(-1)).toBe('s1 ["m3","m2"]');
  });
});
