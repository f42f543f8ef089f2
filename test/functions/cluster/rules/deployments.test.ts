import { describe, expect, it } from "vitest";
import { deploymentReport } from "../../../../functions/cluster/rules/deployments.ts";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { cluster } from "../../../support/builders.ts";
import { deletedCluster } from "../../../support/foo-cluster.ts";
import { NOW } from "../../../support/world.ts";

const TEXT =
  "Capstan does not run kind MachineDeployment, which needs the manager of Cluster API; write a MachineSet or MachinePool instead, or run Capstan beside it (infra/guides/take-over.md)";

function deployment(
  name: string,
  ageSeconds: number | undefined,
  more: Partial<MachineDeployment> = {},
): MachineDeployment {
  const creationTimestamp =
    ageSeconds === undefined ? undefined : new Date(NOW.getTime() - ageSeconds * 1_000).toISOString();
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachineDeployment",
    metadata: { name, namespace: "default", uid: `uid-${name}`, resourceVersion: "7", creationTimestamp },
    spec: { clusterName: "c1", replicas: 3 },
    ...more,
  };
}

describe("deploymentReport", () => {
  it("counts one that a controller runs as it is", () => {
    const run = deployment("md-0", 60, { status: { observedGeneration: 1, replicas: 3 } });
    expect(deploymentReport(cluster(), [run], NOW)).toEqual({
      workers: [run],
      events: [],
      expiresInMs: undefined,
    });
  });

  it("says on both objects that Capstan does not run it, and that it is not available", () => {
    const { workers, events, expiresInMs } = deploymentReport(cluster(), [deployment("md-0", 10)], NOW);
    expect(workers[0]?.status?.conditions).toEqual([
      { type: "Available", status: "False", reason: "NotAvailable", message: TEXT },
    ]);
    const warning = { type: "Warning", reason: "MachineDeploymentNotSupported" };
    expect(events).toEqual([
      { ...warning, message: `MachineDeployment md-0: ${TEXT}` },
      { ...warning, message: TEXT, about: expect.objectContaining({ kind: "MachineDeployment" }) },
    ]);
    expect(expiresInMs).toBeUndefined();
  });

  it("gives a controller 10 s to see it", () => {
    const young = [deployment("md-1", 4), deployment("md-0", 8)];
    expect(deploymentReport(cluster(), young, NOW)).toEqual({
      workers: young,
      events: [],
      expiresInMs: 2_000,
    });
    expect(deploymentReport(cluster(), [deployment("md-2", undefined)], NOW).events).toHaveLength(2);
  });

  it("warns of at most five, by name, and of none that goes away", () => {
    const many = ["f", "a", "e", "b", "d", "c"].map((name) => deployment(name, 60));
    const { events, workers } = deploymentReport(cluster(), many, NOW);
    expect(events.flatMap(({ about }) => about?.metadata.name ?? [])).toEqual(["a", "b", "c", "d", "e"]);
    expect(workers).toHaveLength(6);
    expect(deploymentReport(deletedCluster(), many, NOW).events).toEqual([]);
    const going = deployment("g", 60);
    const deleted = { ...going, metadata: { ...going.metadata, deletionTimestamp: "2026-01-01T11:00:00Z" } };
    expect(deploymentReport(cluster(), [deleted], NOW).events).toEqual([]);
  });
});
