import { describe, expect, it } from "vitest";
import { MAX_REPLICAS } from "../../../functions/machinedeployment/rules/given.ts";
import { inPlacePatch } from "../../../functions/machinedeployment/rules/in-place.ts";
import { machinedeploymentSets } from "../../../functions/machinedeployment/sets.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";
import { DESIRED_REPLICAS, ROLLOUT_AFTER } from "../../../shared/rules/rollout/plan-input.ts";
import { setNameFor } from "../../../shared/rules/rollout/set-name.ts";
import { cluster, merge, type Overrides } from "../../support/builders.ts";
import { machineDeployment, OWNED_BY_D1, setOfDeployment } from "../../support/foo-deployments.ts";
import { bootstrapTemplate, infraTemplate, TEMPLATE_CRDS } from "../../support/foo-sets.ts";
import { patched } from "../../support/patched.ts";
import { decide, given, liveReads, type World } from "../../support/world.ts";

const GOING = { deletionTimestamp: "2026-01-01T11:59:00Z" };
const DISABLED = "cluster.x-k8s.io/disable-machine-create";
const OLD_TEMPLATE = { template: { spec: { version: "v1.33.0" } } };
const NEW_TEMPLATE = { template: { spec: { version: "v1.34.0" } } };
const NEWER = { creationTimestamp: "2026-01-01T01:00:00Z" };

const first = (overrides: Overrides<MachineDeployment> = {}) =>
  machineDeployment(merge({ metadata: { annotations: { [REVISION]: "1" } } }, overrides as object));
/** Rolls out its second template. */
const second = (overrides: Overrides<MachineDeployment> = {}) =>
  machineDeployment(
    merge({ metadata: { annotations: { [REVISION]: "2" } }, spec: NEW_TEMPLATE }, overrides as object),
  );

/** All Machines of a set of this size are there, available and up to date. */
function counts(replicas: number, available = replicas): Overrides<MachineSet> {
  return {
    spec: { replicas },
    status: {
      replicas,
      availableReplicas: available,
      upToDateReplicas: replicas,
      observedGeneration: 2,
    },
  };
}

/** A set that has followed the deployment so far. */
function setOf(
  deployment: MachineDeployment,
  name: string,
  revision: string,
  ...parts: readonly Overrides<MachineSet>[]
): MachineSet {
  const planned = {
    [DESIRED_REPLICAS]: String(deployment.spec.replicas),
    [MAX_REPLICAS]: String((deployment.spec.replicas ?? 0) + 1),
    [DISABLED]: "false",
    [REVISION]: revision,
  };
  const set = setOfDeployment(name);
  const followed = patched(set, inPlacePatch(deployment, set, planned));
  return parts.reduce<MachineSet>((so, part) => merge<MachineSet>(so, part), followed);
}

const oldSet = (deployment: MachineDeployment, ...parts: readonly Overrides<MachineSet>[]) =>
  setOf(deployment, "d1-aaaaa", "1", { spec: OLD_TEMPLATE }, ...parts);
const newSet = (deployment: MachineDeployment, ...parts: readonly Overrides<MachineSet>[]) =>
  setOf(deployment, "d1-bbbbb", "2", { metadata: NEWER, spec: NEW_TEMPLATE }, ...parts);

function world(deployment: MachineDeployment, ...objects: readonly KubeObject[]): World {
  const home = cluster();
  return given(home, ...TEMPLATE_CRDS, bootstrapTemplate(), infraTemplate(), deployment, ...objects);
}

/** Writes of a decision in words. */
async function deeds(to: World) {
  const { create = [], patch = [], delete: deleted = [], result } = await decide(machinedeploymentSets, to);
  return {
    create: create.map(({ object }) => `${object.metadata.name} of ${(object as MachineSet).spec.replicas}`),
    patch: patch.flatMap(({ target, operations }) =>
      operations.map(
        (operation) =>
          `${target.name} ${operation.path}${"value" in operation ? ` ${text(operation.value)}` : ""}`,
      ),
    ),
    delete: deleted.map(({ target }) => target.name),
    result,
  };
}

function text(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const NOTHING = { create: [], patch: [], delete: [], result: done };
const nameOf = (deployment: MachineDeployment) => setNameFor(deployment, undefined).name;

describe("machinedeployment-sets, the first set", () => {
  it("is made complete: owner, labels, selector, template, finalizer, annotations and the whole size", async () => {
    const deployment = machineDeployment({
      metadata: { annotations: { cost: "low", "cluster.x-k8s.io/disable-machine-create": "true" } },
      spec: { deletion: { order: "Oldest" }, template: { metadata: { annotations: { note: "a" } } } },
    });
    const { name, hash } = setNameFor(deployment, undefined);
    const { create = [], patch } = await decide(machinedeploymentSets, world(deployment));
    expect(patch).toEqual([]);
    const labels = { ...deployment.spec.template.metadata?.labels, "machine-template-hash": hash };
    expect(create).toMatchObject([
      {
        object: {
          metadata: {
            name,
            namespace: "default",
            labels,
            finalizers: ["cluster.x-k8s.io/machineset"],
            ownerReferences: [OWNED_BY_D1],
            annotations: {
              cost: "low",
              [DISABLED]: "false",
              [DESIRED_REPLICAS]: "3",
              [MAX_REPLICAS]: "4",
              [REVISION]: "1",
            },
          },
          spec: {
            clusterName: "c1",
            replicas: 3,
            selector: { matchLabels: labels },
            template: { ...deployment.spec.template, metadata: { labels, annotations: { note: "a" } } },
            deletion: { order: "Oldest" },
          },
        },
        ifFails: {
          event: "FailedCreate",
          againAfterMs: 15_000,
          says: `Failed to create MachineSet default/${name}`,
        },
        announces: {
          reason: "SuccessfulCreate",
          message: `Created MachineSet default/${name} with 3 replicas`,
        },
      },
    ]);
    // The next run finds nothing to add to it, but its revision on the deployment.
    const [made] = create;
    const set = merge<KubeObject>(made?.object ?? deployment, {
      metadata: { uid: "uid-s", resourceVersion: "9" },
    });
    expect(await deeds(world(deployment, set))).toMatchObject({
      create: [],
      patch: [`d1 /metadata/annotations/machinedeployment.clusters.x-k8s.io~1revision 1`],
    });
  });

  it("is not made twice: the API server shows it before a snapshot does", async () => {
    const deployment = machineDeployment();
    const made = setOf(deployment, nameOf(deployment), "1");
    expect((await deeds(world(deployment).live(made))).create).toEqual([]);
    expect(await liveReads(machinedeploymentSets, world(deployment), "d1")).toEqual([
      "get MachineDeployment d1",
      "list MachineSet",
      "referenced FooConfigTemplate s1-config",
      "referenced FooMachineTemplate s1-infra",
      `get MachineSet ${nameOf(deployment)}`,
    ]);
  });

  it("gets the next name where a set that is going, or that of another owner, has its name", async () => {
    const deployment = first();
    const name = nameOf(deployment);
    for (const part of [
      { metadata: GOING },
      { metadata: { ownerReferences: [{ ...OWNED_BY_D1, name: "d2", uid: "uid-d2" }] } },
    ]) {
      const taken = merge<MachineSet>(setOf(deployment, name, "1", counts(0)), part);
      const next = setNameFor(deployment, undefined, [taken.metadata.uid ?? ""]).name;
      expect((await deeds(world(deployment, taken))).create).toEqual([`${next} of 3`]);
    }
  });

  it("waits for a template, and nothing else is written meanwhile", async () => {
    const deployment = second({ spec: { replicas: 5 } });
    const to = world(deployment, oldSet(first(), counts(3)));
    const result = waitFor("FooMachineTemplate.metadata.uid");
    expect(await deeds(to.without(infraTemplate()))).toEqual({ ...NOTHING, result });
    expect(await deeds(to.goneLive(infraTemplate()))).toEqual({ ...NOTHING, result });
    expect(await liveReads(machinedeploymentSets, to.without(infraTemplate()), "d1")).toEqual([]);
    expect((await deeds(to.without(TEMPLATE_CRDS[1]))).result).toEqual(
      waitFor("CustomResourceDefinition.metadata.uid of infrastructure.cluster.x-k8s.io/FooMachineTemplate"),
    );
  });

  it("is not waited for where a current set is there: its own Machines wait for the template", async () => {
    const to = world(
      first(),
      oldSet(first(), counts(3), { spec: { replicas: 2, template: { spec: { version: undefined } } } }),
    );
    expect(await deeds(to.without(infraTemplate()))).toMatchObject({ patch: ["d1-aaaaa /spec/replicas 3"] });
  });
});

describe("machinedeployment-sets, a rollout", () => {
  const deployment = second();

  it("makes the new set within the surge and its revision, with the sizes of the old ones, if any", async () => {
    const { create, patch } = await deeds(world(second(), oldSet(first(), counts(3))));
    expect(create).toEqual([`${nameOf(deployment)} of 1`]);
    expect(patch).toEqual([]);
  });

  it("takes from the old set once Machines of the new one are available, then grows the new one", async () => {
    const size = async (old: number, fresh: number, available = fresh) =>
      (
        await deeds(
          world(deployment, oldSet(deployment, counts(old)), newSet(deployment, counts(fresh, available))),
        )
      ).patch;
    expect(await size(3, 1, 0)).toEqual([]);
    expect(await size(3, 1)).toEqual(["d1-aaaaa /spec/replicas 2"]);
    expect(await size(2, 1)).toEqual(["d1-bbbbb /spec/replicas 2"]);
    expect(await size(1, 3)).toEqual(["d1-aaaaa /spec/replicas 0"]);
  });

  it("writes each size under the version of its set, says so, and continues where one is refused", async () => {
    const sets = [oldSet(deployment, counts(3)), newSet(deployment, counts(1))];
    const { patch } = await decide(machinedeploymentSets, world(deployment, ...sets));
    expect(patch).toEqual([
      {
        target: expect.objectContaining({ name: "d1-aaaaa", uid: "uid-d1-aaaaa", resourceVersion: "20" }),
        operations: [{ op: "add", path: "/spec/replicas", value: 2 }],
        ifFails: {
          event: "FailedUpdate",
          againAfterMs: 15_000,
          says: "Failed to update MachineSet default/d1-aaaaa",
        },
        announces: {
          type: "Normal",
          reason: "SuccessfulScale",
          message: "Scaled down MachineSet d1-aaaaa: 3 -> 2",
        },
      },
    ]);
  });

  it("plans by the sets that the API server has, and asks it nothing while snapshots show nothing to do", async () => {
    const sets = [oldSet(deployment, counts(3)), newSet(deployment, counts(1))];
    const lagging = world(deployment, ...sets).live(oldSet(deployment, counts(2)));
    expect((await deeds(lagging)).patch).toEqual(["d1-bbbbb /spec/replicas 2"]);
    const resting = world(deployment, newSet(deployment, counts(3)));
    expect(await deeds(resting)).toEqual(NOTHING);
    expect(await liveReads(machinedeploymentSets, resting, "d1")).toEqual([]);
  });

  it("deletes an emptied set when all is done, with uid and version, and says so", async () => {
    const sets = [oldSet(deployment, counts(0)), newSet(deployment, counts(3))];
    const decision = await decide(machinedeploymentSets, world(deployment, ...sets));
    expect(decision).toMatchObject({
      patch: [],
      delete: [
        {
          target: { name: "d1-aaaaa", uid: "uid-d1-aaaaa", resourceVersion: "20" },
          ifFails: { event: "FailedDelete", says: 'Failed to delete MachineSet "d1-aaaaa"' },
          announces: { type: "Normal", reason: "SuccessfulDelete", message: 'Deleted MachineSet "d1-aaaaa"' },
        },
      ],
    });
    const going = oldSet(deployment, counts(0), { status: { replicas: 1 } });
    expect((await deeds(world(deployment, going, newSet(deployment, counts(3))))).delete).toEqual([]);
  });

  it("gives the former set the next number when its template comes back, and the deployment with it", async () => {
    const back = second({ spec: OLD_TEMPLATE });
    const sets = [oldSet(back, counts(2)), newSet(back, counts(1))];
    const { patch } = await deeds(world(back, ...sets));
    expect(patch).toEqual([
      "d1-aaaaa /metadata/annotations/machinedeployment.clusters.x-k8s.io~1revision 3",
      "d1-aaaaa /metadata/annotations/machinedeployment.clusters.x-k8s.io~1revision-history 1",
      "d1-aaaaa /spec/replicas 3",
      "d1 /metadata/annotations/machinedeployment.clusters.x-k8s.io~1revision 3",
    ]);
  });

  it("sends size and labels of a set in one patch", async () => {
    const labelled = second({ spec: { template: { metadata: { labels: { tier: "a" } } } } });
    const sets = [oldSet(deployment, counts(3)), newSet(deployment, counts(1))];
    const { patch = [] } = await decide(machinedeploymentSets, world(labelled, ...sets));
    expect(patch.map(({ target }) => target.name)).toEqual(["d1-aaaaa", "d1-bbbbb"]);
    expect(patch[0]?.operations.map(({ path }) => path)).toEqual([
      "/metadata/labels/tier",
      "/metadata/annotations/capstan.dev~1keys-from-deployment",
      "/spec/template/metadata/labels/tier",
      "/spec/replicas",
    ]);
  });

  it("ends the move of Machines that Cluster API's manager had begun, before it replaces them", async () => {
    const prefix = "in-place-updates.internal.cluster.x-k8s.io";
    const marked = (mark: string, name: string) => ({
      metadata: { annotations: { [`${prefix}/${mark}`]: name } },
    });
    const sets = [
      oldSet(deployment, counts(3), marked("move-machines-to-machineset", "d1-bbbbb")),
      newSet(deployment, counts(1), marked("receive-machines-from-machinesets", "d1-aaaaa")),
    ];
    const { patch = [] } = await decide(machinedeploymentSets, world(deployment, ...sets));
    expect(patch.map(({ operations }) => operations)).toEqual(
      ["move-machines-to-machineset", "receive-machines-from-machinesets"].map((mark) => [
        { op: "remove", path: `/metadata/annotations/${prefix}~1${mark}` },
      ]),
    );
  });

  it("starts again at rollout.after, with a set that says so, and not before", async () => {
    const rollout = { after: "2026-01-01T11:59:00Z" };
    const due = first({ spec: { ...OLD_TEMPLATE, rollout } });
    const { create = [] } = await decide(machinedeploymentSets, world(due, oldSet(due, counts(3))));
    expect(create[0]?.object.metadata).toMatchObject({
      name: setNameFor(due, Date.parse(rollout.after)).name,
      annotations: { [ROLLOUT_AFTER]: rollout.after, [REVISION]: "2" },
    });
    const waiting = first({ spec: { ...OLD_TEMPLATE, rollout: { after: "2026-01-01T12:00:30Z" } } });
    expect(await deeds(world(waiting, oldSet(waiting, counts(3))))).toEqual({
      ...NOTHING,
      result: requeueAfter(30_000, "spec.rollout.after is to come"),
    });
  });
});

describe("machinedeployment-sets, other strategies", () => {
  it("makes the new set of OnDelete empty, and lets old sets make no Machine", async () => {
    const onDelete = second({
      spec: { rollout: { strategy: { type: "OnDelete", rollingUpdate: undefined } } },
    });
    const { create } = await deeds(world(onDelete, oldSet(onDelete, counts(3))));
    expect(create).toEqual([`${nameOf(onDelete)} of 0`]);
    const sets = [oldSet(onDelete, counts(3)), newSet(onDelete, counts(0))];
    expect((await deeds(world(onDelete, ...sets))).patch).toEqual([
      "d1-aaaaa /metadata/annotations/machinedeployment.clusters.x-k8s.io~1max-replicas 3",
      `d1-aaaaa /metadata/annotations/cluster.x-k8s.io~1disable-machine-create true`,
      "d1-bbbbb /metadata/annotations/machinedeployment.clusters.x-k8s.io~1max-replicas 3",
    ]);
  });

  it("makes no set while rollouts are paused, and scales the one that is there", async () => {
    const paused = second({ spec: { paused: true, replicas: 4 } });
    const set = oldSet(paused, counts(3));
    const { create, patch = [] } = await decide(machinedeploymentSets, world(paused, set));
    expect(create).toBeUndefined();
    expect(patch).toMatchObject([
      {
        operations: [{ path: "/spec/replicas", value: 4 }],
        ifFails: { event: "FailedScale", says: "Failed to scale MachineSet default/d1-aaaaa" },
        announces: { message: "Scaled MachineSet default/d1-aaaaa: 3 -> 4" },
      },
    ]);
  });
});

describe("machinedeployment-sets, changes from outside", () => {
  const deployment = second();

  it("brings the size of the current set back, and empties an old one that a user has grown", async () => {
    const shrunk = newSet(deployment, counts(3), { spec: { replicas: 1 } });
    expect((await deeds(world(deployment, shrunk))).patch).toEqual(["d1-bbbbb /spec/replicas 2"]);
    const gone = newSet(deployment, counts(1));
    expect((await deeds(world(deployment, gone))).patch).toEqual(["d1-bbbbb /spec/replicas 3"]);
    const sets = [oldSet(deployment, counts(2)), newSet(deployment, counts(3))];
    expect((await deeds(world(deployment, ...sets))).patch).toEqual(["d1-aaaaa /spec/replicas 0"]);
  });

  it("makes another set where a user deletes the current one, or changes its template", async () => {
    const going = newSet(deployment, counts(3), { metadata: GOING });
    expect((await deeds(world(deployment, going))).create).toHaveLength(1);
    const edited = newSet(deployment, counts(3), { spec: { template: { spec: { failureDomain: "z" } } } });
    const { create, patch } = await deeds(world(deployment, edited));
    expect(create).toEqual([`${nameOf(deployment)} of 1`]);
    expect(patch).toEqual([]);
  });

  it("gives a set that is being deleted its labels, and no size", async () => {
    const labelled = second({ spec: { template: { metadata: { labels: { tier: "a" } } } } });
    const sets = [oldSet(deployment, counts(2), { metadata: GOING }), newSet(labelled, counts(3))];
    const { patch } = await deeds(world(labelled, ...sets));
    expect(patch).toContain("d1-aaaaa /metadata/labels/tier a");
    expect(patch.some((each) => each.includes("/spec/replicas"))).toBe(false);
  });

  it("keeps a set whose labels are gone, also that of the Cluster, and gives them back", async () => {
    const bare = newSet(deployment, counts(3), { metadata: { labels: undefined } });
    expect((await deeds(world(deployment, bare))).patch).toEqual([
      expect.stringContaining('d1-bbbbb /metadata/labels {"cluster.x-k8s.io/cluster-name":"c1"'),
    ]);
  });

  it("adopts before it counts, and a run that adopts only adopts", async () => {
    const orphan = oldSet(deployment, counts(3), { metadata: { ownerReferences: [] } });
    const decision = await decide(machinedeploymentSets, world(deployment, orphan));
    expect(Object.keys(decision)).toEqual(["patch", "result"]);
    expect(decision).toMatchObject({ patch: [{ target: { name: "d1-aaaaa" } }], result: done });
  });

  it("does nothing about sets of another deployment or Cluster", async () => {
    const foreign = oldSet(deployment, counts(3), {
      metadata: { ownerReferences: [{ ...OWNED_BY_D1, name: "d2", uid: "uid-d2" }] },
    });
    const far = setOf(deployment, "far", "9", { spec: { clusterName: "c2" } });
    expect(await deeds(world(deployment, foreign, far, newSet(deployment, counts(3))))).toEqual(NOTHING);
  });
});

describe("machinedeployment-sets, who acts when", () => {
  const wanted = (metadata: object = {}) => machineDeployment({ metadata });

  it.each([
    ["without Cluster", world(wanted()).without(cluster()), waitFor("Cluster.metadata.uid")],
    [
      "without finalizer",
      world(wanted({ finalizers: [] })),
      waitFor("MachineDeployment.metadata.finalizers"),
    ],
    [
      "paused by its annotation",
      world(wanted({ annotations: { "cluster.x-k8s.io/paused": "" } })),
      waitFor("MachineDeployment.metadata.annotations[cluster.x-k8s.io/paused]"),
    ],
    [
      "paused by its Cluster",
      given(wanted(), cluster({ spec: { paused: true } })),
      waitFor("Cluster.spec.paused"),
    ],
    ["whose Cluster is being deleted", given(wanted(), cluster({ metadata: GOING })), done],
    ["that is being deleted", world(wanted(GOING)), done],
    [
      "that has been paused since its snapshot",
      world(wanted()).live(wanted({ annotations: { "cluster.x-k8s.io/paused": "" } })),
      waitFor("MachineDeployment.metadata.annotations[cluster.x-k8s.io/paused]"),
    ],
    ["that is gone since its snapshot", world(wanted()).goneLive(wanted()), done],
  ])("makes nothing for a deployment %s", async (_, to, result) => {
    expect(await deeds(to)).toEqual({ ...NOTHING, result });
  });

  it("gives labels, but no size and no set, while the wish cannot be read", async () => {
    const spec: Overrides<MachineDeployment["spec"]> = {
      machineNaming: { template: "m-{{ .foo }}-{{ .random }}" },
      template: { metadata: { labels: { tier: "a" } } },
    };
    const deployment = second({ spec: { ...spec, replicas: 5 } });
    const { create, patch, result } = await deeds(
      world(deployment, newSet(second(), counts(3)), oldSet(second(), counts(0))),
    );
    expect({ create, result }).toEqual({ create: [], result: waitFor("MachineDeployment.spec") });
    expect(patch).toContain("d1-bbbbb /metadata/labels/tier a");
    expect(patch.some((each) => each.includes("/spec/replicas"))).toBe(false);
  });
});
