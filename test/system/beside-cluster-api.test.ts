import { setTimeout } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { expect, it } from "vitest";
import type { Running } from "../../infra/cli/compose.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { Node } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { prepareMachineClusters, startProvider } from "../bench/ready-machines.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { realServerMissing, startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";
import { watchObjects } from "../support/watched-objects.ts";

const WITHIN = { withinMs: 240_000, stepMs: 1_000 };
/** Longer than either manager takes to answer a write of the other. */
const QUIET_MS = 5_000;
const ASSETS = process.env["KUBEBUILDER_ASSETS"];
const FILTER = "cluster.x-k8s.io/watch-filter";
const OF_IT = "--selector=cluster.x-k8s.io/cluster-name=beside";
/** README: the kinds that change hands with their Cluster. */
const MOVED = "machinedeployments,machinesets,machines,machinepools"
  .split(",")
  .map((kind) => `${kind}.cluster.x-k8s.io`)
  .join(",");

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

const PRESSURES = ["MemoryPressure", "DiskPressure", "PIDPressure"];
const CONDITIONS = [
  { type: "Ready", status: "True" },
  ...PRESSURES.map((type) => ({ type, status: "False" })),
].map((one) => ({ ...one, lastTransitionTime: "2026-01-01T00:00:00Z" }));

/**
 * Every Node reports all its conditions, again when they are lost, as a kubelet does: the provider of the bench writes
 * its own after it has made the Node. A MachineDeployment waits for Machines that are Available.
 */
function startKubelets(client: KubeClient): AsyncDisposable {
  const abort = new AbortController();
  const report = async ({ metadata, status }: Node): Promise<void> => {
    if (status?.conditions?.some(({ type }) => type === PRESSURES[0])) return;
    const path = "/status/conditions";
    await client
      .jsonPatch(
        Node as Kind,
        { namespace: "", name: metadata.name },
        [{ op: "add", path, value: CONDITIONS }],
        "status",
      )
      // The Node is gone, or the next look reports.
      .catch(() => undefined);
  };
  const reporting = (async () => {
    while (!abort.signal.aborted) {
      const { items } = await client.list(Node, {});
      for (const node of items) await report(node);
      await setTimeout(300);
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      abort.abort();
      await reporting;
    },
  };
}

/** Both managers agree: neither undoes what the other has written. */
async function untilAtRest(client: KubeClient): Promise<void> {
  const versions = async (): Promise<readonly string[]> => {
    const lists = await Promise.all(
      [Machine as Kind, MachineSet as Kind].map((kind) => client.list(kind, {})),
    );
    return lists.flatMap(({ items }) =>
      items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`),
    );
  };
  await eventually(async () => {
    const before = await versions();
    await setTimeout(QUIET_MS);
    expect(await versions()).toEqual(before);
  }, WITHIN);
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

/** However long it takes: that no Machine comes, goes or changes its phase within HANG_MS is a failure. */
async function rolledOut(
  kubectl: Kubectl,
  { version, count }: { readonly version: string; readonly count: number },
): Promise<void> {
  const wanted = Array.from({ length: count }, () => `${version} Running`);
  const look = async (): Promise<readonly string[]> =>
    (await machinesOf(kubectl)).map(({ spec, status }) => `${spec.version} ${status?.phase}`).toSorted();
  for (let seen = await look(); !isDeepStrictEqual(seen, wanted); ) {
    seen = await eventually(async () => {
      const found = await look();
      expect(found).not.toEqual(seen);
      return found;
    }, WITHIN);
  }
}

/** As README says: pause, wait, label, and later unpause. The templates of MachineDeployments get the label, too. */
async function relabel(kubectl: Kubectl, value: string): Promise<void> {
  await patch(kubectl, "cluster/beside", { spec: { paused: true } });
  await kubectl("wait cluster/beside --for=condition=Paused --timeout=240s");
  await kubectl(`wait machines.cluster.x-k8s.io --all --for=condition=Paused --timeout=240s`);
  await kubectl(`label --overwrite cluster/beside ${FILTER}=${value}`);
  await kubectl(`label --overwrite ${MOVED} ${OF_IT} ${FILTER}=${value}`);
  const template = { metadata: { labels: { [FILTER]: value } } };
  await patch(kubectl, "machinedeployment/web", { spec: { template } });
}

/** As README says. */
function startBeside(kubeconfigFile: string): Promise<AsyncDisposable & Pick<Running, "deadLetters">> {
  return startCapstan(kubeconfigFile, {
    roles: ["relay", "worker"],
    functions: ["cluster-api"],
    installCrds: false,
    watchFilter: "capstan",
    takeOverManagers: ["manager", "capi-machinedeployment", "capi-machineset", "capi-machineset-metadata"],
  });
}

function unpause(kubectl: Kubectl): Promise<string> {
  return patch(kubectl, "cluster/beside", { spec: { paused: false } });
}

const missing = realServerMissing(ASSETS) ?? clusterApiMissing() ?? kubectlMissing();

describeWith(missing, { optional: true })("a Cluster beside Cluster API's manager", () => {
  it("changes hands and back, without a Machine more or less, and there again to its end", async () => {
    await using server = await startRealServer(ASSETS ?? "");
    const kubectl = kubectlFor(server.kubeconfigFile);
    await using _manager = await startClusterApi(server.kubeconfigFile, ["--watch-filter=capi"]);
    const access = await loadKubeconfig({ file: server.kubeconfigFile, env: {} });
    using connection = createServer(access, { clock: systemClock });
    const client = connection.as("test");
    await prepareMachineClusters(client, ["beside"], server.kubeconfig);
    await kubectl(`label cluster/beside ${FILTER}=capi`);
    using _provider = startProvider(client);
    await using _kubelets = startKubelets(client);
    await kubectl("apply -f -", `${TEMPLATES}---${DEPLOYMENT}`);
    const first = await untilRunning(kubectl, 3);

    // There.
    const there = await watchObjects(client, Machine);
    await relabel(kubectl, "capstan");
    await using stack = new AsyncDisposableStack();
    stack.use(await startBeside(server.kubeconfigFile));
    await unpause(kubectl);
    await kubectl("wait cluster/beside --for=condition=Paused=False --timeout=240s");
    await eventually(async () => {
      for (const machine of await machinesOf(kubectl))
        expect(JSON.stringify(machine.status?.conditions)).toContain('"NotPaused"');
    }, WITHIN);
    expect(uidsOf(await untilRunning(kubectl, 3))).toEqual(uidsOf(first));
    expect((await there.stop()).most).toBe(3);

    await kubectl("scale machinedeployment/web --replicas=4");
    await untilRunning(kubectl, 4);

    await patch(kubectl, "machinedeployment/web", { spec: { template: { spec: { version: "v1.34.2" } } } });
    await rolledOut(kubectl, { version: "v1.34.2", count: 4 });
    await untilAtRest(client);
    const rolled = uidsOf(await machinesOf(kubectl));

    // And back.
    const back = await watchObjects(client, Machine);
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

    // There again, to its end: Cluster API's manager writes the status of what Capstan deletes.
    await relabel(kubectl, "capstan");
    await using capstan = await startBeside(server.kubeconfigFile);
    await unpause(kubectl);
    await kubectl("wait cluster/beside --for=condition=Paused=False --timeout=240s");
    await kubectl("delete cluster/beside --timeout=240s");
    expect(await kubectl(`get clusters,${MOVED} --all-namespaces --ignore-not-found`)).toBe("");
    expect(await kubectl("get events --field-selector reason=ForeignController --no-headers")).toBe("");
    expect(await capstan.deadLetters.list()).toEqual([]);
  });
});
