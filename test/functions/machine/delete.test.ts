import { describe, expect, it } from "vitest";
import { machineDelete } from "../../../functions/machine/delete.ts";
import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { KubeError, WaitingError } from "../../../shared/function/errors.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  crd,
  infraMachine,
  machine,
  machineCondition,
  merge,
  node,
  type Overrides,
} from "../../support/builders.ts";
import { decide, given, liveReads, NOW } from "../../support/world.ts";

const AT_ONCE = NOW.toISOString();
const LONG_AGO = "2026-01-01T10:00:00Z";
const CONTROLS = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name: "m1", uid: "uid-m1" };
const OWNER = [{ ...CONTROLS, controller: true, blockOwnerDeletion: true }];
/** As providers keep their objects until what they stand for is gone. */
const OWNED = { metadata: { ownerReferences: OWNER, finalizers: ["example.com/instance"] } };
const FOREIGN = {
  metadata: { ownerReferences: [{ ...CONTROLS, name: "m2", uid: "uid-m2", controller: true }] },
};
const DELETING = { metadata: { deletionTimestamp: LONG_AGO } };
const HOOK = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/keep";
const WORKLOAD = "default/c1";

/** Without control plane of its own: Nodes are handled. */
const CLUSTER: Cluster = cluster({ spec: { controlPlaneRef: undefined } });
const INFRA = infraMachine("m1", OWNED);
const CONFIG = bootstrapConfig({ metadata: { name: "m1-config", ...OWNED.metadata } });
/** As that of kubeadm. */
const LOOSE_CONFIG = bootstrapConfig({ metadata: { name: "m1-config", ownerReferences: OWNER } });

/** Worker m1 with Node n1, deleted now, behind the drain. */
function deleted(overrides: Overrides<Machine> = {}): Machine {
  const defaults = machine("m1", {
    metadata: {
      deletionTimestamp: AT_ONCE,
      finalizers: ["machine.cluster.x-k8s.io"],
      ownerReferences: undefined,
    },
    spec: {
      bootstrap: {
        configRef: { apiGroup: "bootstrap.cluster.x-k8s.io", kind: "FooConfig", name: "m1-config" },
      },
      providerID: "foo://1",
      deletion: { nodeDeletionTimeoutSeconds: 10 },
    },
    status: {
      nodeRef: { name: "n1" },
      conditions: [machineCondition("Deleting", "True", "WaitingForInfrastructureDeletion")],
    },
  });
  return merge<Machine>(defaults, overrides);
}
const UNTIMED = { spec: { deletion: { nodeDeletionTimeoutSeconds: 0 } } };
const EXPIRED = { metadata: { deletionTimestamp: LONG_AGO } };
const NO_NODE = { status: { nodeRef: undefined } };

const RELEASE = [
  { op: "test", path: "/metadata/finalizers/0", value: "machine.cluster.x-k8s.io" },
  { op: "remove", path: "/metadata/finalizers/0" },
];
const REFUSED = new KubeError({ class: "Transient", status: 403, reason: "Forbidden", message: "no" });

/** Everything is there. */
function whole(of: Machine = deleted()) {
  return given(CLUSTER, of, CONFIG, INFRA, connection()).inWorkload(WORKLOAD, node());
}

/** Both provider objects are gone. */
function bare(of: Machine = deleted(), ...others: readonly KubeObject[]) {
  return given(CLUSTER, of, connection(), ...others);
}

describe("machine-delete", () => {
  it("leaves a Machine alone that lives", async () => {
    expect(
      await decide(machineDelete, whole(deleted({ metadata: { deletionTimestamp: undefined } }))),
    ).toEqual({
      result: done,
    });
  });

  it.each([
    ["a hook", deleted({ metadata: { annotations: { [HOOK]: "" } } }), "Machine.metadata.annotations"],
    ["the drain", deleted({ status: { conditions: [] } }), "Machine.status.conditions"],
    [
      "its own pause",
      deleted({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      "Machine.metadata.annotations[cluster.x-k8s.io/paused]",
    ],
  ])("waits for %s, in the snapshot or live", async (_, of, awaited) => {
    expect(await decide(machineDelete, whole(of))).toEqual({ result: waitFor(awaited) });
    expect(await decide(machineDelete, whole().live(of))).toEqual({ result: waitFor(awaited) });
  });

  it("deletes the infrastructure machine first, as it was read live", async () => {
    const newer = infraMachine("m1", { metadata: { ...OWNED.metadata, resourceVersion: "61" } });
    expect(await decide(machineDelete, whole().live(newer))).toEqual({
      delete: [
        { target: expect.objectContaining({ name: "m1", uid: "uid-infra-m1", resourceVersion: "61" }) },
      ],
      events: [],
      result: waitFor("InfraMachine.metadata.uid"),
    });
  });

  it("asks no server while the infrastructure machine or the config is going", async () => {
    const silent = (...objects: readonly KubeObject[]) =>
      given(CLUSTER, deleted(), ...objects).refusing("management", REFUSED);
    const going = infraMachine("m1", { metadata: { ...OWNED.metadata, deletionTimestamp: LONG_AGO } });
    const config = bootstrapConfig({
      metadata: { name: "m1-config", ...OWNED.metadata, deletionTimestamp: LONG_AGO },
    });
    expect((await decide(machineDelete, silent(going, CONFIG))).result).toEqual(
      waitFor("InfraMachine.metadata.uid"),
    );
    expect((await decide(machineDelete, silent(config))).result).toEqual(
      waitFor("BootstrapConfig.metadata.uid"),
    );
  });

  it("deletes the config once the API server has no infrastructure machine", async () => {
    const world = whole().without(INFRA);
    expect(await decide(machineDelete, world)).toMatchObject({
      delete: [
        {
          target: {
            name: "m1-config",
            uid: CONFIG.metadata.uid,
            resourceVersion: CONFIG.metadata.resourceVersion,
          },
        },
      ],
      result: waitFor("BootstrapConfig.metadata.uid"),
    });
    expect(await decide(machineDelete, world.live(INFRA))).toEqual({
      result: waitFor("InfraMachine.metadata.uid"),
    });
  });

  it("deletes the Node and lets the Machine go in one run", async () => {
    const decision = await decide(machineDelete, bare().inWorkload(WORKLOAD, node()));
    expect(decision.delete).toEqual([
      {
        target: expect.objectContaining({
          cluster: WORKLOAD,
          name: "n1",
          uid: "uid-n1",
          resourceVersion: "50",
        }),
        ifFails: { event: "FailedDeleteNode", againAfterMs: 2_000 },
      },
    ]);
    expect(decision.patch).toEqual([
      { target: expect.objectContaining({ name: "m1", resourceVersion: "70" }), operations: RELEASE },
    ]);
    expect(decision.result).toEqual(done);
  });

  it("reads a Machine without control plane of its own seven times live, from end to end", async () => {
    const gone = whole().without(INFRA);
    const runs = [whole(), gone, gone.without(CONFIG)];
    expect(await Promise.all(runs.map((world) => liveReads(machineDelete, world, "m1")))).toEqual([
      ["get Machine m1", "referenced FooMachine m1"],
      ["referenced FooConfig m1-config", "referenced FooMachine m1"],
      ["referenced FooConfig m1-config", "referenced FooMachine m1", "get Node n1"],
    ]);
  });

  it("deletes behind a config without finalizer in the same run, as far as the server ends it", async () => {
    const world = whole().without(INFRA).live(LOOSE_CONFIG);
    const decision = await decide(machineDelete, world);
    expect(decision.delete).toMatchObject([
      {
        target: { name: "m1-config", resourceVersion: LOOSE_CONFIG.metadata.resourceVersion },
        mustEnd: true,
      },
      { target: { name: "n1", resourceVersion: "50" }, ifFails: { event: "FailedDeleteNode" } },
    ]);
    expect(decision.patch).toMatchObject([{ target: { name: "m1" }, operations: RELEASE }]);
    expect(decision.result).toEqual(done);
    expect(await liveReads(machineDelete, world, "m1")).toEqual([
      "referenced FooConfig m1-config",
      "referenced FooMachine m1",
      "get Node n1",
    ]);
  });

  it("takes a Machine apart in one run when nothing of it has a finalizer", async () => {
    const loose = infraMachine("m1", { metadata: { ownerReferences: OWNER } });
    const world = whole().live(loose).live(LOOSE_CONFIG);
    const decision = await decide(machineDelete, world);
    expect(decision.delete?.map(({ target, mustEnd }) => [target.kind.kind, mustEnd])).toEqual([
      ["FooMachine", true],
      ["FooConfig", true],
      ["Node", undefined],
    ]);
    expect(await liveReads(machineDelete, world, "m1")).toEqual([
      "get Machine m1",
      "referenced FooMachine m1",
      "referenced FooConfig m1-config",
      "get Node n1",
    ]);
    const kept = await decide(machineDelete, whole().live(loose));
    expect(kept.delete).toMatchObject([{ mustEnd: true }, { target: { name: "m1-config" } }]);
    expect(kept.patch).toBeUndefined();
    expect(kept.result).toEqual(waitFor("BootstrapConfig.metadata.uid"));
  });

  it("lets nothing go while the API server has an object that snapshots no longer show", async () => {
    for (const object of [INFRA, CONFIG]) {
      const decision = await decide(machineDelete, bare().live(object).inWorkload(WORKLOAD, node()));
      expect(decision.patch).toBeUndefined();
    }
  });

  it("reads the Machine live, too, where no stage shows that its hooks were passed", async () => {
    const unsaid = deleted({ status: { conditions: undefined } });
    const held = merge<Machine>(unsaid, { metadata: { annotations: { [HOOK]: "" } } });
    const world = given(CLUSTER, unsaid, connection()).inWorkload(WORKLOAD, node());
    expect((await decide(machineDelete, world.live(held))).result).toEqual(
      waitFor("Machine.metadata.annotations"),
    );
    expect((await decide(machineDelete, world)).patch).toHaveLength(1);
    expect(await decide(machineDelete, world.goneLive(unsaid))).toEqual({ result: done });
  });

  it("takes a Machine apart that has no finalizer of ours", async () => {
    const of = deleted({ metadata: { finalizers: ["example.com/keep"] } });
    expect((await decide(machineDelete, whole(of))).delete).toHaveLength(1);
    expect((await decide(machineDelete, bare(of))).patch?.[0]?.operations).toEqual([]);
  });
});

describe("provider objects that are not the Machine's to wait for", () => {
  it("count as gone when another object controls them", async () => {
    const world = bare(
      deleted(NO_NODE),
      infraMachine("m1", FOREIGN),
      bootstrapConfig({ metadata: { name: "m1-config", ...FOREIGN.metadata } }),
    );
    const decision = await decide(machineDelete, world);
    expect(decision.delete).toBeUndefined();
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("are deleted without controller, and under a temporary one", async () => {
    const temporary = { ...CONTROLS, kind: "MachineSet", name: "s", uid: "uid-s", controller: true };
    for (const ownerReferences of [undefined, [temporary]]) {
      const world = bare(deleted(), infraMachine("m1", { metadata: { ownerReferences } }));
      expect((await decide(machineDelete, world)).delete).toHaveLength(1);
    }
  });

  it("count as gone when their CRD is gone, and hold while it claims no contract", async () => {
    const definition = crd("infrastructure.cluster.x-k8s.io", "FooMachine");
    const gone = bare(deleted(NO_NODE)).without(definition);
    expect((await decide(machineDelete, gone)).patch?.[0]?.operations).toEqual(RELEASE);
    const unlabelled = given(
      CLUSTER,
      deleted(),
      merge<typeof definition>(definition, { metadata: { labels: undefined } }),
      connection(),
    );
    expect((await decide(machineDelete, unlabelled)).result).toEqual(
      waitFor("CustomResourceDefinition.metadata.labels of infrastructure.cluster.x-k8s.io/FooMachine"),
    );
  });

  it("hold the deletion while a control plane object cannot be read", async () => {
    const world = given(
      cluster(),
      deleted(),
      INFRA,
      crd("controlplane.cluster.x-k8s.io", "FooControlPlane", { metadata: { labels: undefined } }),
    );
    expect((await decide(machineDelete, world)).result).toEqual(
      waitFor("CustomResourceDefinition.metadata.labels of controlplane.cluster.x-k8s.io/FooControlPlane"),
    );
  });
});

describe("a Machine whose Node is not handled", () => {
  const skipped = (message: string) => [
    {
      type: "Normal",
      reason: "NodeHandlingSkipped",
      message: `The Node is neither drained nor deleted: ${message}`,
    },
  ];

  it("goes without Node with its Cluster, and an Event says so", async () => {
    const going = cluster({ ...DELETING, spec: { controlPlaneRef: undefined } });
    const world = given(going, deleted({ status: { conditions: [] } }), INFRA, connection());
    const decision = await decide(machineDelete, world.inWorkload(WORKLOAD, node()));
    expect(decision.delete).toHaveLength(1);
    expect(decision.events).toEqual(skipped("The Cluster is being deleted"));
    const last = await decide(machineDelete, world.without(INFRA).inWorkload(WORKLOAD, node()));
    expect(last.delete).toBeUndefined();
    expect(last.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("goes without Cluster only when the API server has none", async () => {
    const world = given(deleted(), INFRA, connection());
    expect((await decide(machineDelete, world)).events).toEqual(skipped("The Cluster does not exist"));
    expect((await decide(machineDelete, world.live(CLUSTER))).result).toEqual(
      waitFor("Cluster.metadata.uid"),
    );
  });

  it("has no control plane Machine left, live", async () => {
    const labels = { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/control-plane": "" };
    const last = machine("cp1", { metadata: { labels, deletionTimestamp: LONG_AGO } });
    const world = given(CLUSTER, deleted(), INFRA, last, connection());
    expect((await decide(machineDelete, world, "m1")).events).toEqual(
      skipped(
        "The Cluster has no control plane Machine that stays, and no control plane object that runs without Machines",
      ),
    );
    const another = machine("cp2", { metadata: { labels } });
    expect((await decide(machineDelete, world.live(another), "m1")).result).toEqual(
      waitFor("Machine.metadata.deletionTimestamp"),
    );
  });

  it("waits for its nodeRef while a Node is there that it could name", async () => {
    const world = given(CLUSTER, deleted(NO_NODE), INFRA, connection());
    expect((await decide(machineDelete, world.inWorkload(WORKLOAD, node()))).result).toEqual(
      waitFor("Machine.status.nodeRef"),
    );
    const two = world.inWorkload(WORKLOAD, node(), node("n2", { spec: { providerID: "foo://1" } }));
    expect((await decide(machineDelete, two)).events).toEqual(skipped("The Machine has no Node"));
    expect((await decide(machineDelete, world)).events).toEqual(skipped("The Machine has no Node"));
  });

  it("waits for its nodeRef, too, when only its infrastructure machine has the provider ID", async () => {
    const unsynced = deleted({ ...NO_NODE, spec: { providerID: undefined } });
    const world = given(CLUSTER, unsynced, INFRA, connection()).inWorkload(WORKLOAD, node());
    expect((await decide(machineDelete, world)).result).toEqual(waitFor("Machine.status.nodeRef"));
    const foreign = given(CLUSTER, unsynced, infraMachine("m1", FOREIGN), connection());
    expect((await decide(machineDelete, foreign.inWorkload(WORKLOAD, node()))).patch).toHaveLength(1);
  });

  it("goes without a complete view of the workload cluster, of which it never had a Node", async () => {
    const partial = connection({ status: { nodesComplete: false } });
    const world = given(CLUSTER, deleted(NO_NODE), INFRA, partial).inWorkload(WORKLOAD, node());
    expect((await decide(machineDelete, world)).events).toEqual(skipped("The Machine has no Node"));
  });

  it("waits for the snapshot of a nodeRef that was set in between", async () => {
    const world = given(CLUSTER, deleted(NO_NODE), INFRA, connection()).live(deleted());
    expect((await decide(machineDelete, world)).result).toEqual(waitFor("Machine.status.nodeRef"));
  });
});

describe("the Node of a Machine that goes", () => {
  it("is left when it is another instance, and an Event says so", async () => {
    const other = node("n1", { spec: { providerID: "foo://9" } });
    const decision = await decide(machineDelete, bare().inWorkload(WORKLOAD, other));
    expect(decision.delete).toBeUndefined();
    expect(decision.events).toMatchObject([{ reason: "NodeHandlingSkipped" }]);
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  const renamed = node("n2", { spec: { providerID: "foo://1" } });
  it.each([
    ["is gone", []],
    ["is another instance", [node("n1", { spec: { providerID: "foo://9" } })]],
  ])(
    "is deleted under the name by which its kubelet registered again, where that of nodeRef %s",
    async (_, rest) => {
      const decision = await decide(machineDelete, bare().inWorkload(WORKLOAD, renamed, ...rest));
      expect(decision.delete).toMatchObject([{ target: { name: "n2", uid: "uid-n2", cluster: WORKLOAD } }]);
    },
  );

  it("is left under another name that another Machine names", async () => {
    const other = machine("m2", { spec: { providerID: "foo://2" }, status: { nodeRef: { name: "n2" } } });
    const decision = await decide(machineDelete, bare(deleted(), other).inWorkload(WORKLOAD, renamed), "m1");
    expect(decision.delete).toBeUndefined();
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("is known by its instance to a Machine that was deleted before it had its provider ID", async () => {
    const systemUUID = "4c4c4544-0042";
    const nodeInfo = { systemUUID } as NonNullable<Machine["status"]>["nodeInfo"];
    const of = deleted({ spec: { providerID: undefined }, status: { nodeInfo } });
    const on = (uuid: string) => node("n1", { status: { nodeInfo: { systemUUID: uuid } } });
    const decision = async (uuid: string) => decide(machineDelete, bare(of).inWorkload(WORKLOAD, on(uuid)));
    expect((await decision(systemUUID)).delete).toHaveLength(1);
    expect((await decision("another")).delete).toBeUndefined();
    expect((await decision("another")).patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("is left to another Machine that has its provider ID and stays", async () => {
    const other = machine("m2", { spec: { providerID: "foo://1" } });
    const world = bare(deleted(), other).inWorkload(WORKLOAD, node());
    expect((await decide(machineDelete, world, "m1")).delete).toBeUndefined();
    const both = bare(deleted(), merge<Machine>(other, DELETING)).inWorkload(WORKLOAD, node());
    expect((await decide(machineDelete, both, "m1")).delete).toHaveLength(1);
  });

  it("need not be there, or is going already", async () => {
    for (const world of [bare(), bare().inWorkload(WORKLOAD, node("n1", DELETING))]) {
      const decision = await decide(machineDelete, world);
      expect(decision.delete).toBeUndefined();
      expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
    }
  });

  it("is waited for until it says whose it is, and no longer than the timeout", async () => {
    const young = node("n1", { spec: { providerID: undefined } });
    const events = [
      {
        reason: "FailedDeleteNode",
        message: "error deleting Machine's Node: Node n1 has no provider ID yet",
      },
    ];
    const world = (of: Machine) => bare(of).inWorkload(WORKLOAD, young);
    const first = await decide(machineDelete, world(deleted()));
    expect(first).toMatchObject({ events, result: requeueAfter(2_000, "Node n1 has no provider ID yet") });
    expect(first.patch).toBeUndefined();
    expect((await decide(machineDelete, world(deleted(EXPIRED)))).patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("is tried again every two seconds while the server refuses, until the timeout or for ever", async () => {
    const world = (of: Machine) => bare(of).refusing(WORKLOAD, REFUSED);
    const events = [{ reason: "FailedDeleteNode", message: "error deleting Machine's Node: no" }];
    const result = requeueAfter(2_000, "no");
    expect(await decide(machineDelete, world(deleted()))).toMatchObject({ events, result });
    expect(await decide(machineDelete, world(deleted({ ...EXPIRED, ...UNTIMED })))).toMatchObject({
      events,
      result,
    });
    const gaveUp = await decide(machineDelete, world(deleted(EXPIRED)));
    expect(gaveUp).toMatchObject({ events, patch: [{ operations: RELEASE }] });
    const soon = new Date(NOW.getTime() + 9_000);
    expect((await decide(machineDelete, world(deleted()), undefined, soon)).result).toEqual(
      requeueAfter(1_000, "no"),
    );
  });

  it("is tried once more after the timeout, and the Machine goes whatever the answer", async () => {
    const decision = await decide(machineDelete, bare(deleted(EXPIRED)).inWorkload(WORKLOAD, node()));
    expect(decision.delete).toMatchObject([{ ifFails: { event: "FailedDeleteNode" } }]);
    expect(decision.delete?.[0]?.ifFails).not.toHaveProperty("againAfterMs");
    expect(decision.patch?.[0]?.operations).toEqual(RELEASE);
  });

  it("waits for the connection exactly until the timeout, or for ever", async () => {
    const away = connection({ status: { state: "unreachable", nodesComplete: false, message: "no route" } });
    const world = (of: Machine) => given(CLUSTER, of, away);
    expect(await decide(machineDelete, world(deleted()))).toEqual({
      result: requeueAfter(10_000, "the node deletion timeout"),
    });
    expect(await decide(machineDelete, world(deleted({ ...EXPIRED, ...UNTIMED })))).toEqual({
      result: waitFor("Connection.status.state"),
    });
    expect(await decide(machineDelete, world(deleted(EXPIRED)))).toMatchObject({
      events: [{ message: "error deleting Machine's Node: no route" }],
      patch: [{ operations: RELEASE }],
    });
  });

  it("takes a connection that is lost while it reads as none", async () => {
    const world = bare().refusing(WORKLOAD, new WaitingError("Connection default/c1"));
    expect((await decide(machineDelete, world)).result).toEqual(
      requeueAfter(10_000, "the node deletion timeout"),
    );
  });

  it("is not asked for by a Machine without Node", async () => {
    const world = bare(deleted(NO_NODE)).refusing(WORKLOAD, REFUSED);
    expect((await decide(machineDelete, world)).patch?.[0]?.operations).toEqual(RELEASE);
  });
});
