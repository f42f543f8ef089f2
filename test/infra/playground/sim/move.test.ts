import { readdir } from "node:fs/promises";
import { describe, expect, it } from "vitest";
import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer, type Server } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { CLOUD_FINALIZER, SimInstance, SimServer } from "../../../../infra/playground/api/sim-cloud.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { startCloud } from "../../../../infra/playground/sim/cloud.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { Node, Secret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../../../shared/api/kinds.ts";
import { cluster } from "../../../support/builders.ts";
import { eventually, holds } from "../../../support/eventually.ts";
import { kubeconfigBy, newAuthority } from "../../../support/issued.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { testFolder } from "../../../support/test-folder.ts";

const WITHIN = { withinMs: 30_000 };
const PLACE = { namespace: "default", name: "c1" };
const SERVER_ID = "sim://default/c1/first";
const MOVER = "mover";

/** An embedded management API server with Capstan's kinds. */
interface TestManagement extends AsyncDisposable {
  readonly name: string;
  readonly server: Server;
  readonly kubeconfig: string;
}

async function startTestManagement(name: string): Promise<TestManagement> {
  await using starting = new AsyncDisposableStack();
  const embedded = starting.use(await startApiServer({ name }));
  const kubeconfig = embedded.kubeconfig();
  const server = starting.use(createServer(parseKubeconfig(kubeconfig), { clock: systemClock }));
  await installCrds(server.as("test"), systemClock);
  const running = starting.move();
  return { name, server, kubeconfig, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

/** Creates an object as a mover does: all but its status, uid, version and times; owners by their new uids. */
async function copyTo(
  target: TestManagement,
  kind: Kind,
  object: KubeObject,
  newUids: ReadonlyMap<string, string> = new Map(),
): Promise<KubeObject> {
  const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map((owner) => ({ ...owner, uid: newUids.get(owner.uid) ?? owner.uid }));
  const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences: owners };
  return target.server.as(MOVER).create(kind, { ...rest, metadata } as KubeObject);
}

/** Deletes an object at the source as a mover does: its only annotation says why, then its finalizers are emptied. */
async function deleteForMove(source: TestManagement, kind: Kind, object: KubeObject): Promise<void> {
  const client = source.server.as(MOVER);
  const key = objectKeyOf(object);
  const annotations = { "clusterctl.cluster.x-k8s.io/delete-for-move": "" };
  await client.jsonPatch(kind, key, [{ op: "add", path: "/metadata/annotations", value: annotations }]);
  await client.delete(kind, key, { uid: object.metadata.uid ?? "" });
  const left = await client.get(kind, key);
  if (left?.metadata.finalizers === undefined) return;
  await client.jsonPatch(kind, key, [{ op: "add", path: "/metadata/finalizers", value: [] }]);
}

function cloudOf(serves: readonly TestManagement[], data?: string): Promise<AsyncDisposable> {
  return startCloud({ serves, clock: systemClock, log: silentLog, data });
}

/** A source with a Cluster, its server and a running instance, and an empty target. */
async function startPair(onMachines = false) {
  await using starting = new AsyncDisposableStack();
  const source = starting.use(await startTestManagement("source"));
  const target = starting.use(await startTestManagement("target"));
  const api = source.server.as("test");
  const { metadata: _, ...rest } = cluster();
  await api.create(Cluster, { ...rest, metadata: PLACE } as Cluster);
  await api.create(Secret, await newAuthority(PLACE));
  await api.create(SimServer, {
    apiVersion: "cloud.sim.capstan.dev/v1beta1",
    kind: "SimServer",
    metadata: { ...PLACE, finalizers: [CLOUD_FINALIZER] },
    spec: { clusterName: "c1", serverID: SERVER_ID, onMachines },
  } as SimServer);
  await createInstance(source, "n1", { controlPlane: onMachines });
  const running = starting.move();
  return { source, target, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function createInstance({ server }: TestManagement, name: string, more: object = {}) {
  return server.as("test").create(SimInstance, {
    apiVersion: "cloud.sim.capstan.dev/v1beta1",
    kind: "SimInstance",
    metadata: { namespace: "default", name, finalizers: [CLOUD_FINALIZER] },
    spec: {
      clusterName: "c1",
      providerID: `sim://${name}`,
      bootDelaySeconds: 0,
      nodeReadyDelaySeconds: 0,
      ...more,
    },
  } as SimInstance);
}

const KINDS = [Cluster, Secret, SimServer, SimInstance] as unknown as readonly Kind[];

async function objectsOf({ server }: TestManagement): Promise<readonly (readonly [Kind, KubeObject])[]> {
  const lists = await Promise.all(
    KINDS.map(async (kind) => {
      const { items } = await server.as("test").list(kind, { namespace: "default" });
      return items.map((object) => [kind, object] as const);
    }),
  );
  return lists.flat();
}

async function pause({ server }: TestManagement, paused: boolean): Promise<void> {
  await server.as("test").jsonPatch(Cluster, PLACE, [{ op: "add", path: "/spec/paused", value: paused }]);
}

/** Copies the address of the server into the Cluster, as Capstan does: what is moved names it. */
async function publish(
  { server }: TestManagement,
  { host, port }: { host?: string; port?: number },
): Promise<void> {
  const operations = [{ op: "add", path: "/spec/controlPlaneEndpoint", value: { host, port } }] as const;
  await server.as("test").jsonPatch(Cluster, PLACE, operations);
}

/** Creates everything at the target, then deletes it at the source, dependents first. */
async function move(from: TestManagement, to: TestManagement, between = async () => {}): Promise<void> {
  await pause(from, true);
  const objects = await objectsOf(from);
  for (const [kind, object] of objects) await copyTo(to, kind, object);
  await between();
  for (const [kind, object] of objects.toReversed()) await deleteForMove(from, kind, object);
}

async function statusOf<T extends KubeObject>(
  { server }: TestManagement,
  kind: Kind<T>,
  name: string,
): Promise<unknown> {
  const found = await server.as("test").get(kind, { namespace: "default", name });
  return (found as { readonly status?: unknown } | undefined)?.status;
}

async function running(management: TestManagement) {
  await eventually(async () => {
    const status = (await statusOf(management, SimInstance, "n1")) as SimInstance["status"];
    return status?.phase === "Running";
  }, WITHIN);
  const server = await eventually(async () => {
    const status = (await statusOf(management, SimServer, "c1")) as SimServer["status"];
    return status?.ready === true && status;
  }, WITHIN);
  return { server, instance: await statusOf(management, SimInstance, "n1") };
}

/** A client of the workload server, by the authority that this management cluster has. */
async function workload(management: TestManagement): Promise<Server> {
  const { server } = await running(management);
  const { host, port } = server as NonNullable<SimServer["status"]>;
  const authority = (await management.server.as("test").get(Secret, { ...PLACE, name: "c1-ca" })) as Secret;
  const kubeconfig = await kubeconfigBy(authority, { server: `https://${host}:${port}` });
  return createServer(parseKubeconfig(kubeconfig), { clock: systemClock });
}

async function nodesOf(server: Server) {
  const { items } = await server.as("test").list(Node, {});
  return items.map(({ metadata: { name, uid, resourceVersion }, spec }) => ({
    name,
    uid,
    resourceVersion,
    providerID: spec?.providerID,
  }));
}

describe("the simulated cloud of two management clusters", () => {
  it("continues with what is moved there and back: address, Nodes, phase", async () => {
    await using pair = await startPair();
    const { source, target } = pair;
    await using _cloud = await cloudOf([source, target]);
    const before = await running(source);
    using server = await workload(source);
    const nodes = await eventually(async () => {
      const found = await nodesOf(server);
      return found.length === 1 && found;
    }, WITHIN);
    for (const [from, to] of [
      [source, target],
      [target, source],
    ] as const) {
      await move(from, to);
      expect((await objectsOf(from)).filter(([kind]) => kind.kind !== "ConfigMap")).toEqual([]);
      await pause(to, false);
      expect(await running(to)).toEqual(before);
      expect(await nodesOf(server)).toEqual(nodes);
    }
  });

  it("writes nothing to the objects of a paused Cluster, and catches up afterwards", async () => {
    await using pair = await startPair();
    const { source, target } = pair;
    await using _cloud = await cloudOf([source, target]);
    const before = await running(source);
    await move(source, target);
    await createInstance(target, "canary");
    await holds(async () => (await statusOf(target, SimInstance, "n1")) === undefined, { forMs: 500 });
    expect(await statusOf(target, SimServer, "c1")).toBeUndefined();
    await pause(target, false);
    expect(await running(target)).toEqual(before);
  });

  it("fills a status again that was emptied, with the same values", async () => {
    await using pair = await startPair();
    const { source } = pair;
    await using _cloud = await cloudOf([source]);
    const before = await running(source);
    const api = source.server.as("test");
    await pause(source, true);
    for (const [kind, name] of [
      [SimServer, "c1"],
      [SimInstance, "n1"],
    ] as const) {
      const key = { namespace: "default", name };
      await api.jsonPatch(kind as unknown as Kind, key, [{ op: "remove", path: "/status" }], "status");
      expect(await statusOf(source, kind as unknown as Kind, name)).toBeUndefined();
    }
    await pause(source, false);
    expect(await running(source)).toEqual(before);
  });

  it("switches nothing off whose Cluster is paused, and what is deleted for good afterwards", async () => {
    await using pair = await startPair();
    const { source } = pair;
    await using _cloud = await cloudOf([source]);
    using server = await workload(source);
    await eventually(async () => (await nodesOf(server)).length === 1, WITHIN);
    await pause(source, true);
    const api = source.server.as("test");
    const key = { namespace: "default", name: "n1" };
    const uid = (await api.get(SimInstance, key))?.metadata.uid ?? "";
    await api.delete(SimInstance, key, { uid });
    await holds(async () => (await nodesOf(server)).length === 1, { forMs: 500 });
    await pause(source, false);
    await eventually(async () => (await nodesOf(server)).length === 0, WITHIN);
    await eventually(async () => (await api.get(SimInstance, key)) === undefined, WITHIN);
    const own = await api.get(SimServer, PLACE);
    await api.delete(SimServer, PLACE, { uid: own?.metadata.uid ?? "" });
    await eventually(async () => (await api.get(SimServer, PLACE)) === undefined, WITHIN);
    await expect(nodesOf(server)).rejects.toThrow();
  });

  it("lets an instance go whose finalizer someone has taken away", async () => {
    await using pair = await startPair();
    const { source } = pair;
    await using _cloud = await cloudOf([source]);
    using server = await workload(source);
    await eventually(async () => (await nodesOf(server)).length === 1, WITHIN);
    await pause(source, true);
    const api = source.server.as("test");
    const key = { namespace: "default", name: "n1" };
    await api.delete(SimInstance, key, { uid: (await api.get(SimInstance, key))?.metadata.uid ?? "" });
    await api.jsonPatch(SimInstance, key, [{ op: "remove", path: "/metadata/finalizers" }]);
    expect(await api.get(SimInstance, key)).toBeUndefined();
    await pause(source, false);
    await holds(async () => (await nodesOf(server)).length === 1, { forMs: 500 });
  });

  it("finds everything again when it was killed in the middle of the move", async () => {
    const data = testFolder("cloud");
    await using pair = await startPair(true);
    const { source, target } = pair;
    const first = await cloudOf([source, target], data);
    const before = await running(source);
    await publish(source, before.server as object);
    using server = await workload(source);
    const nodes = await eventually(async () => {
      const found = await nodesOf(server);
      return found.length === 1 && found;
    }, WITHIN);
    await move(source, target, async () => first[Symbol.asyncDispose]());
    await using _second = await cloudOf([target, source], data);
    await pause(target, false);
    expect(await running(target)).toEqual(before);
    using again = await workload(target);
    const found = await eventually(() => nodesOf(again).catch(() => false), WITHIN);
    const without = (list: unknown) =>
      (list as typeof nodes as { resourceVersion?: string }[]).map(({ resourceVersion: _, ...rest }) => rest);
    expect(without(found)).toEqual(without(nodes));
    expect(await readdir(data)).toHaveLength(1);
  });

  it("keeps servers of the same name in two management clusters apart", async () => {
    await using pair = await startPair();
    const { source, target } = pair;
    const serves = [source, target].map(({ server }) => ({ server }));
    await using cloud = await startCloud({ serves, clock: systemClock, log: silentLog });
    await eventually(() => cloud.isReady(), WITHIN);
    const api = target.server.as("test");
    const { metadata: _, ...rest } = cluster();
    await api.create(Cluster, { ...rest, metadata: PLACE } as Cluster);
    await api.create(Secret, await newAuthority(PLACE));
    await api.create(SimServer, {
      apiVersion: "cloud.sim.capstan.dev/v1beta1",
      kind: "SimServer",
      metadata: PLACE,
      spec: { clusterName: "c1", serverID: "sim://default/c1/second" },
    } as SimServer);
    await createInstance(target, "n1", { providerID: "sim://n1-of-target" });
    using first = await workload(source);
    using second = await workload(target);
    const ids = async (server: Server) => (await nodesOf(server)).map(({ providerID }) => providerID);
    await eventually(async () => (await ids(first)).join() === "sim://n1", WITHIN);
    await eventually(async () => (await ids(second)).join() === "sim://n1-of-target", WITHIN);
  });
});
