import type { RemediationEntry, RemediationPolicy } from "../../shared/api/remediation-policy.ts";
import { merge, type Overrides } from "./builders.ts";

/** RemediationPolicy `default/r1` of Cluster c1, without limit or history. */
export function remediationPolicy(overrides: Overrides<RemediationPolicy> = {}): RemediationPolicy {
  return merge<RemediationPolicy>(
    {
      apiVersion: "capstan.dev/v1alpha1",
      kind: "RemediationPolicy",
      metadata: {
        name: "r1",
        namespace: "default",
        uid: "uid-r1",
        resourceVersion: "70",
        generation: 1,
        creationTimestamp: "2026-01-01T00:00:00Z",
      },
      spec: { clusterName: "c1" },
    },
    overrides,
  );
}

/** An entry of the remediation of a Machine by h1, begun at 11:00 and not ended. */
export function entryOf(machine: string, overrides: Partial<RemediationEntry> = {}): RemediationEntry {
  return {
    machine: { name: machine, uid: `uid-${machine}` },
    failedAt: "2026-01-01T10:59:00Z",
    healthCheck: "h1",
    reason: "UnhealthyNode",
    startedAt: "2026-01-01T11:00:00Z",
    by: "Owner",
    ...overrides,
  };
}
