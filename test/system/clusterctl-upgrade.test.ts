import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { PROVIDERS, renderReleases, SIM_PROVIDERS } from "../support/capstan-release.ts";
import { describeWithClusterctl, startClusterctl } from "../support/clusterctl.ts";
import { eventually } from "../support/eventually.ts";
import { startKubelet } from "../support/kubelet.ts";
import { startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const SERIES = [1, 2].map((minor) => ({ major: 0, minor, contract: "v1beta2" as const }));

async function uidsOf(kubectl: Kubectl, kinds: string): Promise<readonly string[]> {
  const format = `'-ojsonpath={range .items[*]}{.kind}/{.metadata.name} {.metadata.uid}{"\\n"}{end}'`;
  return (await kubectl(`get ${kinds} -A ${format}`)).trim().split("\n");
}

/** Names and uids of the Nodes that a pool counts. */
async function nodesOf(kubectl: Kubectl): Promise<readonly string[]> {
  const format = `'-ojsonpath={range .status.nodeRefs[*]}{.name} {.uid}{"\\n"}{end}'`;
  return (await kubectl(`get machinepool/c1-workers ${format}`)).trim().split("\n");
}

async function counts(kubectl: Kubectl, replicas: number): Promise<void> {
  await eventually(
    async () =>
      expect(await kubectl("get machinepool/c1-workers -o jsonpath={.status.readyReplicas}")).toBe(
        `${replicas}`,
      ),
    { withinMs: 240_000, stepMs: 500 },
  );
}

describeWithClusterctl("a release that clusterctl upgrades", () => {
  it("continues where the old one stopped, with a pool that scales meanwhile", async () => {
    await using server = await startRealServer(ASSETS);
    const { kubeconfigFile } = server;
    const kubectl = kubectlFor(kubeconfigFile);
    await using releases = await renderReleases(["v0.1.0", "v0.2.0"], SERIES);
    // The cloud runs elsewhere, as workload clusters do.
    const env = { SIM_CLOUD_REPLICAS: "0" };
    await using clusterctl = await startClusterctl({ config: releases.config, kubeconfigFile, env });
    await using _kubelet = await startKubelet(server);
    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")} --wait-providers`);
    await using _cloud = startCli(["cloud", "--kubeconfig", kubeconfigFile]);
    const manifest = await clusterctl(
      "generate cluster c1 --infrastructure sim:v0.1.0 --kubernetes-version v1.34.2 --worker-machine-count 2 --target-namespace default",
    );
    await kubectl("apply -f -", manifest);
    await counts(kubectl, 2);

    const [before, nodes] = await Promise.all([
      uidsOf(kubectl, "crds,clusters,machinepools"),
      nodesOf(kubectl),
    ]);
    const plan = await clusterctl("upgrade plan");
    for (const { label } of PROVIDERS)
      expect(plan).toMatch(new RegExp(`^${label} .*v0\\.1\\.0 +v0\\.2\\.0`, "m"));
    await kubectl('patch simmachinepool c1-workers --type=merge -p \'{"spec":{"bootDelaySeconds":5}}\'');
    await kubectl("scale machinepool/c1-workers --replicas=5");
    await clusterctl("upgrade apply --contract v1beta2 --wait-providers");
    await counts(kubectl, 5);

    const versions = await kubectl(
      "get providers.clusterctl.cluster.x-k8s.io -A -o jsonpath={.items[*].version}",
    );
    expect(versions.split(" ")).toEqual(["v0.2.0", "v0.2.0", "v0.2.0", "v0.2.0"]);
    const images = await kubectl(
      "get deployments -A -o jsonpath={.items[*].spec.template.spec.containers[*].image}",
    );
    expect(new Set(images.split(" "))).toEqual(new Set(["ghcr.io/example/capstan:v0.2.0"]));
    expect(await uidsOf(kubectl, "crds,clusters,machinepools")).toEqual(before);
    expect(await nodesOf(kubectl)).toEqual(expect.arrayContaining([...nodes]));
  });

  it("is refused by its version where the metadata misses its series", async () => {
    await using server = await startRealServer(ASSETS);
    const { kubeconfigFile } = server;
    await using releases = await renderReleases(["v0.1.0", "v0.2.0"], SERIES);
    const file = join(releases.folder, "bootstrap-sim/v0.2.0/metadata.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace("minor: 1", "minor: 0"));
    await using clusterctl = await startClusterctl({ config: releases.config, kubeconfigFile });
    await using _kubelet = await startKubelet(server, { runs: false });
    await clusterctl(`init ${SIM_PROVIDERS("v0.1.0")}`);

    const { ok, output } = await clusterctl.try("upgrade apply --contract v1beta2");

    expect([ok, output]).toEqual([
      false,
      expect.stringMatching(/v0\.1\.0.*does not match any release series/s),
    ]);
  });
});
