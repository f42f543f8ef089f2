import { dump } from "js-yaml";
import { describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer, type Server } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { type Connect, createTransport } from "../../../../infra/platform/kube/transport.ts";
import { createCertificateAuthority } from "../../../../infra/platform/pki/certificate-authority.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createDelivery } from "../../../../infra/relay/delivery/delivery.ts";
import { createClients } from "../../../../infra/relay/workload/clients.ts";
import {
  type Connections,
  createEndings,
  startConnections,
} from "../../../../infra/relay/workload/connections.ts";
import { workloadAccess } from "../../../../infra/relay/workload/workload-access.ts";
import { Connection, Node, Secret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import type { KubeClient, Store } from "../../../../shared/runtime/ports.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { type VirtualClock, virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import {
  breaking,
  event,
  failing,
  holding,
  json,
  listing,
  reset,
  type ScriptedServer,
  startScriptedServer,
  text,
} from "../../../support/processes/scripted-server.ts";
import { silentLog } from "../../../support/silent-log.ts";

const within = { withinMs: 10_000 };
const ClusterKind = { group: "cluster.x-k8s.io", kind: "Cluster" };
const nodesOf = (cluster: string) => ({ cluster, group: "", kind: "Node" });
const connectionType = { cluster: MANAGEMENT, group: Connection.group, kind: Connection.kind };

function cluster(name: string, { uid = `uid-${name}`, provisioned = false } = {}): KubeObject {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "Cluster",
    metadata: { namespace: "default", name, uid, resourceVersion: "1" },
    status: { initialization: { infrastructureProvisioned: provisioned } },
  } as KubeObject;
}
function node(name: string, resourceVersion: string) {
  return {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, uid: `uid-${name}`, resourceVersion },
    spec: { providerID: `x://${name}` },
  };
}
function kubeconfigFor(url: URL, token = "t", user: object = { token }): string {
  return dump({
    clusters: [{ name: "c", cluster: { server: url.href } }],
    users: [{ name: "u", user }],
    contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
    "current-context": "x",
  });
}

interface World extends AsyncDisposable {
  readonly clock: VirtualClock;
  readonly store: Store;
  readonly management: Server;
  readonly client: KubeClient;
  readonly workload: ScriptedServer;
  readonly connections: Connections;
  /** Requests of the relay to the management server. */
  relayRequests(): readonly { readonly verb: string; readonly name: string | undefined }[];
  writeSecret(name: string, value: string | undefined, labels?: object): Promise<void>;
  deleteSecret(name: string): Promise<void>;
  status(name?: string): Promise<Connection["status"] | undefined>;
  nodes(name?: string): Promise<readonly string[]>;
}

/** Connections by the token that they carry. */
function tokensInUse(): { readonly connect: Connect; readonly tokens: Set<string | undefined> } {
  const tokens = new Set<string | undefined>();
  return {
    tokens,
    connect(access) {
      const transport = createTransport(access);
      tokens.add(access.token);
      return {
        ...transport,
        [Symbol.dispose]() {
          tokens.delete(access.token);
          transport[Symbol.dispose]();
        },
      };
    },
  };
}

async function world({
  connect = createTransport as Connect,
  kubeconfigSecrets = "watch" as "get" | "watch",
} = {}): Promise<World> {
  const stack = new AsyncDisposableStack();
  const clock = virtualClock();
  const embedded = await startApiServer({ name: "test", recordRequests: true });
  stack.defer(() => embedded.stop());
  const workload = stack.use(await startScriptedServer());
  const management = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock }));
  const store = stack.use(createMemoryStore());
  const abort = new AbortController();
  const shared = { store, clock, log: silentLog, signal: abort.signal };
  const queue = { enqueue: async () => undefined } as unknown as Queue;
  const delivery = createDelivery({ ...shared, functions: [], queue, onChange: () => undefined });
  const connections = stack.use(
    startConnections({
      ...shared,
      functions: [],
      server: management,
      delivery,
      random: () => 0,
      connect,
      kubeconfigSecrets,
    }),
  );
  stack.defer(() => abort.abort());
  const client = management.as("test");
  const keyOf = (name: string) => ({ namespace: "default", name: `${name}-kubeconfig` });
  return {
    clock,
    store,
    management,
    client,
    workload,
    connections,
    relayRequests: () => embedded.requests.filter(({ userAgent }) => userAgent.endsWith(" relay")),
    async writeSecret(name, value, labels = {}) {
      const data = value === undefined ? {} : { value: Buffer.from(value).toString("base64") };
      const metadata = { ...keyOf(name), labels };
      await client.apply(Secret as Kind, keyOf(name), { apiVersion: "v1", kind: "Secret", metadata, data });
    },
    async deleteSecret(name) {
      const secret = await client.get(Secret, keyOf(name));
      await client.delete(Secret as Kind, keyOf(name), { uid: secret?.metadata.uid ?? "" });
    },
    status: async (name = "c1") =>
      ((await store.get(connectionType, { namespace: "default", name })) as Connection | undefined)?.status,
    nodes: async (name = "c1") =>
      (await store.list(nodesOf(`default/${name}`), {})).map(({ metadata }) => metadata.name),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const appear = (w: World, name = "c1") => {
  w.connections.clusterChanged({ kind: ClusterKind, cluster: MANAGEMENT, after: cluster(name) });
};
const stateOf = (w: World, state: string, name = "c1") =>
  eventually(async () => (await w.status(name))?.state === state, within);
const connect = async (w: World) => {
  w.workload.lists.push(listing([node("n1", "5")], "10"));
  await w.writeSecret("c1", kubeconfigFor(w.workload.url));
  appear(w);
  await stateOf(w, "connected");
};

const watchesFrom = (w: World, version: string) =>
  w.workload.requests
    .filter(({ query }) => query.get("watch") === "true" && !query.has("sendInitialEvents"))
    .filter(({ query }) => query.get("resourceVersion") === version);
/** Lists of all Nodes that were answered. */
const wholeLists = (w: World) =>
  w.workload.requests.filter(
    ({ path, query }) =>
      path.endsWith("/nodes") && query.get("watch") === null && !query.has("fieldSelector"),
  );

describe("workload connections", () => {
  it("wait for the Secret, then connect and show the Nodes (KR-19)", async () => {
    await using w = await world();
    appear(w);
    await stateOf(w, "unknown");
    expect((await w.status())?.message).toContain("kubeconfig Secret default/c1-kubeconfig does not exist");
    expect(() => w.connections.of("default/c1", "x")).toThrow("waiting for Connection default/c1");
    expect(() => w.connections.of("default/c2", "x")).toThrow("waiting for Connection default/c2");
    w.workload.lists.push(listing([node("n1", "5")], "10"));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    await stateOf(w, "connected");
    expect(await w.status()).toMatchObject({ nodesComplete: true, failures: 0 });
    expect(await w.nodes()).toEqual(["n1"]);
    await w.connections.of("default/c1", "pool-nodes").list(Node, {});
    expect(w.workload.requests.at(-1)?.headers["user-agent"]).toBe("capstan/dev pool-nodes");
    expect(w.relayRequests().map(({ verb }) => verb)).toEqual(["watch"]);
  });

  it("say since when the client certificate has expired", async () => {
    const { cert, key } = await (await createCertificateAuthority()).issue("expired");
    const data = (text: string) => Buffer.from(text).toString("base64");
    const url = new URL("https://127.0.0.1:6443");
    const user = { "client-certificate-data": data(cert), "client-key-data": data(key) };
    const metadata = { name: "c1-kubeconfig", namespace: "default" };
    const secret = {
      apiVersion: "v1",
      kind: "Secret",
      metadata,
      data: { value: data(kubeconfigFor(url, "", user)) },
    };
    expect(() => workloadAccess(secret, { server: { url } as Server, clock: systemClock })).toThrow(
      /^kubeconfig Secret default\/c1-kubeconfig, key value: the client certificate expired at \d{4}-\S+Z$/,
    );
  });

  it("S-07: connect as a user who may use nothing but Nodes", async () => {
    await using w = await world();
    await using workload = await startApiServer({ name: "workload" });
    const verbs = ["get", "list", "watch", "patch", "delete"];
    const token = workload.addUser({ name: "capstan", allow: [{ verbs, resources: ["nodes"] }] });
    await w.writeSecret("c1", kubeconfigFor(new URL(`http://127.0.0.1:${workload.port}`), token));
    appear(w);
    await stateOf(w, "connected");
    expect(await w.status()).toMatchObject({ nodesComplete: true, failures: 0 });
  });

  it.each([
    ["no key value", undefined],
    ["garbage", "secret-canary: ["],
    ["a command to run", "users: [{name: secret-canary, user: {exec: {command: x}}}]"],
  ])("say what is wrong with a Secret of %s, and connect when it is mended", async (_what, value) => {
    await using w = await world();
    await w.writeSecret("c1", value);
    appear(w);
    await stateOf(w, "unreachable");
    expect((await w.status())?.message).toMatch(/kubeconfig Secret default\/c1-kubeconfig.*key value/);
    expect(JSON.stringify(await w.status())).not.toContain("secret-canary");
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    await stateOf(w, "connected");
  });

  it("repeat a failed attempt after 30 s, and at once when a latch of the Cluster changes (KR-19)", async () => {
    await using w = await world();
    const failed = failing(500, "InternalError");
    w.workload.lists.push(failed, failed, failed, listing([], "10"));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    appear(w);
    await stateOf(w, "unreachable");
    expect(await w.status()).toMatchObject({ failures: 1, nodesComplete: false });
    await w.clock.advance(30 * SECOND);
    await eventually(async () => (await w.status())?.failures === 2, within);
    const [before, after] = [cluster("c1"), cluster("c1", { provisioned: true })];
    w.connections.clusterChanged({ kind: ClusterKind, cluster: MANAGEMENT, before, after });
    await eventually(async () => (await w.status())?.failures === 3, within);
    const since = (await w.status())?.failingSince;
    expect(since).toBe("2026-01-01T00:00:00.000Z");
    w.connections.clusterChanged({ kind: ClusterKind, cluster: MANAGEMENT, before: after, after: before });
    await stateOf(w, "connected");
    expect((await w.status())?.failingSince).toBeUndefined();
  });

  it("are given up after five failed probes in a row; the Nodes stay", async () => {
    await using w = await world();
    w.workload.watches.push(breaking(event("ADDED", node("n2", "11"))), ...Array(20).fill(reset));
    w.workload.others.push(...Array(20).fill(reset));
    await connect(w);
    await eventually(async () => (await w.status())?.failures === 1, within);
    expect(await w.status()).toMatchObject({ state: "connected", nodesComplete: false });
    expect(w.connections.of("default/c1", "x")).toBeDefined();
    w.workload.lists.push(...Array(20).fill(failing(500, "InternalError")));
    for (let second = 0; second < 60 && (await w.status())?.state === "connected"; second += 1)
      await w.clock.advance(SECOND);
    expect(await w.status()).toMatchObject({ state: "unreachable", failures: 5, nodesComplete: false });
    expect((await w.status())?.message).toContain("c1-kubeconfig");
    expect(await w.nodes()).toEqual(["n1", "n2"]);
    expect(w.connections.status()[0]).toMatchObject({
      cluster: "default/c1",
      state: "unreachable",
      failures: 5,
    });
    expect(w.connections.status()[0]?.message).toContain("closes the connection without an answer");
    expect(w.connections.secretLoops()).toMatchObject([{ state: "streaming" }]);
    expect(() => w.connections.of("default/c1", "x")).toThrow("waiting");
  });

  it("are published again with their Nodes when the store has lost them", async () => {
    await using w = await world();
    await connect(w);
    w.workload.lists.push(listing([node("n1", "5")], "11"));
    await w.store.drop(connectionType);
    await w.store.drop(nodesOf("default/c1"));
    w.connections.relistLost();
    await stateOf(w, "connected");
    await eventually(async () => (await w.nodes()).join() === "n1", within);
    expect(await w.store.progress(nodesOf("default/c1"))).toMatchObject({ ready: true });
  });

  it("are published again when the store has gone back to an earlier one", async () => {
    await using w = await world();
    await connect(w);
    const earlier = { ...(await w.status()), state: "unknown", nodesComplete: false };
    await w.store.drop(connectionType);
    const metadata = { namespace: "default", name: "c1", uid: "uid-c1", resourceVersion: "1" };
    const { apiVersion, kind } = { apiVersion: "capstan.dev/v1", kind: "Connection" };
    await w.store.put(connectionType, [{ apiVersion, kind, metadata, status: earlier } as KubeObject]);
    w.connections.relistLost();
    await stateOf(w, "connected");
    expect(await w.status()).toMatchObject({ nodesComplete: true });
  });

  it("KR-22: are believed only once a store that has gone back knows them as they are", async () => {
    await using w = await world();
    await connect(w);
    expect(await w.store.progress(connectionType)).toMatchObject({ ready: true });
    const [before] = await w.store.list(connectionType, {});
    if (before === undefined) throw new Error("no Connection was published");
    const gone = { ...before, metadata: { ...before.metadata, name: "gone", uid: "uid-gone" } };
    await w.store.put(connectionType, [gone]);
    await w.store.advance(connectionType, { ready: false });
    w.connections.relistLost();
    await eventually(async () => (await w.store.progress(connectionType)).ready, within);
    const stored = await w.store.list(connectionType, {});
    expect(stored.map(({ metadata }) => metadata.name)).toEqual(["c1"]);
    expect(stored[0]).toMatchObject({ status: { state: "connected", nodesComplete: true } });
    expect(Number(stored[0]?.metadata.resourceVersion)).toBeGreaterThan(
      Number(before.metadata.resourceVersion),
    );
  });

  it("list their Secrets again on a management server that was restored (KR-12)", async () => {
    await using w = await world();
    await connect(w);
    // A list is a watch that begins with everything.
    const watches = () => w.relayRequests().filter(({ verb }) => verb === "watch").length;
    const before = watches();
    w.connections.relistSecrets();
    await eventually(() => watches() === before + 1, within);
    await eventually(() => w.connections.secretLoops()[0]?.state === "streaming", within);
    expect(await w.status()).toMatchObject({ state: "connected" });
    expect(wholeLists(w)).toHaveLength(1);
  });

  it("do not believe in absent Nodes while the server sends more than it may, and say so (KR-11, S-14)", async () => {
    await using w = await world();
    const huge = Buffer.alloc(8 * 1024 * 1024 + 1, "[");
    w.workload.watches.push(holding(huge), holding(huge));
    w.workload.others.push(text(200, Buffer.alloc(11 * 1024 * 1024, "x")));
    w.workload.lists.push(
      listing([node("n1", "5")], "10"),
      listing([node("n1", "5")], "11"),
      listing([node("n1", "5"), node("n2", "12")], "12"),
    );
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    appear(w);
    await eventually(async () => {
      // Slowly: 11 MiB are under way in real time, and their deadline is in this one.
      await w.clock.advance(SECOND / 10);
      return (await w.status())?.message?.includes("too large to follow: n2") === true;
    }, within);
    expect(await w.status()).toMatchObject({ state: "connected", nodesComplete: false });
    expect(await w.nodes()).toEqual(["n1"]);
  });

  const nameless = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name: "n\u001b[2J", uid: "u", resourceVersion: "12" },
  };

  it("refuse a Node whose name no API server accepts, store nothing of it, and say so", async () => {
    await using w = await world();
    w.workload.lists.push(listing([node("n1", "5"), nameless], "10"));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    appear(w);
    await stateOf(w, "unreachable");
    const reported = (await w.status())?.message ?? "";
    expect(reported).toContain("metadata.name of a Node is not a DNS subdomain");
    expect(reported).toContain(w.workload.url.host);
    expect(reported).not.toMatch(/\p{Cc}/u);
    expect(await w.nodes()).toEqual([]);
    // As soon as the server is one again, all is well.
    w.workload.lists.push(listing([node("n1", "5")], "13"));
    await w.clock.advance(30 * SECOND);
    await stateOf(w, "connected");
    expect(await w.nodes()).toEqual(["n1"]);
  });

  it("do not believe in absent Nodes once a watch sends what no API server sends, and say so", async () => {
    await using w = await world();
    w.workload.watches.push(holding(event("ADDED", nameless)));
    const malformed = listing([nameless], "11");
    w.workload.lists.push(listing([node("n1", "5")], "10"), ...Array<typeof malformed>(20).fill(malformed));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    appear(w);
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.status())?.message?.includes("is not a DNS subdomain") === true;
    }, within);
    expect(await w.status()).toMatchObject({ state: "connected", nodesComplete: false });
    expect(await w.nodes()).toEqual(["n1"]);
  });

  it("do not believe in absent Nodes while a server that answers refuses the watch, and say so until it shows them", async () => {
    await using w = await world();
    const forbidden = failing(403, "Forbidden");
    w.workload.watches.push(breaking(), ...Array<typeof forbidden>(20).fill(forbidden));
    await connect(w);
    w.workload.lists.push(...Array<typeof forbidden>(20).fill(forbidden));
    await eventually(async () => {
      await w.clock.advance(SECOND / 10);
      return (await w.status())?.nodesComplete === false;
    }, within);
    expect(await w.status()).toMatchObject({
      state: "connected",
      failures: 0,
      message: expect.stringMatching(/^workload cluster default\/c1 does not show its Nodes: .*\(403\)/),
    });
    // Probes are answered meanwhile.
    const probes = () => w.workload.requests.filter(({ path }) => path === "/").length;
    const before = probes();
    for (let second = 0; second < 25; second += 1) await w.clock.advance(SECOND);
    await eventually(() => probes() > before, within);
    expect(await w.status()).toMatchObject({ state: "connected", nodesComplete: false });
    expect(await w.nodes()).toEqual(["n1"]);
    w.workload.watches.splice(0);
    w.workload.lists.splice(0, Number.POSITIVE_INFINITY, listing([node("n1", "5")], "12"));
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.status())?.nodesComplete === true;
    }, within);
    expect(await w.status()).toMatchObject({ state: "connected", failures: 0 });
    expect((await w.status())?.message).toBeUndefined();
    expect(wholeLists(w)).toHaveLength(1);
  });

  it("do not believe in absent Nodes once another kubeconfig may not see them", async () => {
    await using w = await world();
    await connect(w);
    await using other = await startScriptedServer();
    const forbidden = failing(403, "Forbidden");
    const often = Array<typeof forbidden>(20).fill(forbidden);
    other.lists.push(...often);
    other.watches.push(...often);
    other.watchLists.push(...often);
    other.others.push(...often);
    await w.writeSecret("c1", kubeconfigFor(other.url));
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.status())?.nodesComplete === false;
    }, within);
    expect((await w.status())?.message).toContain("(403)");
    expect(await w.nodes()).toEqual(["n1"]);
  });

  it("notice a watch that does not show their own write, list instead, and say so until it does", async () => {
    await using w = await world();
    await connect(w);
    w.workload.others.push(json(200, node("n1", "11")));
    w.workload.lists.push(
      listing([node("n1", "11")], "11"),
      listing([node("n1", "11"), node("n2", "12")], "12"),
    );
    const operations = [{ op: "add", path: "/metadata/labels", value: {} }] as const;
    const client = w.connections.of("default/c1", "machinepool-nodes");
    await client.jsonPatch(Node as unknown as Kind, { namespace: "", name: "n1" }, operations);
    expect((await w.status())?.message).toBeUndefined();
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.nodes()).length === 2;
    }, within);
    expect(await w.status()).toMatchObject({ state: "connected", nodesComplete: true });
    expect((await w.status())?.message).toContain("does not send changes");
    expect(wholeLists(w)).toHaveLength(3);
    w.workload.watches.push(holding(event("MODIFIED", node("n1", "13"))));
    w.workload.lists.push(listing([node("n1", "12"), node("n2", "12")], "12"));
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.status())?.message === undefined;
    }, within);
  });

  it("say that a list of empty pages has no end", async () => {
    await using w = await world();
    w.workload.lists.push(...Array.from({ length: 100 }, (_, page) => listing([], "10", `token-${page}`)));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    appear(w);
    await stateOf(w, "unreachable");
    expect((await w.status())?.message).toContain("the list continues after 10 pages without an item");
    expect(wholeLists(w)).toHaveLength(11);
  });

  it("survive a broken watch when the server still answers", async () => {
    await using w = await world();
    w.workload.watches.push(breaking(event("ADDED", node("n2", "11"))));
    await connect(w);
    await eventually(() => w.workload.requests.some(({ path }) => path === "/"), within);
    await w.clock.advance(SECOND);
    const resumed = () => w.workload.requests.filter(({ query }) => query.get("resourceVersion") === "11");
    await eventually(() => resumed().length === 1, within);
    expect(await w.status()).toMatchObject({ state: "connected", failures: 0, nodesComplete: true });
  });

  it("move to another server when the Secret changes, and drop the Nodes that it does not have (KR-19)", async () => {
    await using w = await world();
    await connect(w);
    await using other = await startScriptedServer();
    // Who it is, then what it has.
    other.lists.push(listing([], "4"), listing([node("n9", "3")], "4"));
    await w.writeSecret("c1", kubeconfigFor(other.url, "rotated"));
    await eventually(async () => (await w.nodes()).join() === "n9", within);
    await w.connections.of("default/c1", "x").list(Node, {});
    expect(other.requests.at(-1)?.headers["authorization"]).toBe("Bearer rotated");
    expect((await w.status())?.state).toBe("connected");
  });

  it("resume with another kubeconfig of the same server where the watch was, without a list (KR-10, KR-19)", async () => {
    await using w = await world();
    await connect(w);
    await eventually(() => watchesFrom(w, "10").length === 1, within);
    w.workload.lists.push(listing([node("n1", "5")], "12"));
    w.workload.watches.push(holding(event("ADDED", node("n2", "11"))));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "rotated"));
    await eventually(async () => (await w.nodes()).join() === "n1,n2", within);
    expect(watchesFrom(w, "10").at(-1)?.headers["authorization"]).toBe("Bearer rotated");
    expect(wholeLists(w)).toHaveLength(1);
    expect(await w.status()).toMatchObject({ state: "connected", nodesComplete: true });
  });

  it("resume after an outage where the watch was (KR-10)", async () => {
    await using w = await world();
    w.workload.watches.push(breaking(), ...Array(20).fill(reset));
    w.workload.others.push(...Array(20).fill(reset));
    await connect(w);
    w.workload.lists.push(...Array(20).fill(failing(500, "InternalError")));
    for (let second = 0; second < 60 && (await w.status())?.state === "connected"; second += 1)
      await w.clock.advance(SECOND);
    expect((await w.status())?.state).toBe("unreachable");
    w.workload.lists.splice(0, Number.POSITIVE_INFINITY, listing([node("n1", "5")], "12"));
    w.workload.watches.splice(0, Number.POSITIVE_INFINITY, holding(event("ADDED", node("n2", "11"))));
    await w.clock.advance(30 * SECOND);
    await stateOf(w, "connected");
    await eventually(async () => (await w.nodes()).join() === "n1,n2", within);
    expect(wholeLists(w)).toHaveLength(1);
  });

  it("list when the server no longer has the Nodes that are known (KR-10, KR-12)", async () => {
    await using w = await world();
    await connect(w);
    w.workload.lists.push(listing([], "12"), listing([node("n2", "11")], "12"));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "rotated"));
    await eventually(async () => (await w.nodes()).join() === "n2", within);
    expect(wholeLists(w)).toHaveLength(2);
  });

  it("list when the version is too old to resume from (KR-10)", async () => {
    await using w = await world();
    await connect(w);
    await eventually(() => watchesFrom(w, "10").length === 1, within);
    w.workload.lists.push(listing([node("n1", "5")], "12"), listing([node("n2", "11")], "12"));
    w.workload.watches.push(failing(410, "Expired"));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "rotated"));
    await eventually(() => watchesFrom(w, "10").length === 2, within);
    await eventually(async () => {
      await w.clock.advance(SECOND);
      return (await w.nodes()).join() === "n2";
    }, within);
    expect(wholeLists(w)).toHaveLength(2);
  });

  it("drop the credentials of a Secret within 10 s after it changed or went (S-13)", async () => {
    const { connect: connecting, tokens } = tokensInUse();
    await using w = await world({ connect: connecting });
    await connect(w);
    expect([...tokens]).toEqual(["t"]);
    // The new server does not even answer.
    await w.writeSecret("c1", kubeconfigFor(new URL("http://127.0.0.1:1"), "rotated"));
    await eventually(() => tokens.has("rotated"), within);
    await w.clock.advance(10 * SECOND);
    expect(tokens.has("t")).toBe(false);
    await w.deleteSecret("c1");
    await stateOf(w, "unknown");
    await w.clock.advance(10 * SECOND);
    expect([...tokens]).toEqual([]);
  });

  it("see another kubeconfig when the Cluster changes, without a list or a watch of Secrets", async () => {
    const { connect: connecting, tokens } = tokensInUse();
    await using w = await world({ connect: connecting, kubeconfigSecrets: "get" });
    await connect(w);
    w.workload.lists.push(listing([node("n1", "5")], "11"));
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "rotated"));
    const [before, after] = [cluster("c1"), cluster("c1", { provisioned: true })];
    w.connections.clusterChanged({ kind: ClusterKind, cluster: MANAGEMENT, before, after });
    await eventually(() => tokens.has("rotated"), within);
    await stateOf(w, "connected");
    expect(new Set(w.relayRequests().map(({ verb }) => verb))).toEqual(new Set(["get"]));
  });

  it("do not reconnect when only the metadata of the Secret changes (KR-19)", async () => {
    await using w = await world();
    await connect(w);
    await w.writeSecret("c1", kubeconfigFor(w.workload.url), { touched: "yes" });
    await w.writeSecret("c1", "{}", { touched: "yes" });
    await stateOf(w, "unreachable");
    expect(w.workload.requests.filter(({ query }) => query.get("watch") === null)).toHaveLength(1);
  });

  it("become unknown without the Secret; the Nodes stay (KR-19)", async () => {
    await using w = await world();
    await connect(w);
    await w.deleteSecret("c1");
    await stateOf(w, "unknown");
    expect(await w.nodes()).toEqual(["n1"]);
    expect(() => w.connections.of("default/c1", "x")).toThrow("waiting");
  });

  it("forget what an earlier relay left of a Cluster that went while none ran", async () => {
    await using w = await world();
    const left = { metadata: { ...node("n1", "5").metadata }, apiVersion: "v1", kind: "Node" };
    await w.store.put(nodesOf("default/c1"), [left]);
    w.connections.clusterChanged({ kind: ClusterKind, cluster: MANAGEMENT, before: cluster("c1") });
    await eventually(async () => (await w.nodes()).length === 0, within);
  });

  it("end with their Cluster, and start again for another of the same name", async () => {
    await using w = await world();
    await connect(w);
    w.connections.clusterChanged({ kind: ClusterKind, cluster: MANAGEMENT, before: cluster("c1") });
    await eventually(async () => (await w.status()) === undefined && (await w.nodes()).length === 0, within);
    w.workload.lists.push(listing([node("n1", "5")], "20"));
    w.connections.clusterChanged({
      kind: ClusterKind,
      cluster: MANAGEMENT,
      after: cluster("c1", { uid: "another" }),
    });
    await stateOf(w, "connected");
    expect(await w.nodes()).toEqual(["n1"]);
  });

  it("share a watch by label where many Clusters share a namespace, and never list all Secrets (S-02)", async () => {
    await using w = await world();
    const names = Array.from({ length: 12 }, (_none, at) => `c${at}`);
    const labels = (name: string) => ({ "cluster.x-k8s.io/cluster-name": name });
    // The last one has no label: it is found by name.
    for (const name of names)
      await w.writeSecret(name, kubeconfigFor(w.workload.url), name === "c11" ? {} : labels(name));
    for (const name of names) appear(w, name);
    for (const name of names.slice(0, 11)) await stateOf(w, "connected", name);
    await w.clock.advance(30 * SECOND);
    await stateOf(w, "connected", "c11");
    expect(w.relayRequests().filter(({ name, verb }) => verb !== "get" && name === undefined)).toHaveLength(
      9,
    );
  });
});

describe("clients of a worker without a relay", () => {
  const publish = (w: World, state: string, resourceVersion: string) =>
    w.store.put(connectionType, [
      {
        apiVersion: "capstan.dev/v1",
        kind: "Connection",
        metadata: { namespace: "default", name: "c1", uid: "u", resourceVersion },
        status: { state, nodesComplete: true, failures: 0 },
      } as KubeObject,
    ]);

  it("wait while the read model says that the Cluster is not connected", async () => {
    await using w = await world();
    await using clients = createClients({
      management: w.management,
      store: w.store,
      clock: w.clock,
      log: silentLog,
    });
    await expect(clients.of("default/c1", "x").list(Node, {})).rejects.toMatchObject({
      name: "WaitingError",
    });
    await publish(w, "unreachable", "1");
    await expect(clients.of("default/c1", "x").list(Node, {})).rejects.toMatchObject({
      name: "WaitingError",
    });
    await publish(w, "connected", "2");
    await expect(clients.of("default/c1", "x").list(Node, {})).rejects.toMatchObject({
      name: "WaitingError",
    });
  });

  it("read the Secret once, and again after a 401 or a change of the Connection", async () => {
    await using w = await world();
    await using clients = createClients({
      management: w.management,
      store: w.store,
      clock: w.clock,
      log: silentLog,
    });
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "first"));
    await publish(w, "connected", "1");
    const client = clients.of("default/c1", "x");
    await Promise.all([client.list(Node, {}), client.list(Node, {})]);
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "second"));
    w.workload.lists.push(failing(401, "Unauthorized"));
    await client.list(Node, {});
    await publish(w, "connected", "2");
    w.workload.others.push(json(200, node("n1", "5")));
    expect(await client.get(Node, { namespace: "", name: "n1" })).toMatchObject({ kind: "Node" });
    const tokens = w.workload.requests.map(({ headers }) => headers["authorization"]);
    expect(tokens).toEqual([
      "Bearer first",
      "Bearer first",
      "Bearer first",
      "Bearer second",
      "Bearer second",
    ]);
    expect(clients.of(MANAGEMENT, "x")).toBe(w.management.as("x"));
  });

  it("drop the credentials of a Secret within 10 s after it changed or went, used or not (S-13)", async () => {
    const { connect: connecting, tokens } = tokensInUse();
    await using w = await world();
    const { management, store, clock } = w;
    await using clients = createClients({ management, store, clock, log: silentLog, connect: connecting });
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "first"));
    appear(w);
    await stateOf(w, "connected");
    await clients.of("default/c1", "x").list(Node, {});
    expect([...tokens]).toEqual(["first"]);
    const before = (await w.status())?.secretVersion;
    await w.writeSecret("c1", kubeconfigFor(w.workload.url, "second"));
    await eventually(async () => (await w.status())?.secretVersion !== before, within);
    await clock.advance(10 * SECOND);
    await eventually(() => [...tokens].join() === "second", within);
    await w.deleteSecret("c1");
    await stateOf(w, "unknown");
    await clock.advance(10 * SECOND);
    await eventually(() => tokens.size === 0, within);
  });

  it("stream a watch of a workload server", async () => {
    await using w = await world();
    await using clients = createClients({
      management: w.management,
      store: w.store,
      clock: w.clock,
      log: silentLog,
    });
    await w.writeSecret("c1", kubeconfigFor(w.workload.url));
    await publish(w, "connected", "1");
    w.workload.watches.push(holding(event("ADDED", node("n1", "5"))));
    const watch = clients
      .of("default/c1", "x")
      .watch(Node as Kind, { resourceVersion: "1", timeoutSeconds: 300 }, new AbortController().signal);
    for await (const { object } of watch) {
      expect(object.metadata.name).toBe("n1");
      break;
    }
  });
});

describe("the ends of connections", () => {
  it("come before the next beginning of the same name, and hold up no other", async () => {
    const endings = createEndings();
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    endings.end("c1", () => first.promise);
    endings.start("c1", () => steps.push("c1"));
    endings.start("c2", () => steps.push("c2"));
    expect(steps).toEqual(["c2"]);
    first.resolve();
    await endings.settled();
    expect(steps).toEqual(["c2", "c1"]);
    endings.start("c1", () => steps.push("c1 again"));
    expect(steps).toEqual(["c2", "c1", "c1 again"]);
  });

  it("let the last of several waiting beginnings happen, once", async () => {
    const endings = createEndings();
    const steps: string[] = [];
    endings.end("c1", async () => undefined);
    endings.start("c1", () => steps.push("first"));
    endings.start("c1", () => steps.push("second"));
    await endings.settled();
    expect(steps).toEqual(["second"]);
  });

  it("drop a beginning that waits when the name ends again, and come one after the other", async () => {
    const endings = createEndings();
    const steps: string[] = [];
    const first = Promise.withResolvers<void>();
    endings.end("c1", () => first.promise.then(() => void steps.push("first end")));
    endings.start("c1", () => steps.push("begun"));
    endings.end("c1", async () => void steps.push("second end"));
    first.resolve();
    await endings.settled();
    expect(steps).toEqual(["first end", "second end"]);
  });
});
