import { describe, expect, it } from "vitest";
import { machinepoolMachines } from "../../../functions/machinepool/machines.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { MINUTE } from "../../../shared/function/backoff.ts";
import { done, requeueAfter } from "../../../shared/function/result.ts";
import {
  cluster,
  connection,
  infraMachine,
  infraMachinePool,
  machine,
  machinePool,
  node,
  OWNED_BY_P1,
} from "../../support/builders.ts";
import { decide, given, type World } from "../../support/world.ts";

const DELETED = "2026-01-01T11:59:00Z";
const WITH_MACHINES = infraMachinePool({ status: { infrastructureMachineKind: "FooMachine" } });
const OTHER_OWNER = { ...OWNED_BY_P1, kind: "MachineSet", name: "s1", uid: "uid-s1" };

function world(...objects: readonly KubeObject[]): World {
  return given(cluster(), machinePool(), connection(), WITH_MACHINES, ...objects).inWorkload(
    "default/c1",
    node("n1"),
    node("n2"),
    node("n3"),
  );
}

/** Returns the names of the applied Machines. */
async function applied(to: World) {
  const { applyOn = [] } = await decide(machinepoolMachines, to);
  return applyOn.map(({ target }) => target.name);
}

async function bodyFor(to: World) {
  const { applyOn = [] } = await decide(machinepoolMachines, to);
  return applyOn[0];
}

describe("machinepool-machines", () => {
  it("makes no Machines while the infrastructure object names no machine kind", async () => {
    const bare = given(cluster(), machinePool(), connection(), infraMachinePool(), infraMachine());
    expect(await decide(machinepoolMachines, bare)).toEqual({ result: done });
    const empty = infraMachinePool({ status: { infrastructureMachineKind: "" } });
    expect(await decide(machinepoolMachines, given(cluster(), machinePool(), empty, infraMachine()))).toEqual(
      {
        result: done,
      },
    );
  });

  it("needs neither a ready infrastructure object nor a workload cluster", async () => {
    const booting = infraMachinePool({ status: { ready: false, infrastructureMachineKind: "FooMachine" } });
    const alone = given(cluster(), machinePool(), booting, infraMachine());
    const body = await bodyFor(alone);
    expect(body?.target).toMatchObject({ namespace: "default", name: "m1" });
    expect(body?.body["spec"]).not.toHaveProperty("version");
  });

  it("applies a Machine under the name of its infrastructure machine", async () => {
    const body = await bodyFor(world(infraMachine()));
    expect(body).toEqual({
      target: {
        cluster: "management",
        kind: expect.objectContaining({ kind: "Machine" }),
        namespace: "default",
        name: "m1",
      },
      body: {
        metadata: {
          labels: { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/pool-name": "p1" },
          ownerReferences: [OWNED_BY_P1],
        },
        spec: {
          clusterName: "c1",
          bootstrap: { dataSecretName: "" },
          infrastructureRef: { apiGroup: "infrastructure.cluster.x-k8s.io", kind: "FooMachine", name: "m1" },
          version: "v1.34.2",
        },
      },
    });
  });

  it("looks at infrastructure machines of the pool only, by both labels", async () => {
    const other = infraMachine("m2", { metadata: { labels: { "cluster.x-k8s.io/pool-name": "p2" } } });
    const elsewhere = infraMachine("m3", { metadata: { labels: { "cluster.x-k8s.io/cluster-name": "c2" } } });
    expect(await applied(world(infraMachine(), other, elsewhere))).toEqual(["m1"]);
  });

  it("writes the hash of a pool name that is not a label value", async () => {
    const name = "machineSetName".repeat(12);
    const label = { "cluster.x-k8s.io/pool-name": "hash_FR_ghQ_z" };
    const pool = machinePool({ metadata: { name } });
    const im = infraMachine("m1", { metadata: { labels: label } });
    const body = await bodyFor(given(cluster(), pool, WITH_MACHINES, im));
    expect(body?.body["metadata"]).toMatchObject({ labels: label });
  });

  it("finds the Machine by its infrastructure reference, whatever its name is", async () => {
    const named = machine("generated-name", { spec: { infrastructureRef: { name: "m1" } } });
    expect(await applied(world(infraMachine(), named))).toEqual([]);
  });

  it("has nothing to write for a Machine that shows everything", async () => {
    const foreign = { metadata: { labels: { mine: "x" }, annotations: { theirs: "y" }, finalizers: ["z"] } };
    const { patch, applyOn, events } = await decide(
      machinepoolMachines,
      world(infraMachine(), machine("m1", foreign)),
    );
    expect([patch, applyOn, events]).toEqual([[], [], []]);
  });

  it("lays the pool's labels over those of the template and notes what came from there", async () => {
    const pool = machinePool({
      spec: {
        template: {
          metadata: {
            labels: { tier: "a", "cluster.x-k8s.io/pool-name": "wrong" },
            annotations: { note: "b" },
          },
        },
      },
    });
    const body = await bodyFor(world(pool, infraMachine(), machine()));
    expect(body?.body["metadata"]).toMatchObject({
      labels: { tier: "a", "cluster.x-k8s.io/pool-name": "p1", "cluster.x-k8s.io/cluster-name": "c1" },
      annotations: { note: "b", "capstan.dev/keys-from-template": "cluster.x-k8s.io/pool-name,note,tier" },
    });
  });

  it("applies again when a key has left the template: it must leave the Machine, too", async () => {
    const metadata = { labels: { tier: "a" }, annotations: { "capstan.dev/keys-from-template": "tier" } };
    const body = await bodyFor(world(infraMachine(), machine("m1", { metadata })));
    expect(body?.target).toMatchObject({ name: "m1", uid: "uid-m1", resourceVersion: undefined });
    // The last annotation of a manager would take along those that no manager owns.
    expect(body?.body["metadata"]).toMatchObject({ annotations: { "capstan.dev/keys-from-template": "" } });
    // Also where no manager owns it any more.
    expect(body?.own).toEqual({ metadata });
  });

  it.each<[string, KubeObject]>([
    ["a label", machine("m1", { metadata: { labels: { "cluster.x-k8s.io/pool-name": undefined } } })],
    ["the owner reference", machine("m1", { metadata: { ownerReferences: undefined } })],
    ["the name of no data secret", machine("m1", { spec: { bootstrap: { dataSecretName: "x" } } })],
    ["an older kubelet version", machine("m1", { spec: { version: "v1.33.0" } })],
  ])("puts %s right again", async (_, wrong) => {
    const body = await bodyFor(world(infraMachine(), wrong));
    expect(body?.target.uid).toBe("uid-m1");
  });

  it("puts labels and owner reference back that were removed together", async () => {
    const bare = machine("m1", { metadata: { labels: undefined, ownerReferences: undefined } });
    expect(await applied(world(infraMachine(), bare))).toContain("m1");
  });

  it("keeps the last known version while the Node is away, and follows the kubelet", async () => {
    const old = machine("m1", { spec: { version: "v1.33.0" }, metadata: { labels: { x: "y" } } });
    const away = given(cluster(), machinePool(), WITH_MACHINES, infraMachine(), old);
    expect(await applied(away)).toEqual([]);
    const changed = machinePool({ spec: { template: { metadata: { labels: { tier: "a" } } } } });
    expect(
      (await bodyFor(given(cluster(), changed, WITH_MACHINES, infraMachine(), old)))?.body["spec"],
    ).toMatchObject({
      version: "v1.33.0",
    });
    const upgraded = world(infraMachine(), machine()).inWorkload(
      "default/c1",
      node("n1", { status: { nodeInfo: { kubeletVersion: "v1.35.0" } } }),
    );
    expect((await bodyFor(upgraded))?.body["spec"]).toMatchObject({ version: "v1.35.0" });
  });

  it("takes no Machine from another controller, says so and continues with the others", async () => {
    const taken = machine("m1", { metadata: { ownerReferences: [OTHER_OWNER] } });
    const {
      applyOn = [],
      patch,
      events,
    } = await decide(machinepoolMachines, world(infraMachine(), infraMachine("m2"), taken));
    expect(applyOn.map(({ target }) => target.name)).toEqual(["m2"]);
    expect(patch).toEqual([]);
    expect(events).toEqual([
      {
        type: "Warning",
        reason: "ControlledByAnother",
        message: "Machine m1 is controlled by MachineSet s1",
      },
    ]);
  });

  it("does not take a Machine over that only has the name", async () => {
    const stranger = machine("m1", {
      metadata: { labels: undefined, ownerReferences: undefined },
      spec: { infrastructureRef: { name: "other" } },
    });
    const { applyOn, events } = await decide(machinepoolMachines, world(infraMachine(), stranger));
    expect(applyOn).toEqual([]);
    expect(events?.map(({ reason }) => reason)).toEqual(["NameTaken"]);
  });

  it("replaces the reference to the pool as it was before a move, at its place", async () => {
    const moved = machine("m1", { metadata: { ownerReferences: [{ ...OWNED_BY_P1, uid: "uid-before" }] } });
    const { patch, applyOn } = await decide(machinepoolMachines, world(infraMachine(), moved));
    expect(patch?.[0]?.operations.at(-1)).toEqual({
      op: "replace",
      path: "/metadata/ownerReferences/0",
      value: OWNED_BY_P1,
    });
    expect(applyOn).toEqual([]);
  });

  it("becomes the controller of a labelled Machine whose infrastructure machine is gone", async () => {
    const orphan = machine("m9", { metadata: { ownerReferences: undefined } });
    const { patch } = await decide(machinepoolMachines, world(orphan));
    expect(patch?.map(({ target }) => target.name)).toEqual(["m9"]);
  });

  it("deletes no Machine, makes none for an infrastructure machine that is going, and leaves one that goes", async () => {
    const going = infraMachine("m2", { metadata: { deletionTimestamp: DELETED } });
    const leaving = machine("m3", { metadata: { deletionTimestamp: DELETED, labels: { tier: "x" } } });
    const decision = await decide(machinepoolMachines, world(machine(), going, infraMachine("m3"), leaving));
    expect(decision.delete).toBeUndefined();
    expect(decision.applyOn).toEqual([]);
  });

  it("makes none for an infrastructure machine that goes or is gone, whatever its snapshot shows", async () => {
    const to = world(machine(), infraMachine(), infraMachine("m2"));
    expect(await applied(to)).toContain("m2");
    const going = infraMachine("m2", { metadata: { deletionTimestamp: DELETED } });
    expect(await applied(to.live(going))).not.toContain("m2");
    expect(await applied(to.goneLive(going))).not.toContain("m2");
    const another = infraMachine("m2", { metadata: { uid: "uid-of-another" } });
    expect(await applied(to.live(another))).not.toContain("m2");
  });

  it("says nothing of a Machine of another controller", async () => {
    const taken = machine("m1", { status: undefined, metadata: { ownerReferences: [OTHER_OWNER] } });
    expect(await applied(world(taken))).toEqual([]);
  });

  it("waits for the definition of the machine kind", async () => {
    const unknown = infraMachinePool({ status: { infrastructureMachineKind: "BarMachine" } });
    const { result } = await decide(machinepoolMachines, given(cluster(), machinePool(), unknown));
    const why =
      "CustomResourceDefinition of infrastructure.cluster.x-k8s.io/BarMachine does not exist; install the provider, or correct kind in the reference";
    expect(result).toEqual(requeueAfter(MINUTE, why));
  });

  it.each([
    [
      "the pool is paused",
      machinePool({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      WITH_MACHINES,
    ],
    ["the pool is being deleted", machinePool({ metadata: { deletionTimestamp: DELETED } }), WITH_MACHINES],
    [
      "the infrastructure object is being deleted",
      machinePool(),
      infraMachinePool({
        metadata: { deletionTimestamp: DELETED },
        status: { infrastructureMachineKind: "FooMachine" },
      }),
    ],
    [
      "the infrastructure object is another's",
      machinePool(),
      infraMachinePool({
        metadata: { ownerReferences: [OTHER_OWNER] },
        status: { infrastructureMachineKind: "FooMachine" },
      }),
    ],
  ])("writes nothing while %s", async (_, pool, infra) => {
    const { applyOn = [], patch = [] } = await decide(
      machinepoolMachines,
      given(cluster(), pool, infra, infraMachine()),
    );
    expect([...applyOn, ...patch]).toEqual([]);
  });
});
