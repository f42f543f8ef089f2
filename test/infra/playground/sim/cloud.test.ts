import { request } from "node:https";
import { describe, expect, it } from "vitest";
import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer, type Server } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { SimInstance, SimServer } from "../../../../infra/playground/api/sim-cloud.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { parseCloudAddress } from "../../../../infra/playground/sim/address.ts";
import { startCloud } from "../../../../infra/playground/sim/cloud.ts";
import { Node, Secret } from "../../../../shared/api/core.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { type VirtualClock, virtualClock } from "../../../support/clock.ts";
import { eventually, holds } from "../../../support/eventually.ts";
import { kubeconfigBy, newAuthority } from "../../../support/issued.ts";
import { recordingLog } from "../../../support/recording-log.ts";
import { silentLog } from "../../../support/silent-log.ts";

const clock = systemClock;
/** An address that is not the default one, and that every Linux has. */
const OTHER_ADDRESS = "127.0.0.2";
const WITHIN = { withinMs: 10_000 };
const SERVER = { namespace: "default", name: "c1" };
const AUTHORITY = { namespace: "default", name: "c1-ca" };

/** A management API server with Capstan's kinds, and a client of it. */
async function startManagement(): Promise<AsyncDisposable & { readonly server: Server }> {
  await using starting = new AsyncDisposableStack();
  const embedded = starting.use(await startApiServer({ name: "management" }));
  const server = starting.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock }));
  await installCrds(server.as("test"), clock);
  await server.as("test").create(Secret, await newAuthority(SERVER));
  const running = starting.move();
  return { server, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

function cloudOf(
  { server }: { readonly server: Server },
  time: Clock = clock,
  nodeLingersMs?: number,
): Promise<AsyncDisposable> {
  return startCloud({ serves: [{ server }], clock: time, log: silentLog, nodeLingersMs });
}

/** Time that stands still half a minute from now: what the API server creates meanwhile is old enough to boot. */
function standingClock(): VirtualClock {
  return virtualClock(new Date(Date.now() + 30_000));
}

function createSimServer({ server }: { readonly server: Server }, spec: object = {}) {
  return server.as("test").create(SimServer, {
    apiVersion: "cloud.sim.capstan.dev/v1beta1",
    kind: "SimServer",
    metadata: SERVER,
    spec: { clusterName: "c1", ...spec },
  } as SimServer);
}

function createInstance(
  { server }: { readonly server: Server },
  name: string,
  nodeReadyDelaySeconds = 0,
  more: object = {},
) {
  return server.as("test").create(SimInstance, {
    apiVersion: "cloud.sim.capstan.dev/v1beta1",
    kind: "SimInstance",
    metadata: { namespace: "default", name },
    spec: {
      clusterName: "c1",
      providerID: `sim://${name}`,
      bootDelaySeconds: 0,
      nodeReadyDelaySeconds,
      kubeletVersion: "v1.33.1",
      ...more,
    },
  } as SimInstance);
}

function instanceNamed({ server }: { readonly server: Server }, name: string) {
  return server.as("test").get(SimInstance, { namespace: "default", name });
}

function deleteInstance({ server }: { readonly server: Server }, { metadata: { name, uid } }: KubeObject) {
  return server.as("test").delete(SimInstance, { namespace: "default", name }, { uid: uid ?? "" });
}

type ServerStatus = NonNullable<SimServer["status"]>;

/** The status of the SimServer once it is as wanted. */
function serverStatus(
  { server }: { readonly server: Server },
  isWanted: (status: ServerStatus) => boolean = () => true,
): Promise<ServerStatus> {
  return eventually(async () => {
    const found = await server.as("test").get(SimServer, SERVER);
    return found?.status !== undefined && isWanted(found.status) && found.status;
  }, WITHIN) as Promise<ServerStatus>;
}

function readyServer(management: { readonly server: Server }): Promise<ServerStatus> {
  return serverStatus(management, ({ ready: isReady }) => isReady === true);
}

/** Returns a client with a kubeconfig of the Cluster's authority. */
async function workload({ server }: { readonly server: Server }): Promise<Server> {
  const { host, port } = await readyServer({ server });
  const authority = await server.as("test").get(Secret, { namespace: "default", name: "c1-ca" });
  if (authority === undefined) throw new Error("the authority is gone");
  const kubeconfig = await kubeconfigBy(authority, { server: `https://${host}:${port}` });
  return createServer(parseKubeconfig(kubeconfig), { clock });
}

async function nodeNames(server: Server): Promise<readonly string[]> {
  const { items } = await server.as("test").list(Node, {});
  return items.map(({ metadata }) => metadata.name).toSorted();
}

function ready(node: Node | undefined): string | undefined {
  return node?.status?.conditions?.find(({ type }) => type === "Ready")?.status;
}

function nodeNamed(server: Server, name: string): Promise<Node | undefined> {
  return server.as("test").get(Node, { namespace: "", name });
}

/** Replaces these members of the spec of an instance. */
async function patchInstance({ server }: { readonly server: Server }, name: string, spec: object) {
  const operations = Object.entries(spec).map(([member, value]) => ({
    op: "add" as const,
    path: `/spec/${member}`,
    value,
  }));
  await server.as("test").jsonPatch(SimInstance, { namespace: "default", name }, operations);
}

/** The Node once it is as wanted. */
async function nodeThat(server: Server, name: string, isWanted: (node: Node) => boolean): Promise<Node> {
  const found = await eventually(async () => {
    const node = await nodeNamed(server, name);
    return node !== undefined && isWanted(node) && node;
  }, WITHIN);
  return found as Node;
}

function changedAt({ status }: Node, type: string): string | undefined {
  return status?.conditions?.find((condition) => condition.type === type)?.lastTransitionTime;
}

describe("the simulated cloud", () => {
  it("gives a SimServer a workload API server that answers clients of its authority", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    const status = await readyServer(management);
    expect(status).toEqual({
      host: "127.0.0.1",
      port: expect.any(Number),
      ready: true,
    });
    using server = await workload(management);
    expect(await nodeNames(server)).toEqual([]);
  });

  it("boots an instance into a Node with a taint that becomes Ready after its delay", async () => {
    const time = standingClock();
    await using management = await startManagement();
    await using _cloud = await cloudOf(management, time);
    await createSimServer(management);
    using server = await workload(management);
    await createInstance(management, "late", 60);
    await eventually(async () => ready(await nodeNamed(server, "late")) === "False", WITHIN);
    expect(await nodeNamed(server, "late")).toMatchObject({
      spec: {
        providerID: "sim://late",
        taints: [{ key: "node.cluster.x-k8s.io/uninitialized", effect: "NoSchedule" }],
      },
      status: { nodeInfo: { kubeletVersion: "v1.33.1" } },
    });
    const key = { namespace: "default", name: "late" };
    const status = await eventually(async () => {
      const instance = await management.server.as("test").get(SimInstance, key);
      return instance?.status ?? false;
    }, WITHIN);
    expect(status).toMatchObject({ phase: "Running", nodeName: "late" });
    await eventually(async () => {
      await time.advance(60_000);
      return ready(await nodeNamed(server, "late")) === "True";
    }, WITHIN);
  });

  it("keeps an instance pending until its boot delay is over", async () => {
    const time = standingClock();
    await using management = await startManagement();
    await using _cloud = await cloudOf(management, time);
    await createSimServer(management);
    using server = await workload(management);
    await management.server.as("test").create(SimInstance, {
      apiVersion: "cloud.sim.capstan.dev/v1beta1",
      kind: "SimInstance",
      metadata: { namespace: "default", name: "slow" },
      spec: { clusterName: "c1", bootDelaySeconds: 60, nodeReadyDelaySeconds: 0 },
    } as SimInstance);
    await createInstance(management, "fast");
    await eventually(async () => ready(await nodeNamed(server, "fast")) === "True", WITHIN);
    expect(await nodeNames(server)).toEqual(["fast"]);
    await eventually(async () => {
      await time.advance(60_000);
      return ready(await nodeNamed(server, "slow")) === "True";
    }, WITHIN);
  });

  it("registers an instance that was there before its server", async () => {
    await using management = await startManagement();
    await createInstance(management, "early");
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    await eventually(async () => ready(await nodeNamed(server, "early")) === "True", WITHIN);
  });

  it("removes the Node of an instance that is gone, and no other", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    const [gone] = await Promise.all([
      createInstance(management, "gone"),
      createInstance(management, "stays"),
    ]);
    await eventually(async () => (await nodeNames(server)).length === 2, WITHIN);
    const key = { namespace: "default", name: "gone" };
    await management.server.as("test").delete(SimInstance, key, { uid: gone?.metadata.uid ?? "" });
    await eventually(async () => (await nodeNames(server)).join() === "stays", WITHIN);
  });

  it("removes the Pods of the Node, and no others", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    const gone = await createInstance(management, "gone");
    await createInstance(management, "stays");
    await eventually(async () => (await nodeNames(server)).length === 2, WITHIN);
    const containers = [{ name: "c", image: "i" }];
    const pod = (nodeName: string): Pod =>
      ({
        apiVersion: "v1",
        kind: "Pod",
        metadata: { name: `on-${nodeName}`, namespace: "default" },
        spec: { nodeName, containers },
      }) as Pod;
    await server.as("test").create(Pod, pod("gone"));
    await server.as("test").create(Pod, pod("stays"));
    await deleteInstance(management, gone);
    await eventually(async () => {
      const { items } = await server.as("test").list(Pod, {});
      return items.map(({ metadata }) => metadata.name).join() === "on-stays";
    }, WITHIN);
  });

  it("lets a Node outlive its instance for the configured time", async () => {
    await using management = await startManagement();
    const time = standingClock();
    await using _cloud = await cloudOf(management, time, 60_000);
    await createSimServer(management);
    using server = await workload(management);
    const gone = await createInstance(management, "gone");
    await eventually(async () => (await nodeNames(server)).length === 1, WITHIN);
    const key = { namespace: "default", name: "gone" };
    await management.server.as("test").delete(SimInstance, key, { uid: gone.metadata.uid ?? "" });
    // Later events are seen later.
    await createInstance(management, "later");
    await eventually(async () => (await nodeNames(server)).join() === "gone,later", WITHIN);
    await time.advance(60_000);
    await eventually(async () => (await nodeNames(server)).join() === "later", WITHIN);
  });

  it("gives a recreated instance a Node of its own", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    const first = await createInstance(management, "twice");
    const before = await eventually(async () => (await nodeNamed(server, "twice")) ?? false, WITHIN);
    const key = { namespace: "default", name: "twice" };
    await management.server.as("test").delete(SimInstance, key, { uid: first.metadata.uid ?? "" });
    await createInstance(management, "twice");
    const after = await eventually(async () => {
      const node = await nodeNamed(server, "twice");
      return node !== undefined && node.metadata.uid !== (before as Node).metadata.uid && node;
    }, WITHIN);
    expect(after).toMatchObject({ spec: { providerID: "sim://twice" } });
  });

  it("leaves a Node deleted that another client deleted", async () => {
    const time = standingClock();
    await using management = await startManagement();
    await using _cloud = await cloudOf(management, time);
    await createSimServer(management);
    using server = await workload(management);
    await createInstance(management, "cut", 60);
    await eventually(async () => ready(await nodeNamed(server, "cut")) === "False", WITHIN);
    const uid = (await nodeNamed(server, "cut"))?.metadata.uid ?? "";
    await server.as("test").delete(Node, { namespace: "", name: "cut" }, { uid });
    await time.advance(60_000);
    await createInstance(management, "next");
    await eventually(async () => ready(await nodeNamed(server, "next")) === "True", WITHIN);
    expect(await nodeNames(server)).toEqual(["next"]);
  });

  it("fails a Node on request: not ready, silent, under pressure or gone, and heals it", async () => {
    const time = standingClock();
    await using management = await startManagement();
    await using _cloud = await cloudOf(management, time);
    await createSimServer(management);
    using server = await workload(management);
    await createInstance(management, "weak");
    const before = await nodeThat(server, "weak", (node) => ready(node) === "True");

    await time.advance(5_000);
    await patchInstance(management, "weak", { faults: { node: "NotReady" } });
    const notReady = await nodeThat(server, "weak", (node) => ready(node) === "False");
    expect(changedAt(notReady, "Ready")).not.toBe(changedAt(before, "Ready"));
    expect(changedAt(notReady, "MemoryPressure")).toBe(changedAt(before, "MemoryPressure"));
    const pressure = { type: "MemoryPressure", status: "True" };
    const deadlock = { type: "KernelDeadlock", status: "True" };
    await patchInstance(management, "weak", {
      faults: { node: "Unknown", conditions: [pressure, deadlock] },
    });
    const silent = await nodeThat(server, "weak", (node) => ready(node) === "Unknown");
    expect(silent.status?.conditions).toEqual(
      expect.arrayContaining([expect.objectContaining(pressure), expect.objectContaining(deadlock)]),
    );
    await patchInstance(management, "weak", { faults: {} });
    const healed = await nodeThat(server, "weak", (node) => ready(node) === "True");
    expect(healed.metadata.uid).toBe(before.metadata.uid);
    expect(healed.status?.conditions?.map(({ type }) => type)).not.toContain("KernelDeadlock");

    await patchInstance(management, "weak", { faults: { node: "Gone" } });
    await eventually(async () => (await nodeNames(server)).length === 0, WITHIN);
    await patchInstance(management, "weak", { faults: {} });
    const back = await nodeThat(server, "weak", (node) => ready(node) === "True");
    expect(back.metadata.uid).not.toBe(before.metadata.uid);
  });

  it("registers the Node of an instance again that is rebooted", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    await createInstance(management, "cut");
    const before = await nodeThat(server, "cut", (node) => ready(node) === "True");
    await server.as("test").delete(Node, { namespace: "", name: "cut" }, { uid: before.metadata.uid ?? "" });
    await patchInstance(management, "cut", { reboots: 1 });
    await nodeThat(server, "cut", (node) => node.metadata.uid !== before.metadata.uid);
  });

  it("takes a Node with its provider ID for its own, and puts another's aside", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    const registered = (name: string, providerID: string) =>
      server.as("test").create(Node, {
        apiVersion: "v1",
        kind: "Node",
        metadata: { name },
        spec: { providerID },
      } as Node);
    const own = await registered("own", "sim://own");
    const foreign = await registered("foreign", "sim://somebody-else");
    await Promise.all([createInstance(management, "own"), createInstance(management, "foreign")]);
    await eventually(async () => ready(await nodeNamed(server, "own")) === "True", WITHIN);
    await eventually(async () => ready(await nodeNamed(server, "foreign")) === "True", WITHIN);
    expect((await nodeNamed(server, "own"))?.metadata.uid).toBe(own.metadata.uid);
    const replaced = await nodeNamed(server, "foreign");
    expect(replaced?.metadata.uid).not.toBe(foreign.metadata.uid);
    expect(replaced?.spec?.providerID).toBe("sim://foreign");
  });

  it("gives a recreated SimServer a server of its own", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    const first = await createSimServer(management);
    using before = await workload(management);
    await createInstance(management, "n1");
    await eventually(async () => ready(await nodeNamed(before, "n1")) === "True", WITHIN);
    await management.server.as("test").delete(SimServer, SERVER, { uid: first.metadata.uid ?? "" });
    await createSimServer(management);
    using after = await workload(management);
    await eventually(async () => ready(await nodeNamed(after, "n1")) === "True", WITHIN);
  });

  it("answers on Machines from the first control plane instance until the last, at one address", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management, { onMachines: true });
    const { port } = await serverStatus(management, ({ port: known }) => known !== undefined);
    const worker = await createInstance(management, "worker");
    await eventually(
      async () => (await instanceNamed(management, "worker"))?.status?.phase === "Provisioned",
      WITHIN,
    );
    expect((await serverStatus(management)).ready).toBe(false);
    const controlPlane = { controlPlane: true, failureDomain: "a" };
    const first = await createInstance(management, "cp-1", 0, controlPlane);
    const status = await serverStatus(management, ({ ready: isReady }) => isReady === true);
    expect(status).toMatchObject({ port });
    using server = await workload(management);
    await eventually(async () => (await nodeNames(server)).join() === "cp-1,worker", WITHIN);
    expect(await nodeNamed(server, "cp-1")).toMatchObject({
      metadata: {
        labels: { "node-role.kubernetes.io/control-plane": "", "topology.kubernetes.io/zone": "a" },
      },
      spec: {
        taints: expect.arrayContaining([
          { key: "node-role.kubernetes.io/control-plane", effect: "NoSchedule" },
        ]),
      },
    });
    const { addresses } = (await instanceNamed(management, "cp-1"))?.status ?? {};
    expect(addresses).toEqual([
      { type: "Hostname", address: "cp-1" },
      { type: "InternalIP", address: expect.stringMatching(/^10\./) },
    ]);
    const second = await createInstance(management, "cp-2", 0, controlPlane);
    await eventually(async () => (await nodeNames(server)).length === 3, WITHIN);
    await deleteInstance(management, first);
    await eventually(async () => (await nodeNames(server)).join() === "cp-2,worker", WITHIN);
    await deleteInstance(management, second);
    expect(await serverStatus(management, ({ ready: isReady }) => isReady === false)).toMatchObject({ port });
    await expect(nodeNames(server)).rejects.toThrow();
    await deleteInstance(management, worker);
    await createInstance(management, "cp-3", 0, controlPlane);
    await serverStatus(management, ({ ready: isReady }) => isReady === true);
    using again = await workload(management);
    await eventually(async () => (await nodeNames(again)).join() === "cp-3", WITHIN);
  });

  it("spoils the kubeconfig where a fault says so", async () => {
    await using management = await startManagement();
    const client = management.server.as("test");
    const type = "cluster.x-k8s.io/secret";
    const metadata = { namespace: "default", name: "c1-kubeconfig" };
    const data = { value: btoa("good") };
    await client.create(Secret, { apiVersion: "v1", kind: "Secret", metadata, type, data });
    await using _cloud = await cloudOf(management);
    await createSimServer(management, { corruptKubeconfig: true });
    const value = async () =>
      (await client.get(Secret, { namespace: "default", name: "c1-kubeconfig" }))?.data?.["value"];
    await eventually(async () => (await value()) === btoa("spoilt: ["), WITHIN);
  });

  it("breaks every connection as long as the fault lasts", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    const created = await createSimServer(management);
    using server = await workload(management);
    const key = { namespace: "default", name: "c1" };
    const guard = { op: "test", path: "/metadata/uid", value: created.metadata.uid } as const;
    await management.server
      .as("test")
      .jsonPatch(SimServer, key, [guard, { op: "add", path: "/spec/unreachable", value: true }]);
    await eventually(
      () =>
        nodeNames(server).then(
          () => false,
          () => true,
        ),
      WITHIN,
    );
    expect((await serverStatus(management)).ready).toBe(true);
    await management.server
      .as("test")
      .jsonPatch(SimServer, key, [guard, { op: "remove", path: "/spec/unreachable" }]);
    await eventually(
      () =>
        nodeNames(server).then(
          () => true,
          () => false,
        ),
      WITHIN,
    );
  });

  it("takes up after a restart with the same address and Nodes, and the kubeconfig works on", async () => {
    await using management = await startManagement();
    const before = await (async () => {
      await using _cloud = await cloudOf(management);
      await createSimServer(management);
      using server = await workload(management);
      await createInstance(management, "n1");
      await eventually(async () => ready(await nodeNamed(server, "n1")) === "True", WITHIN);
      const authority = await management.server.as("test").get(Secret, AUTHORITY);
      const status = await readyServer(management);
      const address = `https://${status.host}:${status.port}`;
      return { kubeconfig: await kubeconfigBy(authority as Secret, { server: address }), status };
    })();
    await using _cloud = await cloudOf(management);
    using server = createServer(parseKubeconfig(before.kubeconfig), { clock });
    await eventually(
      async () => ready(await nodeNamed(server, "n1").catch(() => undefined)) === "True",
      WITHIN,
    );
    expect(await readyServer(management)).toEqual(before.status);
  });

  it("moves to another port when its own is taken, and says so", async () => {
    await using management = await startManagement();
    const port = await (async () => {
      await using _cloud = await cloudOf(management);
      await createSimServer(management);
      return (await readyServer(management)).port ?? 0;
    })();
    await using _squatter = await startApiServer({ name: "squatter", port });
    await using _cloud = await cloudOf(management);
    await eventually(async () => (await readyServer(management)).port !== port, WITHIN);
    using server = await workload(management);
    expect(await nodeNames(server)).toEqual([]);
  });

  it("answers once the authority is there and can sign", async () => {
    await using management = await startManagement();
    const api = management.server.as("test");
    const { uid = "" } = (await api.get(Secret, AUTHORITY))?.metadata ?? {};
    await api.delete(Secret, AUTHORITY, { uid });
    const { log, lines } = recordingLog();
    await using _cloud = await startCloud({ serves: [management], clock, log });
    await createSimServer(management);
    expect(await serverStatus(management, ({ port }) => port !== undefined)).toMatchObject({ ready: false });
    const { data = {}, ...secret } = await newAuthority(SERVER);
    const { "tls.crt": crt = "", "tls.key": key = "" } = data;
    const { metadata } = await api.create(Secret, { ...secret, data: { "tls.crt": crt } });
    const warnings = () => lines.filter(({ level }) => level === "warn");
    await eventually(() => warnings().length > 0, { withinMs: 60_000 });
    // The cloud looks twice a second, and says it once.
    await holds(() => warnings().length === 1, { forMs: 1_200 });
    const guard = { op: "test", path: "/metadata/uid", value: metadata.uid } as const;
    await api.jsonPatch(Secret, AUTHORITY, [guard, { op: "add", path: "/data/tls.key", value: key }]);
    await readyServer(management);
    using server = await workload(management);
    expect(await nodeNames(server)).toEqual([]);
  });

  it("refuses clients of another authority, and an expired certificate, as a real server does", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    const { host, port } = await readyServer(management);
    const server = `https://${host}:${port}`;
    const own = (await management.server.as("test").get(Secret, AUTHORITY)) as Secret;
    const foreign = await newAuthority(SERVER);
    const trusting = (kubeconfig: string): string =>
      kubeconfig.replace(
        /certificate-authority-data: \S+/,
        `certificate-authority-data: ${own.data?.["tls.crt"]}`,
      );
    const whoIs = async (kubeconfig: string): Promise<unknown> => {
      using client = createServer(parseKubeconfig(kubeconfig), { clock });
      return nodeNames(client).then(
        () => "admitted",
        ({ status, message }: { readonly status?: number; readonly message: string }) => status || message,
      );
    };
    const past = new Date(Date.now() - 2 * 3_600_000);
    const viewer = { commonName: "jane", organization: "viewers" };
    expect(await whoIs(await kubeconfigBy(own, { server }))).toBe("admitted");
    expect(await whoIs(trusting(await kubeconfigBy(foreign, { server })))).toBe(401);
    expect(await whoIs(await kubeconfigBy(own, { server }, past))).toBe(401);
    expect(await whoIs(await kubeconfigBy(own, { server, subject: viewer }))).toBe(403);
    expect(await whoIs(await kubeconfigBy(foreign, { server }))).toMatch(/certificate/);
  });

  it("answers nothing while it is unreachable, and continues with the same Nodes afterwards", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    await createSimServer(management);
    using server = await workload(management);
    await createInstance(management, "n1");
    await eventually(async () => (await nodeNames(server)).join() === "n1", WITHIN);
    const own = (await management.server.as("test").get(Secret, AUTHORITY)) as Secret;
    const subject = { commonName: "jane", organization: "viewers" };
    using viewer = createServer(
      parseKubeconfig(await kubeconfigBy(own, { server: server.url.origin, subject })),
      { clock },
    );
    const said = (request: Promise<unknown>): Promise<unknown> =>
      request.then(
        () => "answered",
        ({ status }: { readonly status?: number }) => status,
      );
    const answers = () => Promise.all([server.probe(), nodeNames(server), nodeNames(viewer)].map(said));
    expect(await answers()).toEqual(["answered", "answered", 403]);
    const unreachable = (value: boolean) =>
      management.server
        .as("test")
        .jsonPatch(SimServer, SERVER, [{ op: "add", path: "/spec/unreachable", value }]);
    await unreachable(true);
    await eventually(async () => expect(await answers()).toEqual([0, 0, 0]), WITHIN);
    await unreachable(false);
    await eventually(async () => expect(await answers()).toEqual(["answered", "answered", 403]), WITHIN);
    expect(await nodeNames(server)).toEqual(["n1"]);
  });

  it("answers off loopback at the address that it announces, with TLS, and to no other name", async () => {
    const address = parseCloudAddress(OTHER_ADDRESS);
    await using management = await startManagement();
    await using _cloud = await startCloud({ serves: [management], clock, log: silentLog, address });
    await createSimServer(management);
    await createInstance(management, "n1");
    expect(await readyServer(management)).toMatchObject({ host: OTHER_ADDRESS });
    using server = await workload(management);
    await eventually(async () => (await nodeNames(server)).join() === "n1", WITHIN);
    const { port } = await readyServer(management);
    const get = (host: string): Promise<number> => {
      const { promise, resolve, reject } = Promise.withResolvers<number>();
      const options = {
        host: OTHER_ADDRESS,
        port,
        rejectUnauthorized: false,
        headers: { host },
        path: "/readyz",
      };
      request(options, ({ statusCode = 0 }) => resolve(statusCode))
        .on("error", reject)
        .end();
      return promise;
    };
    expect(await get(`${OTHER_ADDRESS}:${port}`)).toBe(200);
    expect(await get("attacker.example")).toBe(403);
  });

  it("stops the workload API server of a SimServer that is gone", async () => {
    await using management = await startManagement();
    await using _cloud = await cloudOf(management);
    const created = await createSimServer(management);
    using server = await workload(management);
    await management.server.as("test").delete(SimServer, SERVER, { uid: created.metadata.uid ?? "" });
    await eventually(async () => {
      const answered = await server.probe().then(
        () => true,
        () => false,
      );
      return !answered;
    }, WITHIN);
  });
});
