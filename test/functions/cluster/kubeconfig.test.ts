import { describe, expect, it } from "vitest";
import { clusterKubeconfig } from "../../../functions/cluster/kubeconfig.ts";
import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { done, requeueAfter, waitFor } from "../../../shared/function/result.ts";
import type { SecretSummary } from "../../../shared/function/secret-summary.ts";
import { cluster, type Overrides } from "../../support/builders.ts";
import { deletedCluster, FOREIGN_CONTROLLER, OWNED_BY_C1, TOPOLOGY } from "../../support/foo-cluster.ts";
import { authoritySummary, kubeconfigSummary } from "../../support/secret-summaries.ts";
import { decide, given, NOW, type World } from "../../support/world.ts";

const DAY_MS = 24 * 60 * 60_000;
const DUE = "the client certificate is due for renewal";
const WHAT = {
  type: "kubeconfig",
  clusterName: "c1",
  server: "https://c1.example.com:6443",
  subject: { commonName: "kubernetes-admin", organization: "system:masters" },
  validitySeconds: 365 * 24 * 60 * 60,
  authority: { namespace: "default", name: "c1-ca" },
};
const ISSUE = {
  secret: { namespace: "default", name: "c1-kubeconfig" },
  labels: { "cluster.x-k8s.io/cluster-name": "c1" },
  owner: OWNED_BY_C1,
  what: WHAT,
};

/** Cluster c1 without control plane object, with an endpoint. */
function standAlone(overrides: Overrides<Cluster> = {}): Cluster {
  return cluster({ ...overrides, spec: { controlPlaneRef: undefined, ...overrides.spec } });
}

function inDays(days: number): string {
  return new Date(NOW.getTime() + days * DAY_MS).toISOString();
}

function worldOf(...secrets: readonly SecretSummary[]): World {
  return secrets.reduce((world, secret) => world.secret(secret), given(standAlone()));
}

describe("cluster-kubeconfig", () => {
  it("asks for a kubeconfig once the endpoint is valid, owned by the Cluster, and comes back at half of its time", async () => {
    expect(await decide(clusterKubeconfig, worldOf(authoritySummary()))).toEqual({
      issue: [ISSUE],
      result: requeueAfter(182.5 * DAY_MS, DUE),
    });
  });

  it("brackets an IPv6 host", async () => {
    const world = given(standAlone({ spec: { controlPlaneEndpoint: { host: "fd00::1", port: 443 } } }));
    const { issue = [] } = await decide(clusterKubeconfig, world.secret(authoritySummary()));
    expect(issue.map(({ what }) => Reflect.get(what, "server"))).toEqual(["https://[fd00::1]:443"]);
  });

  it.each([
    ["with a control plane object", cluster(), done],
    [
      "with a topology",
      standAlone({ spec: { topology: TOPOLOGY } }),
      waitFor("Cluster.spec.infrastructureRef"),
    ],
    ["while it is deleted", deletedCluster({ spec: { controlPlaneRef: undefined } }), done],
    ["while paused", standAlone({ spec: { paused: true } }), waitFor("Cluster.spec.paused")],
    [
      "without finalizer",
      standAlone({ metadata: { finalizers: undefined } }),
      waitFor("Cluster.metadata.finalizers"),
    ],
    [
      "without endpoint",
      standAlone({ spec: { controlPlaneEndpoint: undefined } }),
      waitFor("Cluster.spec.controlPlaneEndpoint"),
    ],
    [
      "with half an endpoint",
      standAlone({ spec: { controlPlaneEndpoint: { host: "c1", port: undefined } } }),
      waitFor("Cluster.spec.controlPlaneEndpoint"),
    ],
  ])("asks for nothing and reads no Secret %s", async (_, object, result) => {
    expect(await decide(clusterKubeconfig, given(object).secret(authoritySummary()))).toEqual({ result });
  });

  it("renews nothing that ends with its authority already, and says so once a day", async () => {
    const authority = authoritySummary({ pair: { certificate: { notAfter: inDays(30) } } } as never);
    const { issue, events, result } = await decide(
      clusterKubeconfig,
      worldOf(authority, kubeconfigSummary(inDays(30))),
    );
    expect(issue).toBeUndefined();
    expect(events?.[0]).toMatchObject({ reason: "KubeconfigNotIssued" });
    expect(events?.[0]?.message).toContain("write one that is valid for longer");
    expect(result).toMatchObject({ afterMs: DAY_MS });
    const longer = authoritySummary({ pair: { certificate: { notAfter: inDays(31) } } } as never);
    expect(
      (await decide(clusterKubeconfig, worldOf(longer, kubeconfigSummary(inDays(30))))).issue,
    ).toHaveLength(1);
  });

  it("asks again in 30 s while the authority is missing", async () => {
    expect(await decide(clusterKubeconfig, worldOf())).toEqual({
      result: requeueAfter(30_000, "Secret default/c1-ca"),
    });
  });

  it.each([
    ["holds no certificate", { pair: { certificate: undefined, wrong: "key tls.crt holds no certificate" } }],
    ["has no key", { pair: { privateKey: "missing" } }],
    [
      "has another key",
      { pair: { privateKey: "unusable", wrong: "key tls.key does not belong to tls.crt" } },
    ],
    ["may not sign", { pair: { certificate: { isAuthority: false } } }],
    ["has expired", { pair: { certificate: { notAfter: inDays(-1) } } }],
    ["has other keys", { pair: undefined, keys: ["ca.crt"] }],
  ] as const)("says why, and looks again, when the authority %s", async (_, overrides) => {
    const authority = authoritySummary(overrides as Overrides<SecretSummary>);
    const decision = await decide(clusterKubeconfig, worldOf(authority));
    const message = expect.stringMatching(/^Secret default\/c1-ca: .*(key|tls\.crt)/);
    expect(decision).toEqual({
      events: [{ type: "Warning", reason: "KubeconfigNotIssued", message }],
      result: requeueAfter(30_000, message),
    });
  });

  it.each([
    ["of another type", { type: "Opaque" }],
    ["without a type", { type: undefined }],
    ["of another owner", { metadata: { ownerReferences: [FOREIGN_CONTROLLER] } }],
    ["without owner", { metadata: { ownerReferences: undefined } }],
    ["without client certificate", { kubeconfig: { certificate: undefined } }],
    [
      "that is malformed",
      { kubeconfig: { server: undefined, certificate: undefined, wrong: "is not YAML" } },
    ],
    ["without kubeconfig", { kubeconfig: undefined, keys: [] }],
  ])("never touches a Secret %s, however old it is", async (_, overrides) => {
    const mine = kubeconfigSummary(inDays(-100), overrides as Overrides<SecretSummary>);
    expect(await decide(clusterKubeconfig, worldOf(mine, authoritySummary()))).toEqual({ result: done });
  });

  it("renews its own at half of its time, as it was read and for the server in it", async () => {
    const server = "https://moved.example.com:6443";
    const due = kubeconfigSummary(inDays(182.4), { kubeconfig: { server } });
    expect(await decide(clusterKubeconfig, worldOf(due, authoritySummary()))).toEqual({
      issue: [
        {
          ...ISSUE,
          renew: { uid: "uid-c1-kubeconfig", resourceVersion: "90" },
          what: { ...WHAT, server },
        },
      ],
      result: requeueAfter(182.5 * DAY_MS, DUE),
    });
  });

  it("comes back when the certificate is due, and reads nothing else until then", async () => {
    const young = kubeconfigSummary(inDays(200));
    expect(await decide(clusterKubeconfig, worldOf(young))).toEqual({
      result: requeueAfter(17.5 * DAY_MS, DUE),
    });
  });

  it("keeps what it has while the authority is missing or cannot sign", async () => {
    const due = kubeconfigSummary(inDays(100));
    expect(await decide(clusterKubeconfig, worldOf(due))).toEqual({
      result: requeueAfter(30_000, "Secret default/c1-ca"),
    });
    const broken = authoritySummary({ pair: { privateKey: "missing" } });
    const decision = await decide(clusterKubeconfig, worldOf(due, broken));
    expect(decision).toMatchObject({ events: [{ reason: "KubeconfigNotIssued" }] });
    expect(decision.issue).toBeUndefined();
  });
});
