import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { simClusterOfMachines, simMachineSet, simPool } from "../support/manifests.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const AVAILABLE = "--for=condition=Available --timeout=240s";
const ALL =
  "clusters,machines,machinesets,machinepools,simcontrolplanes,simcontrolplanelegacies,simclusters,simmachines,simbootstrapconfigs,simmachinepools,siminstances,simservers";

/** A Cluster whose control plane is three Machines in three failure domains. */
function inDomains(name: string): string {
  const domains = ["a", "b", "c"].map((domain) => `{ name: ${domain}, controlPlane: true }`).join(", ");
  return simClusterOfMachines(name, 3).replace("spec: {}", `spec: { failureDomains: [${domains}] }`);
}

/** The same with a control plane of the contract v1beta1. */
function legacyOfMachines(name: string): string {
  const template = `machineTemplate:
    infrastructureRef: { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimMachineTemplate, name: ${name} }
    bootstrapRef: { apiVersion: bootstrap.sim.capstan.dev/v1beta2, kind: SimBootstrapConfigTemplate, name: ${name} }
---`;
  return simClusterOfMachines(name, 3)
    .replaceAll(/SimControlPlane\b/g, "SimControlPlaneLegacy")
    .replace("controlplane.sim.capstan.dev/v1beta2", "controlplane.sim.capstan.dev/v1beta1")
    .replace(/machineTemplate:[\s\S]*?---/, template);
}

interface Listed {
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly deletionTimestamp?: string;
    readonly labels?: { readonly [label: string]: string };
  };
  readonly spec?: { readonly version?: string; readonly failureDomain?: string };
}

async function list(kubectl: Kubectl, kinds: string): Promise<readonly Listed[]> {
  return (JSON.parse(await kubectl(`get ${kinds} -o json`)) as { items: readonly Listed[] }).items;
}

const isControlPlane = ({ metadata }: Listed) =>
  Object.hasOwn(metadata.labels ?? {}, "cluster.x-k8s.io/control-plane");
const isGoing = ({ metadata }: Listed) => metadata.deletionTimestamp !== undefined;

/** Looks at the Cluster again and again until `promise` is settled; each look has to hold. */
async function watched<T>(promise: Promise<T>, look: () => Promise<void>): Promise<T> {
  let isOver = false;
  const done = promise.finally(() => {
    isOver = true;
  });
  const looks = (async () => {
    while (!isOver) {
      await look();
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  const [result] = await Promise.all([done, looks]);
  return result;
}

/** Upgrades the control plane; there is never more than one Machine too many, and never one too few. */
async function upgrade(kubectl: Kubectl, version: string): Promise<void> {
  await patch(kubectl, "simcontrolplane/c1", { spec: { version } });
  const over = eventually(async () => {
    const machines = (await list(kubectl, "machines")).filter(isControlPlane);
    expect(machines.map(({ spec }) => spec?.version)).toEqual([version, version, version]);
  }, WITHIN);
  await watched(over, async () => {
    const machines = (await list(kubectl, "machines")).filter(isControlPlane);
    expect(machines.length).toBeGreaterThanOrEqual(3);
    expect(machines.length).toBeLessThanOrEqual(4);
    expect(machines.filter(isGoing).length).toBeLessThanOrEqual(1);
  });
}

/** Deletes the Cluster: workers go before the control plane, that before the infrastructure; nothing is left. */
async function deleteInOrder(kubectl: Kubectl): Promise<void> {
  const over = kubectl("delete cluster/c1 --timeout=240s");
  await watched(over, async () => {
    const objects = await list(kubectl, "machines,machinesets,machinepools,simcontrolplanes,simclusters");
    const workers = objects.filter(
      (object) =>
        ["MachineSet", "MachinePool"].includes(object.kind) ||
        (object.kind === "Machine" && !isControlPlane(object)),
    );
    const masters = objects.filter((object) => object.kind === "Machine" && isControlPlane(object));
    // One list of several kinds is not of one instant: the workers were listed first or at the same time.
    if (workers.length > 0) expect(masters.filter(isGoing)).toEqual([]);
    if (masters.length > 0) {
      expect(objects.filter(({ kind }) => kind === "SimCluster").filter(isGoing)).toEqual([]);
    }
  });
  await eventually(async () => expect(await kubectl(`get ${ALL} -o name`)).toBe(""), WITHIN);
  const secrets = "get secrets --field-selector=type=cluster.x-k8s.io/secret -o name";
  await eventually(async () => expect(await kubectl(secrets)).toBe(""), WITHIN);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a Cluster of Machines on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      beforeAll(async () => {
        server = stack.use(await flavour.start());
        stack.use(await startCapstan(server.kubeconfigFile));
      });
      afterAll(() => stack.disposeAsync());

      it("comes up, is upgraded one by one, scaled, and deleted in order with nothing left", async () => {
        const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "upgraded");
        const manifests = [inDomains("c1"), simMachineSet("s1", "c1", 5), simPool("p1", "c1", 3)];
        await apply(manifests.join("---"));
        await kubectl(`wait cluster/c1 ${AVAILABLE}`);
        await eventually(async () => {
          const { status } = JSON.parse(await kubectl("get cluster/c1 -o json"));
          expect(status.controlPlane).toMatchObject({
            desiredReplicas: 3,
            readyReplicas: 3,
            upToDateReplicas: 3,
          });
          expect(status.workers).toMatchObject({ desiredReplicas: 8, availableReplicas: 8 });
        }, WITHIN);
        const domains = (await list(kubectl, "machines")).filter(isControlPlane);
        expect(domains.map(({ spec }) => spec?.failureDomain).toSorted()).toEqual(["a", "b", "c"]);

        await expect(kubectl("scale simcontrolplane/c1 --replicas=0")).rejects.toThrow(
          "greater than or equal to 1",
        );
        await upgrade(kubectl, "v1.35.0");
        await kubectl("scale machineset/s1 --replicas=2");
        await kubectl("wait machineset/s1 --for=jsonpath={.status.replicas}=2 --timeout=240s");
        await deleteInOrder(kubectl);
      });

      it("endpoint and latches stay, whatever the provider says later, also when it is gone", async () => {
        const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "latched");
        await apply(inDomains("c1"));
        await kubectl(`wait cluster/c1 ${AVAILABLE}`);
        const latches = async () => {
          const { spec, status } = JSON.parse(await kubectl("get cluster/c1 -o json"));
          const conditions = (status.conditions as readonly { type: string; status: string }[]).filter(
            ({ type }) => type === "ControlPlaneInitialized",
          );
          return [spec.controlPlaneEndpoint, status.initialization, conditions.map((each) => each.status)];
        };
        const before = await latches();
        expect(before).toMatchObject([
          { host: "127.0.0.1" },
          { infrastructureProvisioned: true, controlPlaneInitialized: true },
          ["True"],
        ]);
        await kubectl("annotate simcontrolplane/c1 fault.sim.capstan.dev/uninitialized=");
        const flag = "--for=jsonpath={.status.initialization.controlPlaneInitialized}=false --timeout=120s";
        await kubectl(`wait simcontrolplane/c1 ${flag}`);
        const controlPlaneEndpoint = { host: "elsewhere.example.com", port: 1 };
        await patch(kubectl, "simcluster/c1", { spec: { controlPlaneEndpoint } });
        expect(await latches()).toEqual(before);
        await kubectl("delete simcontrolplane/c1 --timeout=240s");
        const gone =
          '--for=jsonpath={.status.conditions[?(@.type=="ControlPlaneAvailable")].reason}=ObjectDeleted';
        await kubectl(`wait cluster/c1 '${gone}' --timeout=120s`);
        expect(await latches()).toEqual(before);
      });

      it("both contracts run side by side", async () => {
        const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "both");
        await apply([simClusterOfMachines("new", 3), legacyOfMachines("old")].join("---"));
        await kubectl(`wait cluster/new cluster/old ${AVAILABLE}`);
        const counters = `--for=jsonpath={.status.controlPlane.upToDateReplicas}=3 --timeout=240s`;
        await kubectl(`wait cluster/new cluster/old ${counters}`);
        await eventually(async () => {
          const { status } = JSON.parse(await kubectl("get simcontrolplanelegacy/old -o json"));
          expect(status).toMatchObject({
            initialized: true,
            ready: true,
            updatedReplicas: 3,
            unavailableReplicas: 0,
            version: "v1.34.2",
          });
        }, WITHIN);
      });
    },
  );
}

describeWith(redisMissing() ?? kubectlMissing())("a Cluster of Machines on Redis", () => {
  it("comes up and goes with a relay and a worker of each group", async () => {
    await using redis = await startRedis();
    const dir = testFolder("machines");
    const kubeconfig = join(dir, "kubeconfig");
    const shared = ["--kubeconfig", kubeconfig, "--queue", redis.url];
    const roles = ["--roles", "apiserver", "cloud", "--empty", "--quiet", "--write-kubeconfig", kubeconfig];
    await using world = startCli(["up", ...roles]);
    await eventually(() => expect(world.output()).toContain("kubectl"), WITHIN);
    await using relay = startCli(["relay", ...shared]);
    await using core = startCli(["worker", ...shared, "--functions", "core"]);
    await using workload = startCli(["worker", ...shared, "--functions", "workload"]);
    await using credentials = startCli(["worker", ...shared, "--functions", "credentials"]);
    await eventually(() => {
      expect(relay.output()).toContain("first list");
      for (const worker of [core, workload, credentials]) expect(worker.output()).toContain("serving");
    }, WITHIN);
    const kubectl = kubectlFor(kubeconfig);
    const manifests = [inDomains("c1"), simMachineSet("s1", "c1", 2), simPool("p1", "c1", 2)];
    await kubectl("apply -f -", manifests.join("---"));
    await kubectl(`wait cluster/c1 ${AVAILABLE}`);
    await deleteInOrder(kubectl);
  });
});
