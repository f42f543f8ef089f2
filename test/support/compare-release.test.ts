import { describe, expect, it } from "vitest";
import { loadCrds, toCrd } from "../../infra/platform/crds/crd.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { valueAt } from "../../shared/api/path.ts";
import { compareFolder, compareMetrics, compareRelease, differences } from "./compare-release.ts";
import { clusterApiMissing } from "./processes/cluster-api.ts";
import { describeWith } from "./requires.ts";
import { inShared, sharedMissing } from "./shared.ts";

const PUBLISHED = "data/core-crds";

describeWith(sharedMissing(PUBLISHED))("Capstan's CRDs beside Cluster API's", () => {
  it("differ in nothing unexplained", async () => {
    const found = await compareFolder(inShared(PUBLISHED));
    expect(found.filter(({ explained }) => explained === undefined)).toEqual([]);
    // An explanation without a difference must be removed.
    expect(found).toHaveLength(149);
  });
});

describeWith(clusterApiMissing())("Capstan beside the release of Cluster API that is built here", () => {
  it("differs in nothing unexplained", async () => {
    const found = await compareRelease();
    expect(found.filter(({ explained }) => explained === undefined)).toEqual([]);
  });
});

describe("comparing CRDs", () => {
  it("finds nothing between a CRD and itself", async () => {
    for (const crd of await loadCrds()) expect(differences(crd, structuredClone(crd))).toEqual([]);
  });

  it.each([
    ["a limit", (text: string) => text.replace('"maxLength":63', '"maxLength":64')],
    ["a format", (text: string) => text.replace('"format":"int32"', '"format":"int64"')],
    [
      "a list type",
      (text: string) => text.replace('"x-kubernetes-list-type":"atomic"', '"x-kubernetes-list-type":"set"'),
    ],
    ["an enum", (text: string) => text.replace('"Scaling",', "")],
    [
      "a required field",
      (text: string) => text.replace('"required":["clusterName","template"]', '"required":["template"]'),
    ],
    ["a property", (text: string) => text.replace('"fieldPath":', '"fieldPaths":')],
    ["a rule", (text: string) => text.replace("self == oldSelf", "true")],
    ["a printer column", (text: string) => text.replace('"name":"Desired"', '"name":"Wanted"')],
    ["a subresource", (text: string) => text.replace('"status":{}', '"other":{}')],
    ["a short name", (text: string) => text.replace('"mp"', '"mpool"')],
    ["a pattern", (text: string) => text.replace('"pattern":"^[a-z', '"pattern":"^[b-z')],
  ])("notices %s", async (_, change) => {
    const pool = (await loadCrds()).find(({ metadata }) => metadata.name.startsWith("machinepools"));
    const text = JSON.stringify(pool);
    const other: unknown = JSON.parse(change(text));
    expect(differences(pool, other)).not.toEqual([]);
  });

  it("notices a field of an older version, and none of its limits", async () => {
    const pool = toCrd(MachinePool, { url: "https://localhost" });
    const [newest, older] = valueAt(pool, "spec.versions") as readonly object[];
    const withOlder = (change: (text: string) => string) => ({
      ...pool,
      spec: { ...pool?.spec, versions: [newest, JSON.parse(change(JSON.stringify(older)))] },
    });
    expect(
      differences(
        pool,
        withOlder((text) => text.replace('"maxLength":63', '"maxLength":64')),
      ),
    ).toEqual([]);
    expect(
      differences(
        pool,
        withOlder((text) => text.replace('"minReadySeconds":', '"minReady":')),
      ),
    ).toEqual([
      expect.objectContaining({
        path: expect.stringMatching(/^machinepools\/v1beta1\/.*minReady$/),
        ours: undefined,
      }),
      expect.objectContaining({ path: expect.stringMatching(/minReady#type$/) }),
      expect.objectContaining({ path: expect.stringMatching(/minReadySeconds$/), published: undefined }),
      expect.objectContaining({ path: expect.stringMatching(/minReadySeconds#type$/) }),
    ]);
  });

  it("notices what a metric reads and no schema has", () => {
    const resource = (version: string, ...path: readonly string[]) => ({
      groupVersionKind: { group: "cluster.x-k8s.io", version, kind: "Machine" },
      metricNamePrefix: "capi_machine",
      metrics: [{ name: "one", each: { info: { path, labelsFromPath: { type: ["type"] } } } }],
    });
    expect(compareMetrics([resource("v1beta2", "status", "conditions")])).toEqual([]);
    expect(compareMetrics([resource("v1beta3", "status", "moods")]).map(({ path }) => path)).toEqual([
      "machines/metrics/status.moods",
      "machines/metrics/status.moods.type",
      "machines/metrics/v1beta3",
    ]);
  });

  it("takes no notice of descriptions, and of the order of what is a set", () => {
    const crd = (required: readonly string[], description: string) => ({
      spec: {
        names: { plural: "xs" },
        versions: [
          { name: "v1beta2", schema: { openAPIV3Schema: { type: "object", required, description } } },
        ],
      },
    });
    expect(differences(crd(["a", "b"], "one"), crd(["b", "a"], "two"))).toEqual([]);
  });
});
