import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../infra/clock.ts";
import { createServer } from "../../infra/kube/client.ts";
import { loadKubeconfig } from "../../infra/kube/kubeconfig.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { prepareMachineClusters, startProvider } from "../bench/ready-machines.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { realServerMissing, startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 240_000, stepMs: 200 };
const ASSETS = process.env["KUBEBUILDER_ASSETS"];
const FILTER = "cluster.x-k8s.io/watch-filter";
const OF_IT = "--selector=cluster.x-k8s.io/cluster-name=beside";
/** README: the kinds that change hands with their Cluster. */
const MOVED = "machinesets.cluster.x-k8s.io,machines.cluster.x-k8s.io,machinepools.cluster.x-k8s.io";

const TEMPLATES = ["BenchConfigTemplate", "BenchMachineTemplate"]
  .map(
    (kind) => `
apiVersion: bench.capstan.dev/v1
kind: ${kind}
metadata: { name: web, namespace: default }
spec: { template: { spec: {} } }
`,
  )
  .join("---");

const DEPLOYMENT = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: web, namespace: default, labels: { ${FILTER}: capi, cluster.x-k8s.io/cluster-name: beside } }
spec:
  clusterName: beside
  replicas: 3
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web, ${FILTER}: capi } }
    spec:
      clusterName: beside
      version: v1.34.1
      bootstrap: { configRef: { apiGroup: bench.capstan.dev, kind: BenchConfigTemplate, name: web } }
      infrastructureRef: { apiGroup: bench.capstan.dev, kind: BenchMachineTemplate, name: web }
      deletion: { nodeDeletionTimeoutSeconds: 10 }
`;

/** Names of the Machines that there were at once, the most at any look, until stopped. */
function watchMachines(kubectl: Kubectl) {
  let most = 0;
  const seen = new Set<string>();
  let isOver = false;
  const looking = (async () => {
    while (!isOver) {
      const items = await machinesOf(kubectl);
      most = Math.max(most, items.length);
      for (const { metadata } of items) seen.add(`${metadata.name} ${metadata.uid}`);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await looking;
      return { most, seen };
    },
  };
}

/** Every Node reports all its conditions: a MachineDeployment waits for Machines that are Available. */
function startKubelets(kubectl: Kubectl): AsyncDisposable {
  let isOver = false;
  const pressures = ["MemoryPressure", "DiskPressure", "PIDPressure"];
  const conditions = [
    { type: "Ready", status: "True" },
    ...pressures.map((type) => ({ type, status: "False" })),
  ].map((one) => ({ ...one, lastTransitionTime: "2026-01-01T00:00:00Z" }));
  const reported = new Set<string>();
  const reporting = (async () => {
    while (!isOver) {
      const names = await kubectl("get nodes -o jsonpath={.items[*].metadata.name}");
      for (const name of names.split(" ").filter((one) => one !== "" && !reported.has(one))) {
        await patchStatus(kubectl, `node/${name}`, { conditions }).catch(() => undefined);
        reported.add(name);
      }
      await setTimeout(500);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      isOver = true;
      await reporting;
    },
  };
}

async function machinesOf(kubectl: Kubectl): Promise<readonly Machine[]> {
  const { items } = JSON.parse(await kubectl("get machines.cluster.x-k8s.io -o json"));
  return items;
}

function uidsOf(objects: readonly KubeObject[]): readonly (string | undefined)[] {
  return objects.map(({ metadata }) => metadata.uid).toSorted();
}

async function untilRunning(kubectl: Kubectl, count: number): Promise<readonly Machine[]> {
  return eventually(async () => {
    const machines = await machinesOf(kubectl);
    expect(machines.map(({ status }) => status?.phase)).toEqual(
      Array.from({ length: count }, () => "Running"),
    );
    return machines;
  }, WITHIN);
}

/** As README says: pause, wait, label, and later unpause. The templates of MachineDeployments get the label, too. */
async function relabel(kubectl: Kubectl, value: string): Promise<void> {
  await patch(kubectl, "cluster/beside", { spec: { paused: true } });
  await kubectl("wait cluster/beside --for=condition=Paused --timeout=240s");
  await kubectl(`wait ${MOVED.split(",")[1]} --all --for=condition=Paused --timeout=240s`);
  await kubectl(`label --overwrite cluster/beside ${FILTER}=${value}`);
  await kubectl(`label --overwrite ${MOVED} ${OF_IT} ${FILTER}=${value}`);
  const template = { metadata: { labels: { [FILTER]: value } } };
  await patch(kubectl, "machinedeployment/web", { spec: { template } });
}

function unpause(kubectl: Kubectl): Promise<string> {
  return patch(kubectl, "cluster/beside", { spec: { paused: false } });
}

const missing = realServerMissing(ASSETS) ?? clusterApiMissing() ?? kubectlMissing();

describeWith(missing, { optional: true })("a Cluster beside Cluster API's manager", () => {
  it("changes hands and back: no Machine more, none lost, and its MachineDeployment goes its way", async () => {
    await using server = await startRealServer(ASSETS ?? "");
    const kubectl = kubectlFor(server.kubeconfigFile);
    await using _manager = await startClusterApi(server.kubeconfigFile, [
      "--watch-filter=capi",
      "--health-addr=127.0.0.1:0",
    ]);
    const access = await loadKubeconfig({ file: server.kubeconfigFile, env: {} });
    using connection = createServer(access, { clock: systemClock });
    const client = connection.as("test");
    await prepareMachineClusters(client, ["beside"], server.kubeconfig);
    await kubectl(`label cluster/beside ${FILTER}=capi`);
    using _provider = startProvider(client);
    await using _kubelets = startKubelets(kubectl);
    await kubectl("apply -f -", `${TEMPLATES}---${DEPLOYMENT}`);
    const first = await untilRunning(kubectl, 3);

    // There.
    const there = watchMachines(kubectl);
    await relabel(kubectl, "capstan");
    const capstan = await startCapstan(server.kubeconfigFile, {
      roles: ["relay", "worker"],
      functions: ["cluster-*", "machine-*", "machineset-*", "machinepool-*"],
      installCrds: false,
      watchFilter: "capstan",
      takeOverManagers: ["manager", "capi-machineset", "capi-machineset-metadata"],
    });
    await using stack = new AsyncDisposableStack();
    stack.use(capstan);
    await unpause(kubectl);
    await kubectl("wait cluster/beside --for=condition=Paused=False --timeout=240s");
    await eventually(async () => {
      for (const machine of await machinesOf(kubectl))
        expect(JSON.stringify(machine.status?.conditions)).toContain('"NotPaused"');
    }, WITHIN);
    expect(uidsOf(await untilRunning(kubectl, 3))).toEqual(uidsOf(first));
    expect((await there.stop()).most).toBe(3);

    // Cluster API scales the set, Capstan makes the Machine.
    await kubectl("scale machinedeployment/web --replicas=4");
    const four = await untilRunning(kubectl, 4);
    const made = four.find(({ metadata }) => !first.some((one) => one.metadata.uid === metadata.uid));
    const managers = await kubectl(
      `get machines.cluster.x-k8s.io/${made?.metadata.name} --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}`,
    );
    expect(managers).toContain("capstan-machineset-machines");

    // Cluster API rolls out: a new set, whose Machines Capstan makes and whose predecessors it takes apart.
    await patch(kubectl, "machinedeployment/web", { spec: { template: { spec: { version: "v1.34.2" } } } });
    await eventually(async () => {
      const machines = await machinesOf(kubectl);
      expect(machines.map(({ spec, status }) => `${spec.version} ${status?.phase}`)).toEqual(
        Array.from({ length: 4 }, () => "v1.34.2 Running"),
      );
    }, WITHIN);
    const rolled = uidsOf(await machinesOf(kubectl));

    // And back.
    const back = watchMachines(kubectl);
    await relabel(kubectl, "capi");
    await unpause(kubectl);
    await eventually(async () => {
      for (const machine of await machinesOf(kubectl))
        expect(JSON.stringify(machine.status?.conditions)).toContain('"NotPaused"');
    }, WITHIN);
    expect(uidsOf(await untilRunning(kubectl, 4))).toEqual(rolled);
    expect((await back.stop()).most).toBe(4);
    await stack.disposeAsync();
    await kubectl("scale machinedeployment/web --replicas=3");
    expect((await untilRunning(kubectl, 3)).every(({ metadata }) => rolled.includes(metadata.uid))).toBe(
      true,
    );
  });
});
