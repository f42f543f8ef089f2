import { describe, expect, it } from "vitest";
import { valueAt } from "../../../shared/api/path.ts";
import { readBoolean } from "../../../shared/contract/fields.ts";
import { InfraCluster, infraClusterPath, infraClusterPaths } from "../../../shared/contract/infra-cluster.ts";
import { cluster } from "../../support/builders.ts";
import { fooCluster } from "../../support/foo-cluster.ts";

describe("InfraCluster", () => {
  it("is found where a Cluster names its infrastructure", () => {
    const [by] = InfraCluster.referencedBy;
    expect(valueAt(cluster(), by?.path ?? "")).toMatchObject({ name: "c1-infra" });
  });

  it("is provisioned by the flag of its own contract only", () => {
    const old = fooCluster({ status: { initialization: undefined, ready: true } });
    expect(readBoolean(old, infraClusterPath("v1beta1", "provisioned"))).toEqual({ value: true });
    expect(readBoolean(old, infraClusterPath("v1beta2", "provisioned"))).toEqual({});
    expect(readBoolean(fooCluster(), infraClusterPath("v1beta2", "provisioned"))).toEqual({ value: true });
    expect(readBoolean(fooCluster(), infraClusterPath("v1beta1", "provisioned"))).toEqual({});
  });

  it("has endpoint, failure domains and failures in one place, whatever its contract", () => {
    expect(
      infraClusterPaths("endpointHost", "endpointPort", "failureDomains", "failureReason", "failureMessage"),
    ).toEqual([
      "spec.controlPlaneEndpoint.host",
      "spec.controlPlaneEndpoint.port",
      "status.failureDomains",
      "status.failureReason",
      "status.failureMessage",
    ]);
  });
});
