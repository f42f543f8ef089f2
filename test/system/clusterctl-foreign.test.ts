import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { renderReleases, SIM_PROVIDERS } from "../support/capstan-release.ts";
import { describeWithClusterctl, startClusterctl } from "../support/clusterctl.ts";
import { eventually } from "../support/eventually.ts";
import { startKubelet } from "../support/kubelet.ts";
import { readAuditLog } from "../support/processes/audit-log.ts";
import { type Kubectl, kubectlFor } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";
import { inShared, sharedMissing } from "../support/shared.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const STANDARD = "infrastructure.cluster.x-k8s.io";
const OWN = "infrastructure.docker.example.com";
const CRD = `data/provider-crds/cluster-api-capd/${STANDARD}_dockermachinepools.yaml`;

/** As the release of a provider brings it whose group core does not know. */
const ROLE = `apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: docker-for-core
  labels: { cluster.x-k8s.io/aggregate-to-manager: "true" }
rules:
  - apiGroups: [${OWN}]
    resources: [dockermachinepools]
    verbs: [create, delete, get, list, patch, update, watch]
`;

interface Pool {
  readonly name: string;
  readonly group: string;
  readonly contract: "v1beta1" | "v1beta2";
}

const POOLS: readonly Pool[] = [
  { name: "standard-new", group: STANDARD, contract: "v1beta2" },
  { name: "own-new", group: OWN, contract: "v1beta2" },
  { name: "standard-old", group: STANDARD, contract: "v1beta1" },
  { name: "own-old", group: OWN, contract: "v1beta1" },
];

function poolText({ name, group, contract }: Pool): string {
  return `apiVersion: cluster.x-k8s.io/v1beta2
kind: MachinePool
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: c1
  replicas: 1
  template:
    spec:
      clusterName: c1
      version: v1.34.2
      bootstrap: { dataSecretName: by-hand }
      infrastructureRef: { apiGroup: ${group}, kind: DockerMachinePool, name: ${name} }
---
apiVersion: ${group}/${contract}
kind: DockerMachinePool
metadata: { name: ${name}, namespace: default }
spec:
  providerIDList: ["docker:////${name}"]
`;
}

/** Plays the provider and its kubelet. */
async function provision(
  { name, group, contract }: Pool,
  kubectl: Kubectl,
  workload: Kubectl,
): Promise<void> {
  const resource = `dockermachinepools.${contract}.${group}/${name}`;
  const status = JSON.stringify({ status: { ready: true, replicas: 1 } });
  await kubectl(`patch ${resource} --subresource=status --type=merge -p '${status}'`);
  const node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name },
    spec: { providerID: `docker:////${name}` },
  };
  await workload("create -f -", JSON.stringify(node));
  const conditions = [{ type: "Ready", status: "True", reason: "KubeletReady", message: "" }];
  const ready = JSON.stringify({ status: { conditions } });
  await workload(`patch node ${name} --subresource=status --type=merge -p '${ready}'`);
}

const missing = sharedMissing(CRD);
const describePools = missing === undefined ? describeWithClusterctl : describeWith(missing);

describePools("pools of a provider that core has never met, on an installed release", () => {
  it("are synced under both contracts, in a standard group and in one of their own", async () => {
    await using server = await startRealServer(ASSETS);
    const { kubeconfigFile } = server;
    const kubectl = kubectlFor(kubeconfigFile);
    await using releases = await renderReleases(["v0.1.0"]);
    await using clusterctl = await startClusterctl({ config: releases.config, kubeconfigFile });
    await using _kubelet = await startKubelet(server);
    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")} --wait-providers`);
    const manifest = await clusterctl(
      "generate cluster c1 --infrastructure sim:v0.1.0 --kubernetes-version v1.34.2 --target-namespace default",
    );
    await kubectl("apply -f -", manifest);
    await kubectl("wait cluster/c1 --for=condition=Available --timeout=240s");
    const workloadFile = `${kubeconfigFile}-c1`;
    await writeFile(workloadFile, await clusterctl("get kubeconfig c1 -n default"), { mode: 0o600 });
    const workload = kubectlFor(workloadFile);
    const crd = await readFile(inShared(CRD), "utf8");
    await kubectl("apply -f -", ROLE);
    for (const group of [STANDARD, OWN]) {
      await kubectl("apply --server-side -f -", crd.replaceAll(STANDARD, group));
      await kubectl(`wait crd/dockermachinepools.${group} --for=condition=Established --timeout=240s`);
    }
    await eventually(
      async () => expect(await kubectl("get clusterrole capstan-system-aggregated -o yaml")).toContain(OWN),
      { withinMs: 60_000, stepMs: 300 },
    );

    for (const pool of POOLS) {
      const { name, group, contract } = pool;
      const other = contract === "v1beta1" ? "v1beta2" : "v1beta1";
      const labels = `cluster.x-k8s.io/${contract}=${contract} cluster.x-k8s.io/${other}-`;
      await kubectl(`label crd dockermachinepools.${group} ${labels}`);
      await kubectl("apply -f -", poolText(pool));
      await provision(pool, kubectl, workload);

      await kubectl(`wait machinepool/${name} --for=jsonpath={.status.phase}=Running --timeout=240s`);
      const { spec, status } = JSON.parse(await kubectl(`get machinepool/${name} -o json`));
      expect([spec.providerIDList, status.nodeRefs]).toEqual([
        [`docker:////${name}`],
        [expect.objectContaining({ name })],
      ]);
      const owner = `get dockermachinepools.${contract}.${group}/${name} -o jsonpath={.metadata.ownerReferences[0].name}`;
      expect(await kubectl(owner)).toBe(name);
    }

    const requests = await readAuditLog(server.auditLog);
    const core = requests.filter(({ user }) => user?.endsWith(":capstan-core"));
    expect(core.filter(({ group }) => group === OWN).length).toBeGreaterThan(0);
    expect(core.filter(({ code }) => code === 403)).toEqual([]);
  });
});
