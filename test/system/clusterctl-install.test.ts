import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import type { Manifest } from "../../infra/deploy/deployment.ts";
import { PROVIDERS, renderReleases, SIM_PROVIDERS } from "../support/capstan-release.ts";
import {
  type Clusterctl,
  describeWithClusterctl,
  STALE_DISCOVERY,
  startClusterctl,
} from "../support/clusterctl.ts";
import { startKubelet } from "../support/kubelet.ts";
import { type Kubectl, kubectlFor } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const FLAGS: { readonly [type: string]: string } = {
  CoreProvider: "--core cluster-api",
  BootstrapProvider: "--bootstrap sim",
  ControlPlaneProvider: "--control-plane sim",
  InfrastructureProvider: "--infrastructure sim",
};
const IMAGE = "ghcr.io/example/capstan:v0.1.0";
const OURS = "-l cluster.x-k8s.io/provider";
const GLOBAL_KINDS = "clusterroles,clusterrolebindings,crds,namespaces";
const KINDS = "deployments,serviceaccounts,roles,rolebindings";
/** Objects without the label that clusterctl sets, and without empty members, of which it adds and removes some. */
function comparable(yaml: string): readonly unknown[] {
  return (loadAll(yaml) as Manifest[]).map((object) => {
    const { "clusterctl.cluster.x-k8s.io": _, ...labels } = object.metadata.labels ?? {};
    // clusterctl gives policies a namespace.
    const namespace = /Policy/.test(object.kind) ? undefined : object.metadata.namespace;
    const metadata = { ...object.metadata, namespace, labels };
    const { status: __, ...given }: Manifest = { ...object, metadata };
    return withoutEmpty(given);
  });
}

function withoutEmpty(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return Array.isArray(value) ? value.map(withoutEmpty) : value;
  }
  const members = Object.entries(value).map(([key, member]) => [key, withoutEmpty(member)] as const);
  return Object.fromEntries(members.filter(([, member]) => !isEmpty(member)));
}

function isEmpty(value: unknown): boolean {
  return (
    value === null ||
    value === undefined ||
    value === "" ||
    (typeof value === "object" && Object.keys(value).length === 0)
  );
}

/** Everything with a label of a provider, with its version: equal lists say that nothing was written. */
async function installed(kubectl: Kubectl): Promise<readonly string[]> {
  const format = `'-ojsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.resourceVersion}{"\\n"}{end}'`;
  const lists = await Promise.all([
    kubectl(`get ${GLOBAL_KINDS} ${OURS} ${format}`),
    kubectl(`get ${KINDS} -A ${OURS} ${format}`),
    kubectl(`get providers.clusterctl.cluster.x-k8s.io -A ${format}`),
  ]);
  return lists.flatMap((list) =>
    list.split("\n").filter((line) => line !== "" && !line.startsWith("Deployment/")),
  );
}

/** clusterctl tries cert-manager in this namespace, and does not wait for its end: the next try would hang. */
async function afterProbe(kubectl: Kubectl): Promise<void> {
  await kubectl("wait --for=delete namespace/cert-manager-test --timeout=240s");
}

/**
 * Deletes everything. clusterctl deletes one provider after the other, and fails where the kinds of the one before are
 * still listed as served but are no longer; without Cluster API's kinds it then does not begin again.
 */
async function deleteAll(clusterctl: Clusterctl, kubectl: Kubectl): Promise<void> {
  const { ok, output } = await clusterctl.try("delete --all --include-crd --include-namespace");
  if (!ok) expect(output).toMatch(STALE_DISCOVERY);
  if (!ok) await kubectl(`delete crds,namespaces,clusterroles,clusterrolebindings ${OURS} --wait=false`);
  await kubectl(`wait --for=delete namespaces,crds ${OURS} --timeout=240s`);
}

describeWithClusterctl("a release on a real kube-apiserver, by clusterctl", () => {
  it("is listed, described and processed as it is", async () => {
    await using releases = await renderReleases(["v0.1.0"]);
    await using clusterctl = await startClusterctl({ config: releases.config });

    const listed = (await clusterctl("config repositories")).split("\n");

    for (const { name, type, label, components, namespace } of PROVIDERS) {
      const row = listed
        .map((line) => line.split(/\s+/))
        .find((cells) => cells[2]?.endsWith(`/${label}/latest/`));
      expect(row).toEqual([name, type, expect.any(String), components]);
      const described = await clusterctl(`generate provider ${FLAGS[type]}:v0.1.0 --describe`);
      const file = await readFile(join(releases.folder, label, "v0.1.0", components), "utf8");
      for (const [, variable] of file.matchAll(/\$\{([A-Z_]+)/g))
        expect(described).toContain(`  - ${variable}\n`);
      expect(described).toContain(`TargetNamespace:    ${namespace}\n`);
      expect(described).toContain(`  - ${IMAGE}\n`);
      const raw = await clusterctl(`generate provider ${FLAGS[type]}:v0.1.0 --raw`);
      expect(comparable(raw)).toEqual(comparable(file.replace(/^.*:0:0}replicas: .*\n/m, "")));
      const processed = await clusterctl(`generate provider ${FLAGS[type]}:v0.1.0`);
      const withDefaults = file
        .replaceAll(/\$\{[A-Z_]+:0:0\}/g, "")
        .replaceAll(/\$\{[A-Z_]+:=([^}]*)\}/g, "$1");
      expect(comparable(processed)).toEqual(comparable(withDefaults));
    }
  });

  it("is installed once, and deleted without a trace", async () => {
    await using server = await startRealServer(ASSETS);
    const { kubeconfigFile } = server;
    const kubectl = kubectlFor(kubeconfigFile);
    await using releases = await renderReleases(["v0.1.0", "v0.1.1"]);
    await using clusterctl = await startClusterctl({ config: releases.config, kubeconfigFile });
    await using _ = await startKubelet(server, { runs: false });

    const images = await clusterctl(`init list-images ${SIM_PROVIDERS("v0.1.0")}`);
    expect(images.trim().split("\n")).toEqual([IMAGE]);
    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")} --wait-providers`);

    const inventory = await kubectl(
      `get providers.clusterctl.cluster.x-k8s.io -A '-ojsonpath={range .items[*]}{.metadata.namespace} {.metadata.name} {.type} {.version}{"\\n"}{end}'`,
    );
    expect(inventory.trim().split("\n").toSorted()).toEqual(
      PROVIDERS.map(({ namespace, label, type }) => `${namespace} ${label} ${type} v0.1.0`).toSorted(
        (a, b) => (a < b ? -1 : 1),
      ),
    );
    const before = await installed(kubectl);
    for (const providers of ["", SIM_PROVIDERS("v0.1.0")]) {
      await afterProbe(kubectl);
      await clusterctl(`init ${providers}`);
      expect(await installed(kubectl)).toEqual(before);
    }
    const again = await clusterctl.try(`init ${SIM_PROVIDERS("v0.1.1")}`);
    expect([again.ok, again.output]).toEqual([
      false,
      expect.stringContaining("there is already an instance of"),
    ]);
    expect(await installed(kubectl)).toEqual(before);

    await kubectl("apply -f -", CLUSTER);
    const refused = await clusterctl.try("delete --all --include-crd");
    expect([refused.ok, await kubectl("get cluster kept -o name")]).toEqual([
      false,
      "cluster.cluster.x-k8s.io/kept\n",
    ]);
    await clusterctl("delete --all");
    const left = await installed(kubectl);
    expect(left.filter((line) => !/^(CustomResourceDefinition|Namespace)\//.test(line))).toEqual([]);
    expect(left).toHaveLength(
      before.filter((line) => /^(CustomResourceDefinition|Namespace)\//.test(line)).length,
    );
    expect(await kubectl("get cluster kept -o name")).toContain("kept");
    await kubectl("delete cluster kept");
    await afterProbe(kubectl);
    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")}`);
    await deleteAll(clusterctl, kubectl);
    expect(await installed(kubectl)).toEqual([]);
  });

  it("is installed into another namespace, which nothing but names of ClusterRoles shows", async () => {
    await using server = await startRealServer(ASSETS);
    const { kubeconfigFile } = server;
    const kubectl = kubectlFor(kubeconfigFile);
    await using releases = await renderReleases(["v0.1.0"]);
    await using clusterctl = await startClusterctl({ config: releases.config, kubeconfigFile });

    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")} --target-namespace elsewhere`);

    const namespaced = await kubectl(`get ${KINDS} -n elsewhere ${OURS} -o yaml`);
    const bindings = await kubectl(
      `get clusterrolebindings ${OURS} -o jsonpath={.items[*].subjects[*].namespace}`,
    );
    expect(new Set(bindings.split(" "))).toEqual(new Set(["elsewhere"]));
    for (const { namespace, app } of PROVIDERS) {
      expect(namespaced).not.toContain(namespace);
      expect(namespaced).toContain(`serviceAccountName: ${app}\n`);
      expect((await kubectl.try(`get namespace ${namespace}`)).output).toContain("NotFound");
    }
    await kubectl("label namespace elsewhere pod-security.kubernetes.io/enforce=restricted");
    const { items } = JSON.parse(await kubectl("get deployments -n elsewhere -o json")) as {
      items: readonly { readonly spec: { readonly template: { readonly spec: object } } }[];
    };
    expect(items).toHaveLength(PROVIDERS.length + 2);
    for (const [at, { spec }] of items.entries()) {
      const metadata = { name: `pod-${at}`, namespace: "elsewhere" };
      const pod = { apiVersion: "v1", kind: "Pod", metadata, spec: spec.template.spec };
      await kubectl("create --dry-run=server --validate=strict -f -", JSON.stringify(pod));
    }
    await deleteAll(clusterctl, kubectl);
    const left = await kubectl(`get clusterroles,clusterrolebindings ${OURS} -o name`);
    if (left !== "") expect(left).toContain("capstan-system-manager");
    await kubectl(`delete clusterroles,clusterrolebindings ${OURS}`);
    expect(await installed(kubectl)).toEqual([]);
  });
});

const CLUSTER = `apiVersion: cluster.x-k8s.io/v1beta2
kind: Cluster
metadata: { name: kept }
spec:
  infrastructureRef: { apiGroup: infrastructure.sim.capstan.dev, kind: SimCluster, name: kept }
`;
