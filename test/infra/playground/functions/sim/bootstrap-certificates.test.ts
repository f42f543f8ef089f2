import { describe, expect, it } from "vitest";
import { simBootstrapCertificates } from "../../../../../infra/playground/functions/sim/bootstrap-certificates.ts";
import type { Cluster } from "../../../../../shared/api/cluster/cluster.ts";
import { done, requeueAfter, waitFor } from "../../../../../shared/function/result.ts";
import { cluster, type Overrides } from "../../../../support/builders.ts";
import { clonesOf, controlPlaneMachine } from "../../../../support/control-planes.ts";
import { authoritySummary } from "../../../../support/secret-summaries.ts";
import { decide, given } from "../../../../support/world.ts";

const machine = controlPlaneMachine("m1", { metadata: { ownerReferences: undefined } });
const [, config] = clonesOf("m1");

/** Cluster c1 without control plane object. */
function standAlone(overrides: Overrides<Cluster> = {}): Cluster {
  return cluster({ ...overrides, spec: { controlPlaneRef: undefined, ...overrides.spec } });
}

describe("sim-bootstrap-certificates", () => {
  it("makes the certificates for a control plane Machine of a Cluster without control plane object", async () => {
    const { issue = [], result } = await decide(
      simBootstrapCertificates,
      given(standAlone(), machine, config),
    );
    expect(issue.map(({ secret }) => secret.name)).toEqual(["c1-ca", "c1-etcd", "c1-proxy", "c1-sa"]);
    expect(issue[0]?.owner).toMatchObject({ kind: "SimBootstrapConfig", name: "m1", controller: true });
    expect(result).toEqual(done);
  });

  it("makes only what is missing, so that the second Machine makes nothing", async () => {
    const world = given(standAlone(), machine, config).secret(authoritySummary());
    const { issue = [] } = await decide(simBootstrapCertificates, world);
    expect(issue.map(({ secret }) => secret.name)).toEqual(["c1-etcd", "c1-proxy", "c1-sa"]);
  });

  it("names a certificate that cannot be used, and looks again", async () => {
    const broken = authoritySummary({ pair: { privateKey: "missing" } });
    const world = given(standAlone(), machine, config).secret(broken);
    expect(await decide(simBootstrapCertificates, world)).toMatchObject({
      events: [
        {
          type: "Warning",
          reason: "CertificatesUnusable",
          message: expect.stringMatching(/^Secret default\/c1-ca: key tls.key is missing/),
        },
      ],
      result: requeueAfter(30_000, "the certificates are corrected"),
    });
  });

  it.each([
    ["with a control plane object", cluster(), machine, done],
    [
      "for a worker",
      standAlone(),
      controlPlaneMachine("m1", { metadata: { labels: { "cluster.x-k8s.io/control-plane": undefined } } }),
      done,
    ],
    ["while paused", standAlone({ spec: { paused: true } }), machine, waitFor("Cluster.spec.paused")],
    [
      "without infrastructure",
      standAlone({ status: { initialization: undefined } }),
      machine,
      waitFor("Cluster.status.initialization.infrastructureProvisioned"),
    ],
  ])("makes nothing %s", async (_, object, owner, result) => {
    expect(await decide(simBootstrapCertificates, given(object, owner, config))).toEqual({ result });
  });
});
