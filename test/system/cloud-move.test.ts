import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { applyManifests, readManifests } from "../../infra/cli/up/apply-manifests.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { SimBootstrapConfig } from "../../infra/playground/api/sim-bootstrap.ts";
import { SimInstance, SimServer } from "../../infra/playground/api/sim-cloud.ts";
import { SimCluster } from "../../infra/playground/api/sim-cluster.ts";
import { SimControlPlane } from "../../infra/playground/api/sim-controlplane.ts";
import { SimMachine } from "../../infra/playground/api/sim-machine.ts";
import { SimMachinePool } from "../../infra/playground/api/sim-machinepool.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import type { Condition } from "../../shared/api/conditions.ts";
import { Node, Secret } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachinePool } from "../../shared/api/machinepool.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { moveNamespace, objectsIn, setPaused } from "../support/mover.ts";
import { type CliProcess, startCli } from "../support/processes/cli.ts";
import { startTestManagement, type TestManagement } from "../support/two-managements.ts";

const EXAMPLE = fileURLToPath(new URL("../../infra/playground/sim/example.yaml", import.meta.url));
const WITHIN = { withinMs: 120_000, stepMs: 200 };
/** Of the example: three of the control plane, three workers of a deployment. */
const MACHINES = 6;
const DEMO = { namespace: "default", name: "demo" };

/** Objects by kind and name, without what may differ: Events and requests of the moment are not moved. */
async function namesIn(management: TestManagement): Promise<readonly string[]> {
  const objects = await objectsIn(management, "default");
  return objects.map(({ kind, object }) => `${kind.kind} ${object.metadata.name}`).toSorted();
}

async function listOf<T extends Machine | MachinePool | SimInstance>(
  { server }: TestManagement,
  kind: Kind<T>,
): Promise<readonly T[]> {
  const { items } = await server.as("test").list(kind, { namespace: "default" });
  return items.toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
}

/** The Nodes of the workload cluster, by the kubeconfig that this management cluster has. */
async function nodesBy({ server }: TestManagement) {
  const secret = await server.as("test").get(Secret, { ...DEMO, name: "demo-kubeconfig" });
  using workload = createServer(parseKubeconfig(atob(secret?.data?.["value"] ?? "")), { clock: systemClock });
  const { items } = await workload.as("test").list(Node, {});
  return items
    .map(({ metadata: { name, uid }, spec }) => ({ name, uid, providerID: spec?.providerID }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const PROVIDER_KINDS = [
  SimCluster,
  SimControlPlane,
  SimMachinePool,
  SimMachine,
  SimBootstrapConfig,
  SimServer,
] as unknown as readonly Kind[];

/** Returns the status of each provider object: all of it, of conditions type and status. */
async function reportsOf({ server }: TestManagement): Promise<unknown> {
  const lists = await Promise.all(
    PROVIDER_KINDS.map((kind) => server.as("test").list(kind, { namespace: "default" })),
  );
  const objects = lists.flatMap(({ items }) => items) as readonly (KubeObject & {
    readonly status?: Report;
  })[];
  return objects
    .map(
      ({ kind, metadata: { name }, status: { conditions = [], observedGeneration: _, ...rest } = {} }) => ({
        object: `${kind} ${name}`,
        ...rest,
        conditions: conditions.map(({ type, status }) => `${type} ${status}`).toSorted(),
      }),
    )
    .toSorted((a, b) => (a.object < b.object ? -1 : 1));
}

interface Report {
  readonly conditions?: readonly Condition[];
  readonly observedGeneration?: number;
}

/** Everything that a move must not change, once it is as it was wanted. */
async function settled(management: TestManagement) {
  const cluster = await eventually(async () => {
    const found = await management.server.as("test").get(Cluster, DEMO);
    return conditionOf(found?.status?.conditions, "Available")?.status === "True" && found;
  }, WITHIN);
  const machines = await eventually(async () => {
    const all = await listOf(management, Machine);
    return all.length === MACHINES && all.every(({ status }) => status?.nodeRef !== undefined) && all;
  }, WITHIN);
  const pools = await eventually(async () => {
    const all = await listOf(management, MachinePool);
    return all.every(({ status }) => status?.nodeRefs?.length === 3 && status.readyReplicas === 3) && all;
  }, WITHIN);
  return {
    endpoint: (cluster as Cluster).spec.controlPlaneEndpoint,
    machines: (machines as readonly Machine[]).map(({ metadata: { name }, spec, status }) => ({
      name,
      providerID: spec.providerID,
      dataSecretName: spec.bootstrap.dataSecretName,
      node: status?.nodeRef?.name,
      addresses: status?.addresses,
    })),
    pools: (pools as readonly MachinePool[]).map(({ metadata: { name }, spec, status }) => ({
      name,
      providerIDs: spec.providerIDList,
      nodes: status?.nodeRefs,
      replicas: status?.readyReplicas,
    })),
    instances: (await listOf(management, SimInstance)).map(({ metadata: { name }, spec, status }) => ({
      name,
      spec,
      status,
    })),
    nodes: await eventually(() => nodesBy(management).catch(() => false as const), WITHIN),
  };
}

/** The reports once nothing in them is under way. */
async function calmReports(management: TestManagement): Promise<unknown> {
  const text = async () => JSON.stringify(await reportsOf(management));
  return eventually(async () => {
    const before = await text();
    const isUnderWay =
      /(ScalingUp|ScalingDown|RollingOut|Deleting) True|(Ready|Available|UpToDate) (False|Unknown)/;
    return !isUnderWay.test(before) && (JSON.parse(before) as unknown);
  }, WITHIN);
}

describe("one cloud process beside two management clusters", () => {
  const stack = new AsyncDisposableStack();
  let dir = "";
  let source: TestManagement;
  let target: TestManagement;
  let cloud: CliProcess;

  function startCloudProcess(): CliProcess {
    const files = [join(dir, "source"), join(dir, "target")];
    return startCli(["cloud", "--kubeconfig", ...files, "--data", join(dir, "data")]);
  }

  beforeAll(async () => {
    dir = await mkdtemp(join(tmpdir(), "capstan-cloud-move-"));
    stack.defer(() => rm(dir, { recursive: true, force: true }));
    source = stack.use(await startTestManagement("source"));
    target = stack.use(await startTestManagement("target"));
    for (const { name, kubeconfig } of [source, target]) {
      await writeFile(join(dir, name), kubeconfig, { mode: 0o600 });
      stack.use(
        await startCapstan(join(dir, name), {
          roles: ["relay", "worker"],
          deadLetters: join(dir, `${name}.jsonl`),
        }),
      );
    }
    cloud = startCloudProcess();
    stack.defer(() => cloud[Symbol.asyncDispose]());
    await applyManifests(source.server.as("test"), await readManifests(EXAMPLE), () => {});
  });
  afterAll(() => stack.disposeAsync());

  it("goes with the Cluster: the same Nodes, IDs, addresses and endpoint, nothing twice", async () => {
    const before = await settled(source);
    const reports = await calmReports(source);
    const names = await namesIn(source);
    await moveNamespace(source, target, "default");
    expect(await namesIn(source)).toEqual([]);
    expect(await namesIn(target)).toEqual(names);
    await setPaused(target, "default", false);
    expect(await settled(target)).toEqual(before);
    await eventually(async () => expect(await reportsOf(target)).toEqual(reports), WITHIN);
    await holds(async () => (await namesIn(target)).join() === names.join(), { forMs: 2_000 });
    expect(await settled(target)).toEqual(before);
  });

  it("the same on the way back, when it is killed in the middle", async () => {
    const before = await settled(target);
    const names = await namesIn(target);
    await moveNamespace(target, source, "default", async () => {
      cloud.child.kill("SIGKILL");
      await cloud.ended;
    });
    cloud = startCloudProcess();
    await setPaused(source, "default", false);
    expect(await settled(source)).toEqual(before);
    expect(await namesIn(target)).toEqual([]);
    expect(await namesIn(source)).toEqual(names);
  });

  it("ends with what is deleted for good", async () => {
    const client = source.server.as("test");
    await client.jsonPatch(MachinePool, { ...DEMO, name: "demo-pool" }, [
      { op: "add", path: "/spec/replicas", value: 1 },
    ]);
    await eventually(async () => (await listOf(source, MachinePool))[0]?.status?.readyReplicas === 1, WITHIN);
    const uid = (await client.get(Cluster, DEMO))?.metadata.uid ?? "";
    await client.delete(Cluster, DEMO, { uid });
    await eventually(async () => (await client.get(Cluster, DEMO)) === undefined, WITHIN);
    await eventually(async () => (await listOf(source, SimInstance)).length === 0, WITHIN);
    await eventually(async () => (await readdir(join(dir, "data"))).length === 0, WITHIN);
  });
});
