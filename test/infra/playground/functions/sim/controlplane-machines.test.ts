import { describe, expect, it } from "vitest";
import { simControlplaneMachines } from "../../../../../infra/playground/functions/sim/controlplane-machines.ts";
import { simLegacyMachines } from "../../../../../infra/playground/functions/sim/legacy-machines.ts";
import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../../shared/api/machine/machine.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { KEY_FIELDS } from "../../../../../shared/rules/metadata/labels.ts";
import {
  clonesOf,
  complete,
  controlPlaneMachine,
  domainCluster,
  machinesControlPlane,
  OWNED_BY_C1,
  stored,
  TEMPLATES,
} from "../../../../support/control-planes.ts";
import { decide, given } from "../../../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";

function world(...objects: readonly KubeObject[]) {
  return given(domainCluster(), machinesControlPlane(), ...TEMPLATES, ...objects);
}

async function effects(to: ReturnType<typeof given>) {
  const { create = [], patch = [], delete: deleted = [] } = await decide(simControlplaneMachines, to);
  return [
    ...create.map(({ kind, object }) => `create ${kind.kind} ${object.metadata.name}`),
    ...patch.flatMap(({ target, operations }) =>
      operations
        .filter(({ op }) => op !== "test")
        .map(({ op, path }) => `${op} ${target.kind.kind} ${target.name} ${path}`),
    ),
    ...deleted.map(({ target }) => `delete ${target.kind.kind} ${target.name}`),
  ];
}

const reserving = (...names: readonly string[]) =>
  machinesControlPlane({
    metadata: { annotations: { "capstan.dev/machine-reservation": JSON.stringify(names) } },
  });

describe("sim-controlplane-machines", () => {
  it.each([
    ["SimControlPlane.metadata.ownerReferences", machinesControlPlane({ metadata: { ownerReferences: [] } })],
    ["SimControlPlane.metadata.finalizers", machinesControlPlane({ metadata: { finalizers: undefined } })],
    ["Cluster.spec.paused", domainCluster({ spec: { paused: true } })],
    [
      "Cluster.status.initialization.infrastructureProvisioned",
      domainCluster({ status: { initialization: undefined } }),
    ],
    ["Cluster.spec.controlPlaneEndpoint", domainCluster({ spec: { controlPlaneEndpoint: undefined } })],
    [
      "SimControlPlane.spec.controlPlaneEndpoint",
      machinesControlPlane({ spec: { endpointMode: "provider" } }),
    ],
  ])("makes nothing before %s", async (awaited, object) => {
    expect(await decide(simControlplaneMachines, world(object))).toEqual({ result: waitFor(awaited) });
  });

  it("makes no Machine of an external control plane", async () => {
    const external = machinesControlPlane({ spec: { machineTemplate: undefined } });
    expect(await decide(simControlplaneMachines, world(external))).toEqual({ result: done });
  });

  it("reserves a name before it makes the Machine, which is born with owner, labels, finalizer and domain", async () => {
    const { create = [], patch } = await decide(simControlplaneMachines, world());
    expect(create).toEqual([]);
    expect(patch?.[0]?.operations).toEqual([
      {
        op: "add",
        path: "/metadata/annotations",
        value: { "capstan.dev/machine-reservation": expect.stringMatching(/^\["cp-[a-z0-9]{5}"\]$/) },
      },
    ]);
    const made = await decide(simControlplaneMachines, world(reserving("cp-aaaaa")));
    expect(made.create?.map(({ object }) => object)).toMatchObject([
      {
        kind: "Machine",
        metadata: {
          name: "cp-aaaaa",
          finalizers: ["machine.cluster.x-k8s.io"],
          labels: {
            "cluster.x-k8s.io/cluster-name": "c1",
            "cluster.x-k8s.io/control-plane": "",
            "cluster.x-k8s.io/control-plane-name": "cp",
          },
          ownerReferences: [{ kind: "SimControlPlane", uid: "uid-cp", controller: true }],
        },
        spec: { version: "v1.34.2", failureDomain: "a", clusterName: "c1" },
      },
    ]);
  });

  it("makes nothing while a template is missing, and looks again", async () => {
    const without = world().without(TEMPLATES[0]);
    const { create, patch, result } = await decide(simControlplaneMachines, without);
    expect([create, patch]).toEqual([undefined, undefined]);
    expect(result).toEqual(requeueAfter(5_000, "SimMachineTemplate t1 does not exist"));
  });

  it("clones config and infrastructure machine for a Machine, under its name and with it as controller", async () => {
    const machine = controlPlaneMachine("cp-1", { status: { conditions: [stored("UpToDate", "True")] } });
    const { create } = await decide(simControlplaneMachines, world(machine));
    const owned = { name: "cp-1", ownerReferences: [{ kind: "Machine", uid: "uid-cp-1", controller: true }] };
    expect(create?.map(({ object }) => object)).toMatchObject([
      { kind: "SimMachine", metadata: owned, spec: { bootDelaySeconds: 0 } },
      { kind: "SimBootstrapConfig", metadata: owned },
    ]);
  });

  it("makes no second infrastructure machine for a running Machine that has lost its own", async () => {
    const initialization = { infrastructureProvisioned: true, bootstrapDataSecretCreated: true };
    const machine = controlPlaneMachine("cp-1", { status: { initialization } });
    const all = world(machine, ...complete("cp-2", "cp-3"));
    expect(await effects(all)).toEqual([]);
  });

  it("makes the next Machine when the control plane is initialized and all are Ready, one at a time", async () => {
    const starting = machinesControlPlane({ status: { initialization: undefined } });
    expect(await effects(world(starting, ...complete("cp-1")))).toEqual([]);
    const unready = controlPlaneMachine("cp-1", {
      status: { conditions: [stored("Ready", "False"), stored("UpToDate", "True")] },
    });
    expect(await effects(world(unready, ...clonesOf("cp-1")))).toEqual([]);
    const next = world(reserving("cp-9"), ...complete("cp-1"));
    expect(await effects(next)).toEqual(["create Machine cp-9"]);
    expect(await effects(world(...complete("cp-1", "cp-2", "cp-3")))).toEqual([]);
  });

  it("removes the reservation once its Machines have been seen live, and never makes one twice", async () => {
    const late = world(reserving("cp-3"), ...complete("cp-1", "cp-2")).live(controlPlaneMachine("cp-3"));
    expect(await effects(late)).toEqual([
      "remove SimControlPlane cp /metadata/annotations/capstan.dev~1machine-reservation",
    ]);
    const settled = world(reserving("cp-3"), ...complete("cp-1", "cp-2", "cp-3"));
    expect(await effects(settled)).toEqual([
      "remove SimControlPlane cp /metadata/annotations/capstan.dev~1machine-reservation",
    ]);
  });

  it("removes the reservation before a Machine goes, which another would have the name of", async () => {
    const surplus = complete("cp-1", "cp-2", "cp-3", "cp-4");
    const removal = "remove SimControlPlane cp /metadata/annotations/capstan.dev~1machine-reservation";
    expect(await effects(world(reserving("cp-4"), ...surplus))).toEqual([removal]);
    expect(await effects(world(...surplus))).toEqual([expect.stringMatching(/^delete Machine cp-/)]);
  });

  it("makes no Machine for a Cluster that is being deleted", async () => {
    const going = domainCluster({ metadata: { deletionTimestamp: DELETED } });
    expect(await effects(world(going, ...complete("cp-1")))).toEqual([]);
  });

  it("hands on labels, timeouts, gates and taints in place: clones first, then the Machine", async () => {
    const template = {
      metadata: { labels: { tier: "gold" } },
      spec: {
        deletion: { nodeDrainTimeoutSeconds: 60 },
        readinessGates: [{ conditionType: "Foo" }],
        taints: [{ key: "a", effect: "NoSchedule", propagation: "Always" }],
      },
    } as const;
    const changed = machinesControlPlane({ spec: { machineTemplate: template } });
    const all = world(changed, ...complete("cp-1", "cp-2", "cp-3"));
    expect(await effects(all)).toEqual(
      ["cp-1", "cp-2", "cp-3"].flatMap((name) => [
        `add SimMachine ${name} /metadata/labels/tier`,
        `add SimBootstrapConfig ${name} /metadata/labels/tier`,
      ]),
    );
    const specOnly = machinesControlPlane({ spec: { machineTemplate: { spec: template.spec } } });
    const { patch } = await decide(
      simControlplaneMachines,
      world(specOnly, ...complete("cp-1", "cp-2", "cp-3")),
    );
    expect(patch?.[0]?.operations).toEqual([
      {
        op: "add",
        path: "/metadata/annotations",
        value: {
          "capstan.dev/keys-from-template": ".spec.nodeDrainTimeoutSeconds,.spec.readinessGates,.spec.taints",
        },
      },
      { op: "add", path: "/spec/readinessGates", value: template.spec.readinessGates },
      { op: "add", path: "/spec/taints", value: template.spec.taints },
      {
        op: "add",
        path: "/spec/deletion",
        value: { nodeDeletionTimeoutSeconds: 10, nodeDrainTimeoutSeconds: 60 },
      },
    ]);
  });

  it.each([simControlplaneMachines, simLegacyMachines])(
    "$spec.name is woken once the keys of the clones are right, and the Machine follows",
    ({ spec }) => {
      for (const kind of ["SimMachine", "SimBootstrapConfig"]) {
        const own = spec.watches.filter(({ on }) => "kind" in on && on.kind === kind);
        expect(own.flatMap(({ fields }) => fields)).toEqual(expect.arrayContaining([...KEY_FIELDS]));
      }
    },
  );

  it("says UpToDate False on outdated Machines, then adds one before it deletes one", async () => {
    const newer = machinesControlPlane({ spec: { version: "v1.35.0" } });
    const machines = complete("cp-1", "cp-2", "cp-3");
    const { patch } = await decide(simControlplaneMachines, world(newer, ...machines));
    expect(patch).toHaveLength(3);
    expect(patch?.[0]).toMatchObject({
      subresource: "status",
      target: { name: "cp-1" },
      operations: [
        { value: { type: "UpToDate", status: "False", message: "* Version v1.34.2, v1.35.0 required" } },
      ],
    });
    const outdated = (name: string): readonly KubeObject[] => [
      controlPlaneMachine(name, {
        status: {
          conditions: [
            stored("Ready", "True"),
            { ...stored("UpToDate", "False", "NotUpToDate"), message: "* Version v1.34.2, v1.35.0 required" },
          ],
        },
      }),
      ...clonesOf(name),
    ];
    const marked = ["cp-1", "cp-2", "cp-3"].flatMap(outdated);
    expect(await effects(world(newer, ...marked))).toEqual(["add SimControlPlane cp /metadata/annotations"]);
    const fresh = controlPlaneMachine("cp-4", { spec: { version: "v1.35.0", failureDomain: "a" } });
    expect(await effects(world(newer, ...marked, fresh, ...clonesOf("cp-4")))).toEqual([
      "delete Machine cp-1",
    ]);
  });

  it("takes a Machine from another template for outdated", async () => {
    const { patch } = await decide(
      simControlplaneMachines,
      world(controlPlaneMachine("cp-1"), ...clonesOf("cp-1", "t0"), ...complete("cp-2", "cp-3")),
    );
    expect(patch?.[0]?.operations).toMatchObject([
      {
        value: {
          message:
            "* SimMachine is not from SimMachineTemplate t1\n* SimBootstrapConfig is not from SimBootstrapConfigTemplate t1",
        },
      },
    ]);
  });

  it("replaces Machines that are older than spec.rollout.after, and waits until then", async () => {
    const at = (after: string) => machinesControlPlane({ spec: { rollout: { after } } });
    const machines = complete("cp-1", "cp-2", "cp-3");
    const later = await decide(simControlplaneMachines, world(at("2026-01-01T12:01:00Z"), ...machines));
    expect(later.result).toEqual(requeueAfter(60_000, "spec.rollout.after"));
    const due = await decide(simControlplaneMachines, world(at("2026-01-01T11:00:00Z"), ...machines));
    expect(due.patch).toHaveLength(3);
  });

  it("scales down one by one, from the domain with the most Machines, the chosen one first", async () => {
    const one = machinesControlPlane({ spec: { replicas: 1 } });
    const inDomain = (
      name: string,
      failureDomain: string,
      annotations?: Machine["metadata"]["annotations"],
    ) => [
      controlPlaneMachine(name, { spec: { failureDomain }, metadata: { annotations } }),
      ...clonesOf(name),
    ];
    const spread = [...inDomain("cp-1", "a"), ...inDomain("cp-2", "b"), ...inDomain("cp-3", "b")];
    expect(await effects(world(one, ...spread))).toEqual(["delete Machine cp-2"]);
    const chosen = inDomain("cp-1", "a", { "cluster.x-k8s.io/delete-machine": "" });
    expect(await effects(world(one, ...spread, ...chosen))).toEqual(["delete Machine cp-1"]);
    const going = controlPlaneMachine("cp-2", { metadata: { deletionTimestamp: DELETED } });
    expect(await effects(world(one, ...spread, going))).toEqual([]);
  });

  it("replaces a broken outdated Machine first, also before the control plane is initialized", async () => {
    const fixed = machinesControlPlane({
      spec: { replicas: 1, version: "v1.35.0" },
      status: { initialization: undefined },
    });
    const message = "* Version v1.34.2, v1.35.0 required";
    const conditions = [{ ...stored("UpToDate", "False", "NotUpToDate"), message }];
    const broken = controlPlaneMachine("cp-1", { status: { conditions, nodeRef: undefined } });
    expect(await effects(world(fixed, broken, ...clonesOf("cp-1")))).toEqual(["delete Machine cp-1"]);
  });

  const handedOver = (name: string, reason = "WaitingForRemediation") => [
    controlPlaneMachine(name, {
      status: {
        conditions: [
          stored("HealthCheckSucceeded", "False"),
          stored("OwnerRemediated", "False", reason),
          stored("Ready", "False"),
          stored("UpToDate", "True"),
        ],
      },
    }),
    ...clonesOf(name),
  ];

  it("marks a Machine that a health check has handed over, then deletes it", async () => {
    const { patch } = await decide(
      simControlplaneMachines,
      world(...handedOver("cp-1"), ...complete("cp-2", "cp-3")),
    );
    expect(patch?.map(({ operations }) => operations)).toMatchObject([
      [{ value: { type: "OwnerRemediated", status: "False", reason: "MachineDeleting" } }],
    ]);
    const marked = world(...handedOver("cp-1", "MachineDeleting"), ...complete("cp-2", "cp-3"));
    expect(await effects(marked)).toEqual(["delete Machine cp-1"]);
  });

  it("deletes it also while another is missing, which is made only once all are Ready", async () => {
    const two = world(...handedOver("cp-1", "MachineDeleting"), ...complete("cp-2"));
    expect(await effects(two)).toEqual(["delete Machine cp-1"]);
  });

  it.each<[string, readonly KubeObject[]]>([
    [
      "No other Machine of the control plane is Ready",
      [machinesControlPlane({ spec: { replicas: 1 } }), ...handedOver("cp-1")],
    ],
    [
      "Waiting for Machine cp-3 to be deleted",
      [
        ...handedOver("cp-1"),
        ...complete("cp-2", "cp-3"),
        controlPlaneMachine("cp-3", { metadata: { deletionTimestamp: DELETED } }),
      ],
    ],
    [
      "Waiting for Machine cp-3 to get its Node",
      [
        ...handedOver("cp-1"),
        ...complete("cp-2", "cp-3"),
        controlPlaneMachine("cp-3", { status: { nodeRef: undefined } }),
      ],
    ],
  ])("defers remediation: %s", async (message, objects) => {
    const { patch, delete: deleted = [] } = await decide(simControlplaneMachines, world(...objects));
    expect(deleted).toEqual([]);
    expect(patch?.[0]?.operations).toMatchObject([{ value: { reason: "RemediationDeferred", message } }]);
  });

  it("takes back the Machines of a control plane that was restored with another uid", async () => {
    const restored = machinesControlPlane({ metadata: { uid: "uid-new", ownerReferences: [OWNED_BY_C1] } });
    const { patch } = await decide(simControlplaneMachines, world(restored, ...complete("cp-1")));
    expect(patch?.[0]?.operations).toContainEqual(
      expect.objectContaining({ op: "replace", value: expect.objectContaining({ uid: "uid-new" }) }),
    );
  });
});
