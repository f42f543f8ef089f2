import { describe, expect, it } from "vitest";
import { referenceVersions } from "../../../../infra/platform/crds/reference-version.ts";

function crd(name: string, labels: { readonly [key: string]: string }) {
  return { metadata: { name, labels } };
}

const GROUP = "infrastructure.example.com";

describe("the version of a reference", () => {
  it.each([
    ["SimCluster", "simclusters", { "cluster.x-k8s.io/v1beta2": "v1beta1_v1" }, "v1"],
    ["Proxy", "proxies", { "cluster.x-k8s.io/v1beta1": "v1alpha3" }, "v1alpha3"],
    ["Box", "boxes", { "cluster.x-k8s.io/v1beta2": "v2", "cluster.x-k8s.io/v1beta1": "v1" }, "v2"],
  ])("of a %s is the newest that the labels of its CRD name", (kind, plural, labels, version) => {
    const name = `${plural}.${GROUP}`;
    const find = referenceVersions((asked) => (asked === name ? crd(name, labels) : undefined));
    expect(find(GROUP, kind)).toBe(`${GROUP}/${version}`);
  });

  it("is the last that was known, or v1beta1, where there is no CRD or no label, and is counted", () => {
    const crds = new Map([[`foos.${GROUP}`, crd(`foos.${GROUP}`, { "cluster.x-k8s.io/v1beta2": "v1" })]]);
    const fallbacks: string[] = [];
    const find = referenceVersions(
      (name) => crds.get(name),
      (group, kind) => fallbacks.push(`${kind}.${group}`),
    );
    expect(find(GROUP, "Foo")).toBe(`${GROUP}/v1`);
    crds.clear();
    expect([find(GROUP, "Foo"), find(GROUP, "Bar")]).toEqual([`${GROUP}/v1`, `${GROUP}/v1beta1`]);
    expect(fallbacks).toEqual([`Foo.${GROUP}`, `Bar.${GROUP}`]);
  });
});
