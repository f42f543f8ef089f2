import { X509Certificate } from "node:crypto";
import { load } from "js-yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import { createIssuer } from "../../infra/platform/pki/issuer.ts";
import { x509 } from "../../infra/platform/pki/x509.ts";
import type { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Secret } from "../../shared/api/core.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { simCluster, simMachine } from "../support/manifests.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 200 };
const AVAILABLE = "--for=condition=Available --timeout=240s";
const DAY_MS = 24 * 60 * 60_000;

/** A Cluster on simulated infrastructure without control plane object. */
function standAlone(name: string): string {
  const [cluster = "", infrastructure = ""] = simCluster(name).split("---");
  return [cluster.replace(/ {2}controlPlaneRef: .*\n/, ""), infrastructure].join("---");
}

/** A control plane Machine that no control plane object made. */
function controlPlaneMachine(name: string, cluster: string): string {
  return simMachine(name, cluster).replace(
    "namespace: default }",
    'namespace: default, labels: { cluster.x-k8s.io/control-plane: "" } }',
  );
}

function secretOf(kubectl: Kubectl, name: string): Promise<Secret> {
  return kubectl(`get secret/${name} -o json`).then((text) => JSON.parse(text) as Secret);
}

function textIn({ data }: Secret, key: string): string {
  return Buffer.from(data?.[key] ?? "", "base64").toString("utf8");
}

interface Kubeconfig {
  readonly clusters: readonly [{ readonly cluster: { readonly server: string } }];
  readonly users: readonly [{ readonly user: { readonly "client-certificate-data": string } }];
}

async function kubeconfigOf(kubectl: Kubectl, cluster: string) {
  const secret = await secretOf(kubectl, `${cluster}-kubeconfig`);
  const { clusters, users } = load(textIn(secret, "value")) as Kubeconfig;
  const certificate = new X509Certificate(Buffer.from(users[0].user["client-certificate-data"], "base64"));
  return { secret, server: clusters[0].cluster.server, certificate };
}

/** The certificate is that of the administrator, from the authority in `<cluster>-ca`. */
async function expectAdmin(kubectl: Kubectl, cluster: string): Promise<X509Certificate> {
  const { certificate } = await kubeconfigOf(kubectl, cluster);
  const authority = new X509Certificate(textIn(await secretOf(kubectl, `${cluster}-ca`), "tls.crt"));
  expect(certificate.subject.split("\n")).toEqual(["O=system:masters", "CN=kubernetes-admin"]);
  expect(certificate.checkIssued(authority)).toBe(true);
  expect(certificate.verify(authority.publicKey)).toBe(true);
  return certificate;
}

function daysLeft({ validTo }: X509Certificate): number {
  return (Date.parse(validTo) - Date.now()) / DAY_MS;
}

/** The probe of a Cluster; it has not left True as long as its last transition stays the same. */
async function probeOf(kubectl: Kubectl, cluster: string): Promise<readonly unknown[]> {
  const { status } = JSON.parse(await kubectl(`get cluster/${cluster} -o json`)) as Cluster;
  const probe = status?.conditions?.find(({ type }) => type === "RemoteConnectionProbe");
  return [probe?.status, probe?.lastTransitionTime];
}

/** Replaces what the kubeconfig holds by a certificate that ends in an hour. */
async function shorten(kubectl: Kubectl, name: string): Promise<X509Certificate> {
  const { secret, server } = await kubeconfigOf(kubectl, name);
  const authority = await secretOf(kubectl, `${name}-ca`);
  const data = await createIssuer(x509).issue(
    {
      type: "kubeconfig",
      clusterName: name,
      server,
      subject: { commonName: "kubernetes-admin", organization: "system:masters" },
      validitySeconds: 3_600,
      authority: { namespace: "default", name: `${name}-ca` },
    },
    { now: new Date(), read: async () => authority },
  );
  const { resourceVersion } = secret.metadata;
  await patch(kubectl, `secret/${name}-kubeconfig`, { metadata: { resourceVersion }, data });
  const { users } = load(textIn({ ...secret, data }, "value")) as Kubeconfig;
  return new X509Certificate(Buffer.from(users[0].user["client-certificate-data"], "base64"));
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `kubeconfigs on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      let kubeconfigFile: string;
      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        ({ kubeconfigFile } = server);
        kubectl = kubectlFor(kubeconfigFile);
        stack.use(await startCapstan(kubeconfigFile));
      });
      afterAll(() => stack.disposeAsync());

      it("a Cluster without control plane object gets one for a year, renewed while the connection stays", async () => {
        const machines = ["m1", "m2", "m3"].map((name) => controlPlaneMachine(name, "alone"));
        await kubectl("apply -f -", [standAlone("alone"), ...machines].join("---"));
        await kubectl(`wait cluster/alone ${AVAILABLE}`);
        const { secret, server } = await kubeconfigOf(kubectl, "alone");
        expect(secret).toMatchObject({
          type: "cluster.x-k8s.io/secret",
          metadata: {
            labels: { "cluster.x-k8s.io/cluster-name": "alone" },
            ownerReferences: [{ kind: "Cluster", name: "alone" }],
          },
        });
        const first = await expectAdmin(kubectl, "alone");
        expect(Math.ceil(daysLeft(first))).toBe(365);
        const ca = await secretOf(kubectl, "alone-ca");
        expect(ca.metadata.ownerReferences).toMatchObject([{ kind: "SimBootstrapConfig", controller: true }]);
        await eventually(async () => {
          const { status } = JSON.parse(await kubectl("get cluster/alone -o json")) as Cluster;
          expect(status?.controlPlane).toMatchObject({ desiredReplicas: 3, readyReplicas: 3 });
        }, WITHIN);

        const before = await probeOf(kubectl, "alone");
        expect(before[0]).toBe("True");
        const short = await shorten(kubectl, "alone");
        expect(daysLeft(short)).toBeLessThan(1);
        await eventually(async () => {
          expect(await probeOf(kubectl, "alone")).toEqual(before);
          const { certificate } = await kubeconfigOf(kubectl, "alone");
          expect([short, first].map(({ serialNumber }) => serialNumber)).not.toContain(
            certificate.serialNumber,
          );
        }, WITHIN);
        expect(Math.ceil(daysLeft(await expectAdmin(kubectl, "alone")))).toBe(365);
        expect((await kubeconfigOf(kubectl, "alone")).server).toBe(server);
        await kubectl("delete machines.cluster.x-k8s.io/m3 --timeout=240s");
        expect(await probeOf(kubectl, "alone")).toEqual(before);
        await kubectl("delete cluster/alone --timeout=240s");
        await eventually(async () => {
          const left = "get machines,simmachines,simclusters,simservers,secrets -o name";
          expect(await kubectl(`${left} --selector=cluster.x-k8s.io/cluster-name=alone`)).toBe("");
        }, WITHIN);
      });

      it("a control plane that provides the endpoint renews at half life, again and again, unseen", async () => {
        const manifest = simCluster("short")
          .replace("spec: {}", "spec: { endpointMode: external }")
          .replace(
            "version: v1.34.2",
            "version: v1.34.2, endpointMode: provider, kubeconfigValiditySeconds: 30",
          );
        await kubectl("apply -f -", manifest);
        await kubectl(`wait cluster/short ${AVAILABLE}`);
        const { spec } = JSON.parse(await kubectl("get cluster/short -o json")) as Cluster;
        const published = JSON.parse(await kubectl("get simcontrolplane/short -o json"));
        expect(published.spec.controlPlaneEndpoint).toMatchObject({ host: "127.0.0.1" });
        expect(spec.controlPlaneEndpoint).toEqual(published.spec.controlPlaneEndpoint);
        expect(await kubectl("get simcluster/short -o jsonpath={.spec.controlPlaneEndpoint}")).toBe("");

        const before = await probeOf(kubectl, "short");
        expect(before[0]).toBe("True");
        const seen = new Set<string>();
        await eventually(async () => {
          seen.add((await expectAdmin(kubectl, "short")).serialNumber);
          expect(seen.size).toBeGreaterThanOrEqual(3);
        }, WITHIN);
        expect(await probeOf(kubectl, "short")).toEqual(before);
        await kubectl("delete cluster/short --timeout=240s");
        expect(await kubectl("get simservers --selector=cluster.x-k8s.io/cluster-name=short -o name")).toBe(
          "",
        );
      });

      it("a user's own kubeconfig stays as it is, and an authority that cannot sign is named without a key", async () => {
        const key = "-----BEGIN PRIVATE KEY-----\nof-the-user\n-----END PRIVATE KEY-----\n";
        const authority = (name: string, data: object) =>
          JSON.stringify({
            apiVersion: "v1",
            kind: "Secret",
            metadata: { name, labels: { "cluster.x-k8s.io/cluster-name": name.replace(/-[a-z]+$/, "") } },
            type: name.endsWith("-ca") ? "cluster.x-k8s.io/secret" : "Opaque",
            stringData: data,
          });
        await kubectl("apply -f -", authority("own-kubeconfig", { value: "of the user" }));
        await kubectl("apply -f -", authority("own-ca", { "tls.crt": "x", "tls.key": key }));
        await kubectl("apply -f -", authority("keyless-ca", { "tls.crt": "x" }));
        await kubectl("apply -f -", authority("broken-ca", { "tls.crt": "x", "tls.key": key }));
        await kubectl("apply -f -", ["own", "keyless", "broken"].map(standAlone).join("---"));
        for (const [name, why] of [
          ["keyless", /Secret default\/keyless-ca.*tls\./],
          ["broken", /Secret default\/broken-ca.*tls\./],
        ] as const) {
          await eventually(async () => {
            const events = await kubectl(`get events --field-selector involvedObject.name=${name}`);
            expect(events).toMatch(/KubeconfigNotIssued/);
            expect(events).toMatch(why);
            expect(events).not.toContain("of-the-user");
          }, WITHIN);
          const args = ["cluster", `default/${name}`, "--kubeconfig", kubeconfigFile];
          const { output } = await runCli("explain", ...args);
          expect(output).toMatch(why);
          expect(output).not.toContain("of-the-user");
          expect(await kubectl.try(`get secret/${name}-kubeconfig`)).toMatchObject({ ok: false });
        }
        await eventually(async () => {
          const { status } = JSON.parse(await kubectl("get cluster/own -o json")) as Cluster;
          const probe = status?.conditions?.find(({ type }) => type === "RemoteConnectionProbe");
          expect(probe?.message).toContain("own-kubeconfig");
        }, WITHIN);
        // Once the Secret is corrected, the kubeconfig follows by itself.
        const data = await createIssuer(x509).issue(
          { type: "authority", commonName: "kubernetes", validitySeconds: 3_600 },
          { now: new Date(), read: async () => undefined },
        );
        await kubectl(`patch secret/broken-ca --type=merge -p '${JSON.stringify({ data })}'`);
        await eventually(
          async () => expect(await kubectl.try("get secret/broken-kubeconfig")).toMatchObject({ ok: true }),
          WITHIN,
        );
        const own = await secretOf(kubectl, "own-kubeconfig");
        expect(textIn(own, "value")).toBe("of the user");
        expect(own.metadata.ownerReferences).toBeUndefined();
      });
    },
  );
}
