import { describe, expect, it } from "vitest";
import { machinesetMachines } from "../../../functions/machineset/machines.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { done, waitFor } from "../../../shared/function/result.ts";
import { RESERVATION } from "../../../shared/rules/machines/reservation.ts";
import { TEMPLATE_KEYS } from "../../../shared/rules/machines/template-keys.ts";
import {
  bootstrapConfig,
  cluster,
  crd,
  infraMachine,
  type Overrides,
  type ProviderObject,
} from "../../support/builders.ts";
import {
  bootstrapTemplate,
  infraTemplate,
  machineSet,
  OWNED_BY_S1,
  setMachine,
  TEMPLATE_CRDS,
} from "../../support/foo-sets.ts";
import { decide, given, type World } from "../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const KEYS = "cluster.x-k8s.io/cluster-name,cluster.x-k8s.io/set-name";
const CLUSTER = cluster({ spec: { controlPlaneRef: undefined } });
const YOUNG: Overrides<Machine> = { status: { initialization: undefined } };

function synced(name: string, overrides: Overrides<Machine> = {}): Machine {
  const machine = setMachine(name, overrides);
  const annotations = { [TEMPLATE_KEYS]: KEYS, ...machine.metadata.annotations };
  return { ...machine, metadata: { ...machine.metadata, annotations } };
}

/** Config and infrastructure machine of a Machine, cloned from the current templates. */
function objectsOf(name: string, overrides: Overrides<ProviderObject> = {}): readonly ProviderObject[] {
  const labels = { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/set-name": "s1" };
  const ownerReferences = [{ ...OWNED_BY_S1, kind: "Machine", name, uid: `uid-${name}` }];
  const clonedFrom = (template: string, groupKind: string): Overrides<ProviderObject> => ({
    metadata: {
      name,
      uid: `uid-${groupKind}-${name}`,
      labels,
      ownerReferences,
      annotations: {
        "cluster.x-k8s.io/cloned-from-name": template,
        "cluster.x-k8s.io/cloned-from-groupkind": groupKind,
      },
      ...overrides.metadata,
    },
  });
  return [
    bootstrapConfig(clonedFrom("s1-config", "FooConfigTemplate.bootstrap.cluster.x-k8s.io")),
    infraMachine(name, clonedFrom("s1-infra", "FooMachineTemplate.infrastructure.cluster.x-k8s.io")),
  ];
}

function complete(name: string, overrides: Overrides<Machine> = {}): readonly KubeObject[] {
  return [synced(name, overrides), ...objectsOf(name)];
}

function world(set: MachineSet, ...objects: readonly KubeObject[]): World {
  return given(CLUSTER, ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), set, ...objects);
}

function reserving(names: readonly string[], replicas = 3): MachineSet {
  return machineSet({
    metadata: { annotations: { [RESERVATION]: JSON.stringify(names) } },
    spec: { replicas },
  });
}

/** Writes of a decision in words. */
async function deeds(to: World) {
  const { create = [], patch = [], delete: deleted = [], result } = await decide(machinesetMachines, to);
  return {
    create: create
      .flatMap((made) => [made, ...(made.dependents ?? [])])
      .map(({ object }) => `${object.kind} ${object.metadata.name}`),
    patch: patch.flatMap(({ target, operations }) =>
      operations.map(({ op, path }) => `${target.kind.kind} ${target.name} ${op} ${path}`),
    ),
    delete: deleted.map(({ target }) => target.name),
    result,
  };
}

const NOTHING = { create: [], patch: [], delete: [], result: done };
const RESERVE = "/metadata/annotations/capstan.dev~1machine-reservation";

describe("machineset-machines, more Machines", () => {
  it("reserves the names of all missing Machines in one patch, which is sent before the first of them is made", async () => {
    const { create = [], patch = [] } = await decide(machinesetMachines, world(machineSet()));
    expect(patch.map(({ order, operations }) => [order, operations.length])).toEqual([
      ["first", 1],
      ["last", 0],
    ]);
    expect(patch[0]?.target).toMatchObject({ name: "s1", uid: "uid-s1", resourceVersion: "20" });
    const [operation] = patch[0]?.operations ?? [];
    const value = operation !== undefined && "value" in operation ? Object(operation.value) : {};
    expect(JSON.parse(value[RESERVATION])).toEqual([
      create[0]?.object.metadata.name,
      expect.stringMatching(/^s1-\w{5}$/),
      expect.stringMatching(/^s1-\w{5}$/),
    ]);
    expect(create.map(({ object }) => object.kind)).toEqual(["Machine"]);
  });

  it("reserves on the version that was read live, with other names than a snapshot would", async () => {
    const names = async (to: World) =>
      (await decide(machinesetMachines, to)).patch?.map(({ target, operations }) => [
        target.resourceVersion,
        JSON.stringify(operations),
      ]);
    const [[version, first] = []] = (await names(world(machineSet()))) ?? [];
    const newer = machineSet({ metadata: { resourceVersion: "21" } });
    const [[newVersion, second] = []] = (await names(world(machineSet()).live(newer))) ?? [];
    expect([version, newVersion]).toEqual(["20", "21"]);
    expect(second).not.toBe(first);
  });

  it("makes the first reserved Machine alone, with the objects that it owns", async () => {
    const to = world(reserving(["s1-a", "s1-b", "s1-c"]));
    expect(await deeds(to)).toEqual({
      ...NOTHING,
      create: ["Machine s1-a", "FooConfig s1-a", "FooMachine s1-a"],
    });
    const { create = [] } = await decide(machinesetMachines, to);
    const owners = create[0]?.dependents?.map(({ object }) => object.metadata.ownerReferences);
    const owner = { kind: "Machine", name: "s1-a", uid: "", controller: true };
    expect(owners).toMatchObject([[owner], [owner]]);
  });

  it("then the config and infrastructure machine that it still lacks, from the live templates", async () => {
    const to = world(reserving(["s1-a", "s1-b", "s1-c"]), synced("s1-a", YOUNG));
    expect(await deeds(to)).toEqual({ ...NOTHING, create: ["FooConfig s1-a", "FooMachine s1-a"] });
    const { create = [] } = await decide(machinesetMachines, to);
    expect(create[0]?.object).toMatchObject({
      metadata: { labels: { boot: "yes", "cluster.x-k8s.io/set-name": "s1" } },
      spec: { join: true },
    });
  });

  it("then the others together, once both objects of the first were accepted, which ends the reservation", async () => {
    const first = [synced("s1-a", YOUNG), ...objectsOf("s1-a")];
    const set = reserving(["s1-a", "s1-b", "s1-c"]);
    expect(await deeds(world(set, ...first))).toEqual({
      ...NOTHING,
      create: ["b", "c"].flatMap((x) => [`Machine s1-${x}`, `FooConfig s1-${x}`, `FooMachine s1-${x}`]),
      patch: ["test", "remove"].map((op) => `MachineSet s1 ${op} ${RESERVE}`),
    });
    const [, infrastructure = infraMachine()] = objectsOf("s1-a");
    expect(await deeds(world(set, synced("s1-a", YOUNG), infrastructure))).toMatchObject({
      create: ["FooConfig s1-a"],
    });
  });

  it("clears the reservation in the run that sees all of them, together with their objects", async () => {
    const names = ["s1-a", "s1-b", "s1-c"];
    const machines = names.map((name) => synced(name, YOUNG));
    expect(await deeds(world(reserving(names), ...machines, ...objectsOf("s1-a")))).toEqual({
      ...NOTHING,
      create: ["FooConfig s1-b", "FooMachine s1-b", "FooConfig s1-c", "FooMachine s1-c"],
      patch: [`MachineSet s1 remove ${RESERVE}`],
    });
  });

  it("does nothing, and asks the API server nothing, when all is there", async () => {
    const names = ["m1", "m2", "m3"];
    expect(await deeds(world(machineSet(), ...names.flatMap((name) => complete(name))))).toEqual(NOTHING);
  });

  it("counts Machines live: one that a snapshot does not show yet is not made twice", async () => {
    const to = world(reserving(["s1-a"], 1)).live(synced("s1-a", YOUNG));
    expect(await deeds(to)).toMatchObject({
      create: ["FooConfig s1-a", "FooMachine s1-a"],
      patch: [`MachineSet s1 remove ${RESERVE}`],
    });
  });

  it("counts Machines that are being deleted", async () => {
    const machines = ["m1", "m2", "m3"].flatMap((name) =>
      complete(name, { metadata: { deletionTimestamp: DELETED } }),
    );
    expect(await deeds(world(machineSet(), ...machines))).toEqual(NOTHING);
  });

  it("drops a name that a Machine of another owner has, and reserves another", async () => {
    const foreign = setMachine("s1-a", {
      metadata: { ownerReferences: [{ ...OWNED_BY_S1, name: "s2", uid: "uid-s2" }], labels: undefined },
    });
    const { create, patch } = await decide(machinesetMachines, world(reserving(["s1-a"], 1), foreign));
    expect(create).toHaveLength(1);
    const [operation] = patch?.[0]?.operations ?? [];
    expect(operation).toMatchObject({ op: "add", path: RESERVE });
    expect(JSON.stringify(operation)).not.toContain("s1-a");
  });

  it("makes none with the annotation disable-machine-create", async () => {
    const off = { annotations: { "cluster.x-k8s.io/disable-machine-create": "true" } };
    expect(await deeds(world(machineSet({ metadata: off })))).toEqual(NOTHING);
  });

  it("gives a running Machine that lost its infrastructure no second one", async () => {
    const [config = bootstrapConfig()] = objectsOf("m1");
    const to = world(machineSet({ spec: { replicas: 1 } }), synced("m1"), config);
    expect(await deeds(to)).toEqual(NOTHING);
  });
});

describe("machineset-machines, templates that make nothing", () => {
  it("reserves nothing while a template is missing", async () => {
    expect(await deeds(world(machineSet()).without(infraTemplate()))).toEqual(NOTHING);
  });

  it("makes no Machine, and nothing more of one, while the kind of its objects is not served, says so, and tries again", async () => {
    const bar = { kind: "BarMachineTemplate" } as const;
    const set = machineSet({
      metadata: { annotations: { [RESERVATION]: '["s1-a","s1-b"]' } },
      spec: { replicas: 2, template: { spec: { infrastructureRef: bar } } },
    });
    const [config = bootstrapConfig()] = objectsOf("s1-a");
    const first = [synced("s1-a", { ...YOUNG, spec: { infrastructureRef: { kind: "BarMachine" } } }), config];
    const template = { ...infraTemplate(), ...bar };
    const served = crd("infrastructure.cluster.x-k8s.io", "BarMachineTemplate");
    const unlabelled = crd("infrastructure.cluster.x-k8s.io", "BarMachine", {
      metadata: { labels: undefined },
    });
    for (const present of [[served], [served, ...first], [served, unlabelled, ...first]]) {
      const to = world(set, template, ...present);
      const { create = [], patch = [], events, result } = await decide(machinesetMachines, to);
      expect({ create, operations: patch.flatMap(({ operations }) => operations) }).toEqual({
        create: [],
        operations: [],
      });
      const message = expect.stringContaining("infrastructure.cluster.x-k8s.io/BarMachine ");
      expect(events).toEqual([{ type: "Warning", reason: "FailedCreate", message }]);
      expect(result).toMatchObject({ type: "requeue", afterMs: 60_000 });
    }
  });

  it("clones an empty object from a template without spec", async () => {
    const { spec: _, ...empty } = infraTemplate();
    const to = world(reserving(["s1-a", "s1-b"], 2), synced("s1-a", YOUNG)).without(infraTemplate());
    const metadataOnly = given(...to.snapshots.map(({ object }) => object), empty);
    expect(await deeds(metadataOnly)).toMatchObject({ create: ["FooConfig s1-a", "FooMachine s1-a"] });
  });

  it("reserves and makes nothing while a preflight check fails", async () => {
    const missing = cluster();
    expect(await deeds(world(machineSet()).without(CLUSTER).without(missing))).toMatchObject({
      result: waitFor("Cluster.metadata.uid"),
    });
    const blocked = given(...world(reserving(["s1-a"])).snapshots.map(({ object }) => object), missing);
    expect(await deeds(blocked)).toEqual(NOTHING);
  });
});

describe("machineset-machines, a server that refuses", () => {
  it("says with each object what follows when it is refused, later for a Machine that has waited long", async () => {
    const again = async (creationTimestamp: string) => {
      const waiting = synced("s1-a", { ...YOUNG, metadata: { creationTimestamp } });
      const { create = [] } = await decide(machinesetMachines, world(reserving(["s1-a"], 1), waiting));
      return create.map(({ ifFails }) => ifFails);
    };
    const refused = (againAfterMs: number) => ({ event: "FailedCreate", againAfterMs });
    expect(await again("2026-01-01T12:00:00Z")).toEqual([refused(1_000), refused(1_000)]);
    expect(await again("2026-01-01T11:59:50Z")).toEqual([refused(10_000), refused(10_000)]);
    expect(await again("2025-01-01T00:00:00Z")).toEqual([refused(60_000), refused(60_000)]);
  });

  it("announces a Machine once the server has accepted it", async () => {
    const { create = [], events } = await decide(machinesetMachines, world(reserving(["s1-a"], 1)));
    expect(create.map(({ ifFails, announces }) => ({ ifFails, announces }))).toEqual([
      {
        ifFails: { event: "FailedCreate", againAfterMs: 15_000 },
        announces: { type: "Normal", reason: "SuccessfulCreate", message: 'Created Machine "s1-a"' },
      },
    ]);
    expect(events).toEqual([]);
  });
});

describe("machineset-machines, fewer Machines", () => {
  it("deletes the first of the deletion order, with uid and resourceVersion", async () => {
    const chosen = { metadata: { annotations: { "cluster.x-k8s.io/delete-machine": "" } } };
    const machines = [complete("m1"), complete("m2"), complete("m3", chosen)].flat();
    const to = world(machineSet({ spec: { replicas: 1 } }), ...machines);
    const decision = await decide(machinesetMachines, to);
    expect(decision.delete?.map(({ target }) => [target.name, target.uid, target.resourceVersion])).toEqual([
      ["m3", "uid-m3", "70"],
      ["m1", "uid-m1", "70"],
    ]);
    expect(decision.delete?.map(({ announces }) => announces?.message)).toEqual([
      'Deleted Machine "m3"',
      'Deleted Machine "m1"',
    ]);
  });

  it("lets Machines that are going use up their places", async () => {
    const going = { metadata: { deletionTimestamp: DELETED } };
    const machines = [complete("m1"), complete("m2"), complete("m3", going)].flat();
    expect(await deeds(world(machineSet({ spec: { replicas: 2 } }), ...machines))).toEqual(NOTHING);
    expect((await deeds(world(machineSet({ spec: { replicas: 1 } }), ...machines))).delete).toEqual(["m1"]);
  });

  it("drops reserved names for which there is no room any more", async () => {
    expect(await deeds(world(reserving(["s1-a"], 1), ...complete("m1")))).toEqual({
      ...NOTHING,
      patch: [`MachineSet s1 remove ${RESERVE}`],
    });
  });

  it("deletes none while Cluster API's manager moves them, nor counts one that waits for that", async () => {
    const prefix = "in-place-updates.internal.cluster.x-k8s.io";
    const machines = [complete("m1"), complete("m2")].flat();
    const moving = { [`${prefix}/move-machines-to-machineset`]: "s2" };
    const set = machineSet({ metadata: { annotations: moving }, spec: { replicas: 1 } });
    expect(await deeds(world(set, ...machines))).toEqual(NOTHING);
    const pending = { metadata: { annotations: { [`${prefix}/pending-acknowledge-move`]: "" } } };
    const receiving = { [`${prefix}/receive-machines-from-machinesets`]: "s0" };
    const target = machineSet({ metadata: { annotations: receiving }, spec: { replicas: 1 } });
    expect(await deeds(world(target, ...complete("m1"), ...complete("m2", pending)))).toEqual(NOTHING);
  });
});

describe("machineset-machines, whose Machines", () => {
  it("adopts a Machine that matches and has no controller, and does only that", async () => {
    const orphan = setMachine("m1", { metadata: { ownerReferences: undefined } });
    const decision = await decide(machinesetMachines, world(machineSet(), orphan));
    expect(decision).toEqual({
      patch: [
        {
          target: expect.objectContaining({ name: "m1", resourceVersion: "70" }),
          operations: [{ op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_S1] }],
          ifFails: { event: "FailedAdopt", againAfterMs: 15_000, says: 'Failed to adopt Machine "m1"' },
          announces: { type: "Normal", reason: "SuccessfulAdopt", message: 'Adopted Machine "m1"' },
        },
      ],
      result: done,
    });
  });

  it("takes a Machine back that names it under an older uid", async () => {
    const stale = { ...OWNED_BY_S1, uid: "uid-old" };
    const former = setMachine("m1", { metadata: { ownerReferences: [stale] } });
    const { patch } = await decide(machinesetMachines, world(machineSet(), former));
    expect(patch?.[0]?.operations).toEqual([
      { op: "test", path: "/metadata/ownerReferences/0", value: stale },
      { op: "replace", path: "/metadata/ownerReferences/0", value: OWNED_BY_S1 },
    ]);
  });

  it.each([
    [
      "of another controller",
      { metadata: { ownerReferences: [{ ...OWNED_BY_S1, name: "s2", uid: "uid-s2" }] } },
    ],
    [
      "with other labels",
      { metadata: { ownerReferences: undefined, labels: { "cluster.x-k8s.io/set-name": "x" } } },
    ],
    ["of another Cluster", { metadata: { ownerReferences: undefined }, spec: { clusterName: "c2" } }],
    ["that is being deleted", { metadata: { ownerReferences: undefined, deletionTimestamp: DELETED } }],
  ])("neither adopts nor counts a Machine %s", async (_, overrides: Overrides<Machine>) => {
    const to = world(machineSet({ spec: { replicas: 0 } }), setMachine("m1", overrides));
    expect(await deeds(to)).toEqual(NOTHING);
  });

  it("counts and repairs its own Machine whose labels were removed", async () => {
    const bare = synced("m1", { metadata: { labels: undefined } });
    const to = world(machineSet({ spec: { replicas: 1 } }), bare, ...objectsOf("m1"));
    expect((await deeds(to)).patch).toEqual(["Machine m1 add /metadata/labels"]);
  });
});

describe("machineset-machines, in-place fields", () => {
  const template = {
    metadata: { labels: { tier: "a" }, annotations: { note: "b" } },
    spec: {
      minReadySeconds: 5,
      readinessGates: [{ conditionType: "example.com/gpu" }],
      deletion: { nodeDrainTimeoutSeconds: 60 },
      version: "v1.35.0",
    },
  };
  const changed = machineSet({ spec: { replicas: 1, template } });

  it("writes the objects first, then the Machine, and does only that", async () => {
    expect(await deeds(world(changed, ...complete("m1")))).toEqual({
      ...NOTHING,
      patch: [
        "FooConfig m1 add /metadata/labels/tier",
        "FooConfig m1 add /metadata/annotations/note",
        "FooMachine m1 add /metadata/labels/tier",
        "FooMachine m1 add /metadata/annotations/note",
      ],
    });
  });

  it("comes again for the Machine where only annotations change: no snapshot has those of objects", async () => {
    const noted = machineSet({
      spec: { replicas: 1, template: { metadata: { annotations: { note: "b" } } } },
    });
    expect((await decide(machinesetMachines, world(noted, ...complete("m1")))).result).toMatchObject({
      type: "requeue",
      afterMs: 1_000,
    });
    expect((await decide(machinesetMachines, world(changed, ...complete("m1")))).result).toEqual(done);
  });

  it("then the Machine, in one patch with its tracker; version and references stay", async () => {
    const objects = objectsOf("m1").map((object) => ({
      ...object,
      metadata: {
        ...object.metadata,
        labels: { ...object.metadata.labels, tier: "a" },
        annotations: { ...object.metadata.annotations, note: "b" },
      },
    }));
    const { patch } = await decide(machinesetMachines, world(changed, synced("m1"), ...objects));
    expect(patch).toHaveLength(1);
    expect(patch?.[0]?.operations).toEqual([
      { op: "add", path: "/metadata/labels/tier", value: "a" },
      { op: "add", path: "/metadata/annotations/note", value: "b" },
      {
        op: "add",
        path: "/metadata/annotations/capstan.dev~1keys-from-template",
        value: `.spec.minReadySeconds,.spec.nodeDrainTimeoutSeconds,.spec.readinessGates,${KEYS},note,tier`,
      },
      { op: "add", path: "/spec/minReadySeconds", value: 5 },
      { op: "add", path: "/spec/readinessGates", value: template.spec.readinessGates },
      {
        op: "add",
        path: "/spec/deletion",
        value: { nodeDeletionTimeoutSeconds: 10, nodeDrainTimeoutSeconds: 60 },
      },
    ]);
  });

  it("takes away what left the template, and leaves what a user has set", async () => {
    const machine = setMachine("m1", {
      metadata: {
        labels: { tier: "a", mine: "x" },
        annotations: {
          [TEMPLATE_KEYS]: `.spec.minReadySeconds,.spec.nodeDeletionTimeoutSeconds,${KEYS},tier`,
          mine: "y",
        },
      },
      spec: { minReadySeconds: 5, deletion: { nodeDrainTimeoutSeconds: 9, nodeDeletionTimeoutSeconds: 77 } },
    });
    const to = world(machineSet({ spec: { replicas: 1 } }), machine, ...objectsOf("m1"));
    const { patch } = await decide(machinesetMachines, to);
    expect(patch?.flatMap(({ operations }) => operations)).toEqual([
      { op: "remove", path: "/metadata/labels/tier" },
      { op: "add", path: "/metadata/annotations/capstan.dev~1keys-from-template", value: KEYS },
      { op: "remove", path: "/spec/minReadySeconds" },
      {
        op: "add",
        path: "/spec/deletion",
        value: { nodeDrainTimeoutSeconds: 9, nodeDeletionTimeoutSeconds: 10 },
      },
    ]);
  });

  it("gives a Machine that is being deleted fields of its spec only", async () => {
    const going = synced("m1", { metadata: { deletionTimestamp: DELETED } });
    expect((await deeds(world(changed, going, ...objectsOf("m1")))).patch).toEqual([
      "Machine m1 add /spec/minReadySeconds",
      "Machine m1 add /spec/readinessGates",
      "Machine m1 add /spec/deletion",
    ]);
  });

  it("repairs a label that an object has lost, and leaves an object of another controller", async () => {
    const bare = objectsOf("m1").map((object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { "cluster.x-k8s.io/set-name": "s1" } },
    }));
    const set = machineSet({ spec: { replicas: 1 } });
    expect((await deeds(world(set, synced("m1"), ...bare))).patch).toEqual([
      "FooConfig m1 add /metadata/labels/cluster.x-k8s.io~1cluster-name",
      "FooMachine m1 add /metadata/labels/cluster.x-k8s.io~1cluster-name",
    ]);
    const foreign = objectsOf("m1", { metadata: { labels: {}, ownerReferences: [OWNED_BY_S1] } });
    expect(await deeds(world(set, synced("m1"), ...foreign))).toEqual(NOTHING);
  });
});

describe("machineset-machines, when it may not act", () => {
  it.each([
    [
      "the Cluster is paused",
      machineSet(),
      cluster({ spec: { paused: true, controlPlaneRef: undefined } }),
      waitFor("Cluster.spec.paused"),
    ],
    ["the set is deleted", machineSet({ metadata: { deletionTimestamp: DELETED } }), CLUSTER, done],
    ["the Cluster is deleted", machineSet(), cluster({ metadata: { deletionTimestamp: DELETED } }), done],
    [
      "the guard was not there",
      machineSet({ metadata: { finalizers: undefined } }),
      CLUSTER,
      waitFor("MachineSet.metadata.finalizers"),
    ],
    [
      "there is no selector yet",
      machineSet({ spec: { selector: { matchLabels: undefined } } }),
      CLUSTER,
      waitFor("MachineSet.spec.selector"),
    ],
    [
      "admission would refuse it",
      machineSet({ spec: { replicas: -1 } }),
      CLUSTER,
      waitFor("MachineSet.spec"),
    ],
  ])("writes nothing while %s", async (_, set, of, result) => {
    const objects = world(set).snapshots.map(({ object }) => object);
    expect(await decide(machinesetMachines, given(...objects, of))).toEqual({ result });
  });

  it("does nothing once the API server has it paused, deleted or gone", async () => {
    const to = world(machineSet());
    const paused = machineSet({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } });
    expect(await decide(machinesetMachines, to.live(paused))).toEqual({
      result: waitFor("MachineSet.metadata.annotations[cluster.x-k8s.io/paused]"),
    });
    const deleted = machineSet({ metadata: { deletionTimestamp: DELETED } });
    expect(await decide(machinesetMachines, to.live(deleted))).toEqual({ result: done });
    expect(await decide(machinesetMachines, to.goneLive(machineSet()))).toEqual({ result: done });
    expect(await decide(machinesetMachines, to.live(machineSet({ metadata: { uid: "other" } })))).toEqual({
      result: done,
    });
    expect(
      await decide(machinesetMachines, to.live(cluster({ metadata: { deletionTimestamp: DELETED } }))),
    ).toEqual({ result: done });
  });
});
