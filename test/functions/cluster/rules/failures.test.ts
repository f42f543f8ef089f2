import { describe, expect, it } from "vitest";
import { clusterFailure } from "../../../../functions/cluster/rules/failures.ts";
import { cluster } from "../../../support/builders.ts";
import { fooCluster, fooControlPlane, found, missing } from "../../../support/foo-cluster.ts";

describe("clusterFailure", () => {
  it("says nothing of objects that report nothing, or something else than texts", () => {
    const infrastructure = found(fooCluster({ status: { failureReason: "", failureMessage: 7 } }));
    expect(clusterFailure(cluster(), { infrastructure, controlPlane: missing("P") })).toEqual({});
  });

  it("keeps a copied value whose source is gone, and believes no foreign object", () => {
    const v1beta1 = { failureReason: "Quota", failureMessage: "full" };
    const failed = cluster({ status: { deprecated: { v1beta1 } } });
    const foreign = fooControlPlane({
      metadata: { ownerReferences: undefined },
      status: { failureReason: "Other" },
    });
    expect(clusterFailure(failed, { infrastructure: undefined, controlPlane: found(foreign) })).toEqual(
      v1beta1,
    );
  });

  it("takes reason and message each from the object that was read last, under either contract", () => {
    const infrastructure = found(
      fooCluster({ status: { failureReason: "A", failureMessage: "a" } }),
      "v1beta1",
    );
    const controlPlane = found(fooControlPlane({ status: { failureReason: "B" } }));
    expect(clusterFailure(cluster(), { infrastructure, controlPlane })).toEqual({
      failureReason: "B",
      failureMessage:
        'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooCluster with name "c1-infra": a',
    });
  });
});
