import { describe, expect, it } from "vitest";
import { isPaused, pausedBy } from "../../../shared/function/guards.ts";
import { pausedCondition } from "../../../shared/rules/conditions/paused-condition.ts";
import { cluster, machinePool } from "../../support/builders.ts";

const PAUSED_CLUSTER = cluster({ spec: { paused: true } });
const annotated = (value: string) =>
  machinePool({ metadata: { annotations: { "cluster.x-k8s.io/paused": value } } });

describe("pausing", () => {
  it("is asked for by the Cluster or by the annotation, whatever its value", () => {
    expect(isPaused(PAUSED_CLUSTER, machinePool())).toBe(true);
    expect(isPaused(cluster(), annotated(""))).toBe(true);
    expect(isPaused(undefined, annotated("false"))).toBe(true);
    expect(isPaused(cluster(), machinePool())).toBe(false);
    expect(isPaused(undefined, machinePool())).toBe(false);
  });

  it("ends with a change of the Cluster or of the annotation", () => {
    const annotation = "MachinePool.metadata.annotations[cluster.x-k8s.io/paused]";
    expect(pausedBy(PAUSED_CLUSTER, annotated(""))).toBe("Cluster.spec.paused");
    expect(pausedBy(cluster(), annotated("false"))).toBe(annotation);
    expect(pausedBy(cluster(), machinePool())).toBeUndefined();
  });

  it("leaves alone what a mover deletes here, and does not speak of it", () => {
    const annotations = { "clusterctl.cluster.x-k8s.io/delete-for-move": "" };
    const letGo = machinePool({ metadata: { annotations } });
    expect(isPaused(cluster(), letGo)).toBe(true);
    expect(pausedBy(cluster(), letGo)).toBe("MachinePool deleted");
    expect(pausedBy(PAUSED_CLUSTER, letGo)).toBe("Cluster.spec.paused");
    expect(pausedCondition(cluster(), letGo, "MachinePool").status).toBe("False");
  });

  it("shows in a condition that names every reason", () => {
    expect(pausedCondition(PAUSED_CLUSTER, annotated("true"), "MachinePool")).toEqual({
      type: "Paused",
      status: "True",
      reason: "Paused",
      message: "Cluster spec.paused is set to true, MachinePool has the cluster.x-k8s.io/paused annotation",
    });
    expect(pausedCondition(cluster(), machinePool(), "MachinePool")).toEqual({
      type: "Paused",
      status: "False",
      reason: "NotPaused",
      message: "",
    });
  });
});
