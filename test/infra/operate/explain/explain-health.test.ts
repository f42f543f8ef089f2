import { describe, expect, it } from "vitest";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import { explainHealth } from "../../../../infra/operate/explain/explain-health.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { Node } from "../../../../shared/api/core.ts";
import { groupOf, type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { MachineHealthCheck } from "../../../../shared/api/machinehealthcheck.ts";
import { ALL_KINDS } from "../../../support/all-kinds.ts";
import { connection, crd, node } from "../../../support/builders.ts";
import { at, badNode, failed, LONG_AGO, machineWith, succeeded } from "../../../support/checked-machines.ts";
import { virtualClock } from "../../../support/clock.ts";
import { REMEDIATION_GROUP, templateRef } from "../../../support/foo-remediation.ts";
import { healthCheck, since, upCluster } from "../../../support/health-checks.ts";
import { recordingClients } from "../../../support/recording-clients.ts";
import { NOW } from "../../../support/world.ts";

const FOO_KINDS = ["FooRemediation", "FooRemediationTemplate"].map((kind) =>
  crd(REMEDIATION_GROUP, kind, { status: { watched: true } }),
);

async function explained(kind: Kind, object: KubeObject, objects: readonly KubeObject[]) {
  await using store = createMemoryStore();
  for (const { group, kind: name } of [...ALL_KINDS, { group: REMEDIATION_GROUP, kind: "FooRemediation" }]) {
    await store.advance({ cluster: MANAGEMENT, group, kind: name }, { ready: true, resourceVersion: "1" });
  }
  const nodes = { cluster: "default/c1", group: Node.group, kind: Node.kind };
  await store.advance(nodes, { ready: true, resourceVersion: "1" });
  for (const one of objects) {
    const type =
      one.kind === Node.kind
        ? nodes
        : { cluster: MANAGEMENT, group: groupOf(one.apiVersion), kind: one.kind };
    await store.put(type, [one]);
  }
  const clients = recordingClients(undefined, objects);
  const sources = {
    model: { store, clients },
    functions: [mhcMachines],
    clock: { ...virtualClock(), now: () => NOW },
  };
  const found = await explainHealth(sources, { kind, object });
  expect(clients.sent).toEqual([]);
  return found;
}

describe("what explain says about health", () => {
  it("a health check shows its targets, and sends nothing", async () => {
    const machines = [machineWith("m1", failed()), machineWith("m2", succeeded())];
    const objects = [
      upCluster(),
      connection(),
      healthCheck(),
      ...machines,
      badNode("m1", LONG_AGO),
      node("m2"),
    ];
    expect(await explained(MachineHealthCheck as unknown as Kind, healthCheck(), objects)).toMatchObject([
      {
        healthCheck: "default/h1",
        nodes: "seen",
        targets: [
          { machine: "m1", verdict: "unhealthy" },
          { machine: "m2", verdict: "healthy" },
        ],
      },
    ]);
  });

  it("a Machine shows the checks that select it, and no other Machine", async () => {
    const machines = [machineWith("m1", failed()), machineWith("m2", succeeded())];
    const checks = [
      healthCheck(),
      healthCheck({ metadata: { name: "h2", uid: "uid-h2" } }),
      healthCheck({
        metadata: { name: "h3", uid: "uid-h3" },
        spec: { selector: { matchLabels: { tier: "b" } } },
      }),
    ];
    const objects = [upCluster(), connection(), ...checks, ...machines, badNode("m1", LONG_AGO), node("m2")];
    const found = await explained(Machine as unknown as Kind, machines[0] as KubeObject, objects);
    expect(found).toMatchObject([
      { healthCheck: "default/h1", targets: [{ machine: "m1" }] },
      { healthCheck: "default/h2", targets: [{ machine: "m1" }] },
    ]);
  });

  it("a Machine shows what its request says of itself, and nothing else of it", async () => {
    const machine = machineWith("m1", failed(), since(LONG_AGO, "ExternallyRemediated", "False"));
    const request = {
      apiVersion: templateRef.apiVersion,
      kind: "FooRemediation",
      metadata: { name: "m1", namespace: "default", uid: "uid-r1", resourceVersion: "5" },
      spec: { password: "canary-1" },
      status: {
        phase: "Running",
        token: "canary-2",
        conditions: [{ type: "Succeeded", status: "False", reason: "NodeNotFound", message: "canary-3" }],
      },
    };
    const check = healthCheck({ spec: { remediation: { templateRef } } });
    const objects = [
      upCluster(),
      connection(),
      check,
      machine,
      badNode("m1", LONG_AGO),
      request,
      ...FOO_KINDS,
    ];
    const found = await explained(Machine as unknown as Kind, machine, objects);
    expect(found).toMatchObject([
      {
        requestState: "phase Running; Succeeded False: NodeNotFound",
        targets: [{ waitsFor: "FooRemediation m1 to end" }],
      },
    ]);
    expect(JSON.stringify(found)).not.toContain("canary");
  });

  it("says since when Nodes are not visible, by the Cluster rather than by a relay that has just started", async () => {
    const away = connection({
      status: {
        state: "unreachable",
        nodesComplete: false,
        message: "no answer",
        failingSince: at("11:59:59"),
      },
    });
    const machine = machineWith("m1", failed());
    const probe = since(at("11:40:00"), "RemoteConnectionProbe", "False");
    const kind = MachineHealthCheck as unknown as Kind;
    const found = await explained(kind, healthCheck(), [upCluster(probe), away, healthCheck(), machine]);
    expect(found).toMatchObject([{ unseen: { since: at("11:40:00"), reason: "no answer" } }]);
    const [young] = await explained(kind, healthCheck(), [upCluster(), away, healthCheck(), machine]);
    expect(young?.unseen?.since).toBe(at("11:59:59"));
  });

  it("says nothing about other kinds", async () => {
    const cluster = upCluster();
    const kind = { group: "cluster.x-k8s.io", version: "v1beta2", kind: "Cluster", plural: "clusters" };
    expect(await explained({ ...kind, namespaced: true }, cluster, [cluster])).toEqual([]);
  });
});
