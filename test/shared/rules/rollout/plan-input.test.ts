import { describe, expect, it } from "vitest";
import type { MachineDeployment } from "../../../../shared/api/machinedeployment.ts";
import { planSets, planSpec } from "../../../../shared/rules/rollout/plan-input.ts";
import { machineSet } from "../../../support/foo-sets.ts";

const TEMPLATE = machineSet().spec.template;

function deployment(spec: Partial<MachineDeployment["spec"]> = {}): MachineDeployment {
  return {
    ...{ apiVersion: "cluster.x-k8s.io/v1beta2", kind: "MachineDeployment", metadata: { name: "md" } },
    spec: { clusterName: "c1", template: TEMPLATE, ...spec },
  } as MachineDeployment;
}

describe("the wish of a deployment, as the planner reads it", () => {
  it("has the defaults of what is absent", () => {
    expect(planSpec(deployment())).toEqual({
      ...{ replicas: 1, strategy: "RollingUpdate", paused: false, rollout: TEMPLATE.spec },
    });
  });

  it("has strategy, limits and the time of a restart", () => {
    const strategy = {
      type: "RollingUpdate",
      rollingUpdate: { maxSurge: "25%", maxUnavailable: 1 },
    } as const;
    const rollout = { after: "2026-01-01T12:00:00Z", strategy };
    expect(planSpec(deployment({ replicas: 4, paused: true, rollout }))).toMatchObject({
      ...{ replicas: 4, paused: true, maxSurge: "25%", maxUnavailable: 1 },
      after: Date.parse("2026-01-01T12:00:00Z"),
    });
    expect(planSpec(deployment({ rollout: { strategy: { type: "OnDelete" } } })).strategy).toBe("OnDelete");
  });
});

describe("the sets of a deployment, as the planner reads them", () => {
  it("have no Machines before they have counted", () => {
    const [set] = planSets([machineSet({ spec: { replicas: undefined } })]);
    expect(set).toMatchObject({
      ...{ name: "s1", replicas: 1, createdAt: Date.parse("2026-01-01T00:00:00Z"), deleting: false },
      ...{ held: false, bornFor: undefined, rollout: TEMPLATE.spec },
      status: { replicas: 0, available: 0, upToDate: 0, observed: false },
    });
  });

  it("have counts, which are about their present spec or not", () => {
    const status = { replicas: 3, availableReplicas: 2, upToDateReplicas: 1, observedGeneration: 2 };
    const [seen, late] = planSets([
      machineSet({ status }),
      machineSet({ status: { ...status, observedGeneration: 1 } }),
    ]);
    expect(seen?.status).toEqual({ replicas: 3, available: 2, upToDate: 1, observed: true });
    expect(late?.status?.observed).toBe(false);
  });

  it("say by annotations which revision they are, what they were made for, and who moves their Machines", () => {
    const prefix = "machinedeployment.clusters.x-k8s.io";
    const annotations = {
      [`${prefix}/revision`]: "3",
      [`${prefix}/revision-history`]: "1,2",
      [`${prefix}/desired-replicas`]: "5",
      "capstan.dev/rollout-after": "2026-01-01T12:00:00Z",
      "in-place-updates.internal.cluster.x-k8s.io/move-machines-to-machineset": "md-new",
    };
    const deletionTimestamp = "2026-01-01T13:00:00Z";
    expect(planSets([machineSet({ metadata: { annotations, deletionTimestamp } })])[0]).toMatchObject({
      ...{ revision: "3", history: "1,2", desired: "5", held: true, deleting: true },
      bornFor: Date.parse("2026-01-01T12:00:00Z"),
    });
  });
});
