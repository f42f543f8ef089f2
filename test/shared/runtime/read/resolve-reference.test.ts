import { describe, expect, it } from "vitest";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { CustomResourceDefinition } from "../../../../shared/api/core.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { crdExistsLive, resolveReference } from "../../../../shared/runtime/read/resolve-reference.ts";
import { crd } from "../../../support/builders.ts";
import { recordingClients } from "../../../support/recording-clients.ts";

const CRDS = {
  cluster: MANAGEMENT,
  group: CustomResourceDefinition.group,
  kind: CustomResourceDefinition.kind,
};
const reference = { apiGroup: "parts.dev", kind: "Door", name: "d" };

async function resolveIn(version: string, ...crds: readonly CustomResourceDefinition[]) {
  const store = createMemoryStore();
  for (const one of crds) await store.put(CRDS, [one]);
  return resolveReference(store, { ...reference, version });
}

async function resolve(...crds: readonly CustomResourceDefinition[]) {
  const store = createMemoryStore();
  for (const one of crds) await store.put(CRDS, [one]);
  return resolveReference(store, reference);
}

describe("a reference to a provider object", () => {
  it("PC-2.2: gets its version from the newest contract label of its CRD, not from any apiVersion", async () => {
    const labels = { "cluster.x-k8s.io/v1beta1": "v1", "cluster.x-k8s.io/v1beta2": "v2_v3beta1" };
    expect(await resolve(crd("parts.dev", "Door", { metadata: { labels } }))).toEqual({
      state: "resolved",
      contract: "v1beta2",
      kind: { group: "parts.dev", version: "v2", kind: "Door", plural: "doors", namespaced: true },
    });
  });

  describe("with a version", () => {
    const versions = [
      { name: "v1", served: true },
      { name: "v2", served: true },
      { name: "v3", served: false },
    ];
    const spec = { versions };
    const labels = { "cluster.x-k8s.io/v1beta2": undefined, "cluster.x-k8s.io/v1beta1": "v2" };

    it("PC-2.4: means exactly that version, with and without contract labels", async () => {
      const unlabelled = crd("parts.dev", "Door", { metadata: { labels: undefined }, spec });
      expect(await resolveIn("v1", unlabelled)).toEqual({
        state: "resolved",
        contract: "v1beta2",
        kind: { group: "parts.dev", version: "v1", kind: "Door", plural: "doors", namespaced: true },
      });
      const labelled = crd("parts.dev", "Door", { metadata: { labels }, spec });
      expect(await resolveIn("v1", labelled)).toMatchObject({ contract: "v1beta1", kind: { version: "v1" } });
    });

    it.each(["v3", "v4"])(
      "PC-2.4: is unresolved when %s is not served, and names those that are",
      async (version) => {
        expect(await resolveIn(version, crd("parts.dev", "Door", { spec }))).toEqual({
          state: "unresolved",
          crdExists: true,
          message: `CustomResourceDefinition of parts.dev/Door (doors.parts.dev) serves v1, v2, not ${version}; write one of these in the reference`,
        });
      },
    );
  });

  it("PC-2: means the kind of its own group when two groups have one of that name", async () => {
    const resolved = await resolve(crd("other.dev", "Door"), crd("parts.dev", "Door"));
    expect(resolved).toMatchObject({ kind: { group: "parts.dev" } });
  });

  it("may name a cluster-scoped kind", async () => {
    expect(await resolve(crd("parts.dev", "Door", { spec: { scope: "Cluster" } }))).toMatchObject({
      kind: { namespaced: false },
    });
  });

  it("is unresolved without CRD or contract label, with the next step in the message", async () => {
    expect(await resolve()).toEqual({
      state: "unresolved",
      crdExists: false,
      message:
        "CustomResourceDefinition of parts.dev/Door does not exist; install the provider, or correct kind in the reference",
    });
    expect(await resolve(crd("other.dev", "Door"))).toMatchObject({
      message: expect.stringContaining("does not exist; install the provider, or write apiGroup other.dev"),
    });
    const unlabelled = crd("parts.dev", "Door", { metadata: { labels: undefined } });
    expect(await resolve(unlabelled)).toEqual({
      state: "unresolved",
      crdExists: true,
      message:
        "CustomResourceDefinition of parts.dev/Door (doors.parts.dev) " +
        "has no label cluster.x-k8s.io/v1beta2 or cluster.x-k8s.io/v1beta1; " +
        "if its provider follows contract v1beta2: " +
        "kubectl label crd doors.parts.dev cluster.x-k8s.io/v1beta2=v1",
    });
  });

  it("has a definition when the server lists one of that group and kind", async () => {
    const client = recordingClients(undefined, [crd("parts.dev", "Door")]).of(MANAGEMENT, "widget-grow");
    expect(await crdExistsLive(client, reference)).toBe(true);
    expect(await crdExistsLive(client, { ...reference, apiGroup: "other.dev" })).toBe(false);
  });
});
