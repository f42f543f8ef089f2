import { describe, expect, it } from "vitest";
import { clusterPhase } from "../../../../functions/cluster/rules/phase.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { cluster, type Overrides } from "../../../support/builders.ts";

const NO_REFERENCES = { infrastructureRef: undefined, controlPlaneRef: undefined };
const ENDPOINT = { host: "c1.example.com", port: 6443 };

describe("clusterPhase", () => {
  it.each<[string, Overrides<Cluster>, boolean, string]>([
    ["nothing is known", { spec: { ...NO_REFERENCES, controlPlaneEndpoint: undefined } }, false, "Pending"],
    [
      "only the control plane is referenced",
      { spec: { infrastructureRef: undefined } },
      false,
      "Provisioning",
    ],
    [
      "only the infrastructure is referenced",
      { spec: { controlPlaneRef: undefined } },
      false,
      "Provisioning",
    ],
    [
      "it is provisioned without endpoint",
      { spec: { controlPlaneEndpoint: undefined } },
      true,
      "Provisioning",
    ],
    ["the port is missing", { spec: { controlPlaneEndpoint: { port: undefined } } }, true, "Provisioning"],
    ["it is provisioned and has an endpoint", {}, true, "Provisioned"],
    ["it has an endpoint and no references", { spec: NO_REFERENCES }, true, "Provisioned"],
    [
      "no rule matches and a phase is stored",
      { spec: { ...NO_REFERENCES, controlPlaneEndpoint: ENDPOINT }, status: { phase: "Provisioning" } },
      false,
      "Provisioning",
    ],
    ["an old Failed is stored", { status: { phase: "Failed" } }, true, "Provisioned"],
    ["it is being deleted", { metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }, true, "Deleting"],
  ])("when %s", (_, overrides, provisioned, phase) => {
    expect(clusterPhase(cluster(overrides), provisioned)).toBe(phase);
  });
});
