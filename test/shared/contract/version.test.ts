import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareApiVersions, contractOf } from "../../../shared/contract/version.ts";

const crd = (labels: { readonly [name: string]: string }) => ({ metadata: { name: "things", labels } });

describe("contract of a CRD", () => {
  it.each([
    [{ "cluster.x-k8s.io/v1beta2": "v1beta1_v1beta2" }, { contract: "v1beta2", version: "v1beta2" }],
    [{ "cluster.x-k8s.io/v1beta1": "v1beta1_v1" }, { contract: "v1beta1", version: "v1" }],
    [{ "cluster.x-k8s.io/v1beta1": "v1_v1beta1" }, { contract: "v1beta1", version: "v1" }],
    [
      { "cluster.x-k8s.io/v1beta1": "v1", "cluster.x-k8s.io/v1beta2": "v2" },
      { contract: "v1beta2", version: "v2" },
    ],
    [
      { "cluster.x-k8s.io/v1beta1": "v1", "cluster.x-k8s.io/v1beta2": "" },
      { contract: "v1beta1", version: "v1" },
    ],
    [{ "cluster.x-k8s.io/v1beta2": "v1alpha3_v1alpha10" }, { contract: "v1beta2", version: "v1alpha10" }],
    [{ "cluster.x-k8s.io/v1alpha4": "v1" }, undefined],
    [{ "cluster.x-k8s.io/v1beta2": "" }, undefined],
    [{}, undefined],
  ])("reads %j", (labels, expected) => {
    expect(contractOf(crd(labels))).toEqual(expected);
  });

  it("is unknown without labels", () => {
    expect(contractOf({ metadata: { name: "things" } })).toBeUndefined();
  });
});

describe("version priority", () => {
  const ordered = [
    "v10",
    "v2",
    "v1",
    "v11beta2",
    "v10beta3",
    "v3beta1",
    "v12alpha1",
    "v11alpha2",
    "foo1",
    "foo10",
  ];

  it("PC-2.3: puts stable before beta before alpha before other names", () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
        expect(shuffled.toSorted(compareApiVersions)).toEqual(ordered);
      }),
    );
  });
});
