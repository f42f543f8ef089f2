import { describe, expect, it } from "vitest";
import { clusterresourcesetStatus } from "../../../functions/clusterresourceset/status.ts";
import type { ClusterResourceSetStatus } from "../../../shared/api/clusterresourceset.ts";
import { PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import {
  NAMESPACE_HASH,
  resourceBinding,
  resourceSet,
  selectedCluster,
} from "../../support/resource-sets.ts";
import { appliedStatus, decide, given } from "../../support/world.ts";

async function statusOf(...objects: readonly KubeObject[]): Promise<ClusterResourceSetStatus> {
  return appliedStatus(await decide(clusterresourcesetStatus, given(...objects)));
}

function statement({ conditions }: ClusterResourceSetStatus): string {
  const found = conditionOf(conditions, "ResourcesApplied");
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

const APPLIED = resourceBinding([{ kind: "ConfigMap", name: "cni", hash: NAMESPACE_HASH, applied: true }]);

function failing(name: string, reason: string, ...problems: readonly string[]) {
  const text = JSON.stringify({ s1: { reason, problems, since: "2026-01-01T00:00:00Z" } });
  const metadata = { name, uid: `uid-${name}`, annotations: { "capstan.dev/not-applied": text } };
  return resourceBinding(undefined, { metadata });
}

describe("clusterresourceset-status", () => {
  it("says Applied once every Cluster has everything, and nothing without Clusters", async () => {
    const status = await statusOf(resourceSet(), selectedCluster(), APPLIED);
    expect(statement(status)).toBe("True Applied ");
    expect(status).toMatchObject({
      observedGeneration: 1,
      deprecated: { v1beta1: { conditions: [{ type: "ResourcesApplied", status: "True" }] } },
    });
    expect(conditionOf((await statusOf(resourceSet())).conditions, "ResourcesApplied")).toBeUndefined();
  });

  it("counts, names three, and gives the worst reason", async () => {
    const names = ["c2", "c3", "c4", "c5"];
    const bindings = names.map((name) => failing(name, "NotApplied", "ConfigMap cni: no"));
    const clusters = ["c1", ...names].map(selectedCluster);
    const status = await statusOf(resourceSet(), ...clusters, APPLIED, ...bindings);
    expect(statement(status)).toBe(
      "False NotApplied 1 of 5 Clusters; c2: ConfigMap cni: no; c3: ConfigMap cni: no; c4: ConfigMap cni: no; and 1 more",
    );
    const typed = failing("c1", "WrongSecretType", "Secret type of resource late is not supported");
    expect(statement(await statusOf(resourceSet(), ...clusters, typed, ...bindings))).toMatch(
      /^False WrongSecretType 0 of 5 Clusters; c1: Secret type of resource late is not supported; /,
    );
    const young = await statusOf(resourceSet(), selectedCluster());
    expect(statement(young)).toBe(
      "False InternalError 0 of 1 Clusters; c1: ConfigMap cni waits for the workload cluster",
    );
    expect(young.deprecated?.v1beta1?.conditions).toMatchObject([
      { reason: "RemoteClusterClientFailed", severity: "Error" },
    ]);
  });

  it("survives what another client has written into the annotation", async () => {
    const damaged = { metadata: { annotations: { "capstan.dev/not-applied": "{" } } };
    const binding = resourceBinding(undefined, damaged);
    expect(statement(await statusOf(resourceSet(), selectedCluster(), binding))).toMatch(
      /^False InternalError/,
    );
  });

  it("says Paused of a set with the annotation, and nothing else", async () => {
    const paused = resourceSet({ metadata: { annotations: { [PAUSED_ANNOTATION]: "" } } });
    const status = await statusOf(paused, selectedCluster(), APPLIED);
    expect(status.conditions).toMatchObject([{ type: "Paused", status: "True" }]);
  });
});
