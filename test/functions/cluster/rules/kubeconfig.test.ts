import { describe, expect, it } from "vitest";
import { issueDue, renewedAfterMs, requestOf } from "../../../../functions/cluster/rules/kubeconfig.ts";
import type { SecretSummary } from "../../../../shared/function/secret-summary.ts";
import { cluster, type Overrides } from "../../../support/builders.ts";
import { OWNED_BY_C1 } from "../../../support/foo-cluster.ts";
import { kubeconfigSummary } from "../../../support/secret-summaries.ts";
import { NOW } from "../../../support/world.ts";

const HALF_MS = 182.5 * 24 * 60 * 60_000;
const ENDPOINT = { host: "new.example.com", port: 6443 };

/** Secret c1-kubeconfig whose client certificate has so many ms left. */
function present(leftMs: number, overrides: Overrides<SecretSummary> = {}): SecretSummary {
  return kubeconfigSummary(new Date(NOW.getTime() + leftMs).toISOString(), overrides);
}

function due(secret: SecretSummary | undefined) {
  return issueDue(cluster(), ENDPOINT, secret, NOW);
}

describe("the kubeconfig Secret of a Cluster without control plane object", () => {
  it("is renewed once less than half of a year is left, and keeps the server that clients know", () => {
    expect(renewedAfterMs).toBe(HALF_MS);
    expect(due(present(HALF_MS + 1))).toEqual({ inMs: 1 });
    const old = present(HALF_MS);
    expect(due(old)).toEqual({ server: "https://c1.example.com:6443", renew: old });
    expect(due(present(-1))).toMatchObject({ server: "https://c1.example.com:6443" });
  });

  it("is asked for with the Cluster as owner, not as controller; a renewal carries uid and version", () => {
    const renew = present(0);
    const request = requestOf(cluster(), { server: "https://c1.example.com:6443", renew });
    expect(request).toMatchObject({
      secret: { namespace: "default", name: "c1-kubeconfig" },
      owner: OWNED_BY_C1,
      renew: { uid: "uid-c1-kubeconfig", resourceVersion: "90" },
    });
    expect(request.owner.controller).toBeUndefined();
    expect(requestOf(cluster(), { server: "https://x" }).renew).toBeUndefined();
  });
});
