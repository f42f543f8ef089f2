import { describe, expect, it } from "vitest";
import { simControlplaneCertificates } from "../../../../../infra/playground/functions/sim/controlplane-certificates.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import type { SecretSummary } from "../../../../../shared/function/secret-summary.ts";
import { cluster, type Overrides } from "../../../../support/builders.ts";
import {
  CONTROL_PLANE_FINALIZER,
  machinesControlPlane,
  OWNED_BY_C1,
  simServer,
} from "../../../../support/control-planes.ts";
import { authoritySummary, kubeconfigSummary } from "../../../../support/secret-summaries.ts";
import { decide, given, NOW, type World } from "../../../../support/world.ts";

const SECOND_MS = 1_000;
const OWNER = {
  apiVersion: "controlplane.sim.capstan.dev/v1beta2",
  kind: "SimControlPlane",
  name: "cp",
  uid: "uid-cp",
  controller: true,
  blockOwnerDeletion: true,
};
const DUE = "the client certificate is due for renewal";
const ISSUED_FOR = "sim.capstan.dev/issued-for";
const SERVER = "https://127.0.0.1:4711";
const [CA, ETCD, PROXY, SA] = ["ca", "etcd", "proxy", "sa"].map((purpose) => `c1-${purpose}`) as [
  string,
  string,
  string,
  string,
];

/** SimControlPlane cp whose kubeconfig is valid for 100 s. */
function controlPlane(isReady: boolean, overrides: Parameters<typeof machinesControlPlane>[0] = {}) {
  const certificates = isReady ? { ready: true } : undefined;
  return machinesControlPlane({
    ...overrides,
    spec: { kubeconfigValiditySeconds: 100, ...overrides.spec },
    status: { certificates },
  });
}

function worldOf(isReady: boolean, ...secrets: readonly SecretSummary[]): World {
  const world = given(cluster(), controlPlane(isReady), simServer());
  return secrets.reduce((before, secret) => before.secret(secret), world);
}

/** The Cluster has the address of the API server. */
function atRest(secret: SecretSummary): World {
  const endpoint = cluster({ spec: { controlPlaneEndpoint: { host: "127.0.0.1", port: 4711 } } });
  const world = given(endpoint, controlPlane(true), simServer());
  return [secret, ...all].reduce((before, each) => before.secret(each), world);
}

function certificate(name: string, overrides: Overrides<SecretSummary> = {}): SecretSummary {
  return authoritySummary({ ...overrides, metadata: { name } });
}

const pair = certificate(SA, { pair: { certificate: undefined } });
const all = [certificate(CA), certificate(ETCD), certificate(PROXY), pair];

/** Kubeconfig of cp that is valid for some seconds more. */
function kubeconfig(leftSeconds: number, overrides: Overrides<SecretSummary> = {}): SecretSummary {
  const notAfter = new Date(NOW.getTime() + leftSeconds * SECOND_MS).toISOString();
  return kubeconfigSummary(notAfter, {
    ...overrides,
    metadata: { ownerReferences: [OWNER], ...overrides.metadata },
    kubeconfig: { server: SERVER, ...overrides.kubeconfig },
  });
}

describe("sim-controlplane-certificates", () => {
  it("makes the four certificates and then the kubeconfig, with the control plane as controller", async () => {
    const { issue = [], ...decision } = await decide(simControlplaneCertificates, worldOf(false));
    const authority = { type: "authority", commonName: "kubernetes", validitySeconds: 315_360_000 };
    expect(issue.map(({ secret, what }) => [secret.name, what])).toEqual([
      [CA, authority],
      [ETCD, authority],
      [PROXY, authority],
      [SA, { type: "keyPair" }],
      [
        "c1-kubeconfig",
        {
          type: "kubeconfig",
          clusterName: "c1",
          server: SERVER,
          subject: { commonName: "kubernetes-admin", organization: "system:masters" },
          validitySeconds: 100,
          authority: { namespace: "default", name: CA },
        },
      ],
    ]);
    for (const { owner, labels, secret } of issue) {
      const issued = secret.name === "c1-kubeconfig" ? { [ISSUED_FOR]: "127.0.0.1_4711" } : {};
      expect([owner, labels]).toEqual([OWNER, { "cluster.x-k8s.io/cluster-name": "c1", ...issued }]);
    }
    expect(decision).toEqual({
      patch: [],
      apply: { "status.certificates": { ready: true } },
      result: requeueAfter(50 * SECOND_MS, DUE),
    });
  });

  it("makes only what is missing; a user's own are used as they are", async () => {
    const own = { type: "Opaque", metadata: { ownerReferences: undefined } } as Overrides<SecretSummary>;
    const etcd = certificate(ETCD, { ...own, pair: { privateKey: "missing" } });
    const world = worldOf(false, certificate(CA, own), etcd, pair);
    const { issue = [] } = await decide(simControlplaneCertificates, world);
    expect(issue.map(({ secret }) => secret.name)).toEqual([PROXY, "c1-kubeconfig"]);
  });

  it.each([
    ["has no key", CA, { pair: { privateKey: "missing" } }],
    ["has expired", CA, { pair: { certificate: { notAfter: "2025-06-01T00:00:00Z" } } }],
    [
      "cannot be read",
      PROXY,
      { pair: { certificate: undefined, wrong: "key tls.crt holds no certificate" } },
    ],
    ["has no key", SA, { pair: { certificate: undefined, privateKey: "missing" } }],
  ])("says that a Secret %s and makes no kubeconfig: %s", async (_, name, overrides) => {
    const broken = certificate(name, overrides as Overrides<SecretSummary>);
    const others = all.filter(({ metadata }) => metadata.name !== name);
    expect(await decide(simControlplaneCertificates, worldOf(false, ...others, broken))).toEqual({
      issue: [],
      apply: {
        "status.certificates": {
          ready: false,
          message: expect.stringMatching(new RegExp(`^Secret default/${name}: .*tls`)),
        },
      },
      result: requeueAfter(30 * SECOND_MS, "the certificates are corrected"),
    });
  });

  it("reads nothing but the kubeconfig at rest, and comes back when it is due", async () => {
    expect(await decide(simControlplaneCertificates, worldOf(true, kubeconfig(70)))).toEqual({
      issue: [],
      patch: [],
      apply: { "status.certificates": { ready: true } },
      result: requeueAfter(20 * SECOND_MS, DUE),
    });
  });

  it("renews it at half of its time", async () => {
    const { issue = [] } = await decide(simControlplaneCertificates, worldOf(true, kubeconfig(49), ...all));
    expect(issue).toMatchObject([
      { renew: { uid: "uid-c1-kubeconfig", resourceVersion: "90" }, what: { server: SERVER } },
    ]);
  });

  it("renews it when the API server has moved", async () => {
    const moved = kubeconfig(99, { kubeconfig: { server: "https://127.0.0.1:1" } });
    const { issue = [] } = await decide(simControlplaneCertificates, worldOf(true, moved, ...all));
    expect(issue).toMatchObject([{ renew: { uid: "uid-c1-kubeconfig" }, what: { server: SERVER } }]);
  });

  it("renews one for an address of before, also once the Cluster has followed the API server", async () => {
    const old = kubeconfig(99, {
      metadata: { labels: { [ISSUED_FOR]: "127.0.0.1_4710" } },
      kubeconfig: { server: "https://127.0.0.1:4710" },
    });
    const { issue = [] } = await decide(simControlplaneCertificates, atRest(old));
    expect(issue).toMatchObject([
      {
        labels: { [ISSUED_FOR]: "127.0.0.1_4711" },
        renew: { labels: old.metadata.labels },
        what: { server: SERVER },
      },
    ]);
  });

  it("keeps the address in it while the API server is where the Cluster says", async () => {
    const edited = kubeconfig(49, {
      metadata: { labels: { [ISSUED_FOR]: "127.0.0.1_4711" } },
      kubeconfig: { server: "https://proxy.example.com:443" },
    });
    const { issue = [] } = await decide(simControlplaneCertificates, atRest(edited));
    expect(issue).toMatchObject([{ what: { server: "https://proxy.example.com:443" } }]);
  });

  it("becomes the controller of one that a controller has made, before it renews it", async () => {
    const foreign = { ...OWNER, kind: "Other", name: "o", uid: "uid-o" };
    const made = kubeconfig(10, { metadata: { ownerReferences: [foreign, OWNED_BY_C1] } });
    const decision = await decide(simControlplaneCertificates, worldOf(true, made, ...all));
    expect(decision.issue).toEqual([]);
    expect(decision.patch).toMatchObject([
      {
        target: { kind: { kind: "Secret" }, name: "c1-kubeconfig", resourceVersion: "90" },
        operations: [{ op: "add", path: "/metadata/ownerReferences", value: [OWNED_BY_C1, OWNER] }],
      },
    ]);
  });

  it.each([
    ["a user's own", { type: "Opaque" }],
    [
      "one that cannot be read",
      { kubeconfig: { server: undefined, certificate: undefined, wrong: "is not YAML" } },
    ],
  ])("leaves %s as it is", async (_, overrides) => {
    const kept = kubeconfig(-10, overrides as Overrides<SecretSummary>);
    expect(await decide(simControlplaneCertificates, worldOf(true, kept))).toEqual({
      issue: [],
      patch: [],
      apply: { "status.certificates": { ready: true } },
      result: done,
    });
  });

  it.each([
    ["its owner", { metadata: { ownerReferences: [] } }, "SimControlPlane.metadata.ownerReferences"],
    ["its finalizer", { metadata: { finalizers: [] } }, "SimControlPlane.metadata.finalizers"],
    [
      "the end of a pause",
      { metadata: { finalizers: [CONTROL_PLANE_FINALIZER], annotations: { "cluster.x-k8s.io/paused": "" } } },
      "SimControlPlane.metadata.annotations[cluster.x-k8s.io/paused]",
    ],
  ])("waits for %s", async (_, overrides, field) => {
    const world = given(cluster(), controlPlane(false, overrides), simServer());
    expect(await decide(simControlplaneCertificates, world)).toEqual({ result: waitFor(field) });
  });

  it("waits for the infrastructure", async () => {
    const world = given(cluster({ status: { initialization: undefined } }), controlPlane(false), simServer());
    const result = waitFor("Cluster.status.initialization.infrastructureProvisioned");
    expect(await decide(simControlplaneCertificates, world)).toEqual({ result });
  });
});
