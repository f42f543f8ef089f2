import { describe, expect, it } from "vitest";
import { poolPhase } from "../../../../functions/machinepool/rules/phase.ts";
import type { MachinePoolPhase } from "../../../../shared/api/machinepool.ts";
import { machinePool } from "../../../support/builders.ts";

interface Facts {
  readonly stored?: MachinePoolPhase;
  readonly bootstrapped?: boolean;
  readonly provisioned?: boolean;
  readonly refs?: number;
  readonly replicas?: number | undefined;
  readonly ready?: number;
  readonly managedBy?: string;
  readonly deletionTimestamp?: string;
}

function phaseOf(facts: Facts): MachinePoolPhase {
  const { stored, managedBy, deletionTimestamp, ready } = facts;
  const annotations =
    managedBy === undefined ? undefined : { "cluster.x-k8s.io/replicas-managed-by": managedBy };
  const pool = machinePool({
    metadata: { annotations, deletionTimestamp },
    spec: { replicas: "replicas" in facts ? facts.replicas : 3 },
    ...(stored === undefined ? {} : { status: { phase: stored } }),
  });
  return poolPhase(pool, {
    initialization: {
      bootstrapDataSecretCreated: facts.bootstrapped,
      infrastructureProvisioned: facts.provisioned,
    },
    nodeRefs: Array.from({ length: facts.refs ?? 0 }, (_, index) => ({ name: `n${index}` })),
    deprecated: { v1beta1: { readyReplicas: ready } },
  });
}

describe("poolPhase", () => {
  it.each<[MachinePoolPhase, string, Facts]>([
    ["Pending", "a new pool", {}],
    ["Provisioning", "bootstrap data without infrastructure", { bootstrapped: true }],
    ["Provisioned", "refs while infrastructure is not ready", { bootstrapped: true, refs: 3, ready: 3 }],
    ["Running", "as many ready Nodes as wanted", { provisioned: true, refs: 3, ready: 3 }],
    ["Running", "zero of zero", { provisioned: true, replicas: 0 }],
    [
      "Running",
      "ready Nodes although bootstrap data is not ready",
      { bootstrapped: false, provisioned: true, ready: 3 },
    ],
    [
      "ScalingUp",
      "infrastructure that just became ready",
      { stored: "Provisioning", bootstrapped: true, provisioned: true },
    ],
    ["ScalingUp", "fewer ready Nodes than wanted", { provisioned: true, refs: 2, ready: 2 }],
    ["ScalingDown", "more ready Nodes than wanted", { provisioned: true, refs: 4, ready: 4 }],
    ["Scaling", "fewer, managed outside", { provisioned: true, ready: 2, managedBy: "" }],
    ["Scaling", "more, managed outside", { provisioned: true, ready: 4, managedBy: "False" }],
    ["ScalingUp", "fewer, managed by exactly false", { provisioned: true, ready: 2, managedBy: "false" }],
    ["Running", "equal, managed outside", { provisioned: true, ready: 3, managedBy: "karpenter" }],
    [
      "Provisioned",
      "a running pool whose infrastructure is not ready",
      { stored: "Running", bootstrapped: true, provisioned: false, refs: 3 },
    ],
    [
      "Running",
      "no rule: the stored phase stays",
      { stored: "Running", provisioned: true, replicas: undefined },
    ],
    ["Failed", "no rule: a phase of older versions stays", { stored: "Failed" }],
    ["Running", "a rule over a phase of older versions", { stored: "Failed", provisioned: true, ready: 3 }],
    ["Provisioned", "refs without replicas wanted", { provisioned: true, refs: 2, replicas: undefined }],
    [
      "Deleting",
      "a deleted pool, whatever else",
      { provisioned: true, ready: 3, deletionTimestamp: "2026-01-01T11:00:00Z" },
    ],
  ])("is %s for %s", (phase, _, facts) => {
    expect(phaseOf(facts)).toBe(phase);
  });
});
