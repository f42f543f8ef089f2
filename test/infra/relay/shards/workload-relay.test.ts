import { describe, expect, it } from "vitest";
import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { Relay } from "../../../../infra/relay/relay.ts";
import { startWorkloadRelay } from "../../../../infra/relay/shards/workload-relay.ts";
import { CONNECTION_TYPE } from "../../../../infra/relay/workload/connection-record.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { type Connection, Node, Secret } from "../../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../shared/function/backoff.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { startNodeServer } from "../../../support/processes/node-server.ts";
import { silentLog } from "../../../support/silent-log.ts";

const within = { withinMs: 20_000, stepMs: 20 };
const CLUSTERS = Array.from({ length: 12 }, (_, index) => `c${index}`);
const lease = { namespace: "kube-system", name: "capstan-relay-shard" };
const keyOf = (name: string) => ({ namespace: "default", name });
const nodesOf = (name: string) => ({ cluster: `default/${name}`, group: "", kind: "Node" });

async function world() {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const workloads = stack.use(await startNodeServer());
  const server = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
  const client = server.as("test");
  await installCrds(client, systemClock);
  const clock = virtualClock();
  const store = stack.use(createMemoryStore());
  const queue = { enqueue: async () => undefined } as unknown as Queue;
  const shared = {
    functions: [],
    store,
    queue,
    log: silentLog,
    random: () => 0,
    kubeconfigSecrets: "get" as const,
  };
  return {
    clock,
    client,
    store,
    workloads,
    async create(name: string) {
      const data = { value: Buffer.from(workloads.kubeconfigOf(name)).toString("base64") };
      const secret = { apiVersion: "v1", kind: "Secret", metadata: keyOf(`${name}-kubeconfig`), data };
      await client.create(Secret as Kind, secret as KubeObject);
      const spec = {
        controlPlaneEndpoint: { host: "127.0.0.1", port: 6443 },
        infrastructureRef: { apiGroup: "x.example.com", kind: "X", name },
      };
      const cluster = {
        apiVersion: "cluster.x-k8s.io/v1beta2",
        kind: "Cluster",
        metadata: keyOf(name),
        spec,
      };
      await client.create(Cluster as Kind, cluster as KubeObject);
    },
    async delete(name: string) {
      const found = await client.get(Cluster, keyOf(name));
      await client.delete(Cluster as Kind, keyOf(name), { uid: found?.metadata.uid ?? "" });
    },
    start(identity: string, skewMs = 0): Relay {
      const own = { now: () => new Date(clock.now().getTime() + skewMs), after: clock.after };
      return stack.use(startWorkloadRelay({ ...shared, server, clock: own, lease, identity }));
    },
    until: (check: () => unknown) =>
      eventually(async () => {
        await clock.advance(SECOND);
        return check();
      }, within),
    states: async () =>
      Object.fromEntries(
        (await store.list(CONNECTION_TYPE, {})).map((each) => [
          each.metadata.name,
          (each as Connection).status.state,
        ]),
      ),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}
type World = Awaited<ReturnType<typeof world>>;

const followed = (relay: Relay) =>
  relay
    .status()
    .connections.map(({ cluster }) => cluster.replace("default/", ""))
    .toSorted(compareText);
const all = (state: string, names = CLUSTERS) => Object.fromEntries(names.map((name) => [name, state]));
/** Every Cluster is watched once, by one of these relays. */
const sharedBy = (w: World, relays: readonly Relay[], names = CLUSTERS) =>
  w.until(async () => {
    expect(relays.flatMap(followed).toSorted(compareText)).toEqual(names.toSorted(compareText));
    expect(Object.fromEntries(w.workloads.watches())).toEqual(
      Object.fromEntries(names.map((name) => [name, 1])),
    );
    expect(await w.states()).toEqual(all("connected", names));
  });

describe("relays that share the workload clusters", () => {
  it("follow each Cluster once; when one ends, the other takes over its Clusters and no other connection changes", async () => {
    await using w = await world();
    for (const name of CLUSTERS) await w.create(name);
    const [first, second] = [w.start("first"), w.start("second")];
    await Promise.all([
      first.ready(),
      second.ready(),
      w.until(() => first.status().ready && second.status().ready),
    ]);
    await sharedBy(w, [first, second]);
    expect(followed(first).length).toBeGreaterThan(0);
    expect(first.status()).toMatchObject({
      ready: true,
      loops: [{ name: `${MANAGEMENT} clusters.cluster.x-k8s.io` }],
      share: { identity: "first", shards: ["capstan-relay-shard-0", "capstan-relay-shard-1"] },
    });
    const lists = w.workloads.lists.length;
    await first[Symbol.asyncDispose]();
    await sharedBy(w, [second]);
    // They resume from the Nodes that the first one has stored: a list of one recognises the server.
    expect(w.workloads.lists.length - lists).toBeLessThanOrEqual(CLUSTERS.length);
    w.workloads.join("c0", "new");
    await w.until(async () => (await w.store.list(nodesOf("c0"), {})).length === 2);
    expect(await second.clients.of("default/c0", "x").list(Node as Kind, {})).toMatchObject({
      items: [{}, {}],
    });
    expect(second.clients.of(MANAGEMENT, "x")).toBeDefined();
  });

  it("give a part of the Clusters to a relay that comes", async () => {
    await using w = await world();
    for (const name of CLUSTERS) await w.create(name);
    const first = w.start("first");
    await sharedBy(w, [first]);
    const second = w.start("second");
    await w.until(() => expect(followed(second)).not.toEqual([]));
    await sharedBy(w, [first, second]);
  });

  it("forget a Cluster that was deleted while its relay was gone, and one that is deleted now", async () => {
    await using w = await world();
    for (const name of CLUSTERS) await w.create(name);
    const first = w.start("first");
    await sharedBy(w, [first]);
    await first[Symbol.asyncDispose]();
    await w.delete("c3");
    const second = w.start("second");
    const left = CLUSTERS.filter((name) => name !== "c3");
    await sharedBy(w, [second], left);
    await w.until(async () => expect(await w.store.list(nodesOf("c3"), {})).toEqual([]));
    await w.delete("c4");
    await sharedBy(
      w,
      [second],
      left.filter((name) => name !== "c4"),
    );
    expect(await w.store.list(nodesOf("c4"), {})).toEqual([]);
  });

  it("publish above the Connections of a relay whose clock was ahead by an hour", async () => {
    await using w = await world();
    await w.create("c0");
    const ahead = w.start("ahead", 3_600 * SECOND);
    await sharedBy(w, [ahead], ["c0"]);
    await ahead[Symbol.asyncDispose]();
    const secret = await w.client.get(Secret, keyOf("c0-kubeconfig"));
    await w.client.delete(Secret as Kind, keyOf("c0-kubeconfig"), { uid: secret?.metadata.uid ?? "" });
    const next = w.start("next");
    await w.until(async () => expect(await w.states()).toEqual({ c0: "unknown" }));
    expect(followed(next)).toEqual(["c0"]);
  });

  it("do not wait for a workload server that hangs", async () => {
    await using w = await world();
    w.workloads.hang("c0");
    for (const name of CLUSTERS) await w.create(name);
    const relays = [w.start("first"), w.start("second")];
    await w.until(async () => expect(await w.states()).toMatchObject(all("connected", CLUSTERS.slice(1))));
    const [one] = relays.filter((relay) => !followed(relay).includes("c0"));
    await one?.[Symbol.asyncDispose]();
    await w.until(async () =>
      expect([...w.workloads.watches().keys()].toSorted(compareText)).toEqual(
        CLUSTERS.slice(1).toSorted(compareText),
      ),
    );
  });

  it("connect again when a Cluster of the same name takes the place of another", async () => {
    await using w = await world();
    await w.create("c0");
    const relays = [w.start("first"), w.start("second")];
    await sharedBy(w, relays, ["c0"]);
    const before = await w.client.get(Cluster, keyOf("c0"));
    const secret = await w.client.get(Secret, keyOf("c0-kubeconfig"));
    await w.delete("c0");
    await w.client.delete(Secret as Kind, keyOf("c0-kubeconfig"), { uid: secret?.metadata.uid ?? "" });
    await w.create("c0");
    const uid = (await w.client.get(Cluster, keyOf("c0")))?.metadata.uid;
    expect(uid).not.toBe(before?.metadata.uid);
    await sharedBy(w, relays, ["c0"]);
    expect((await w.store.get(CONNECTION_TYPE, keyOf("c0")))?.metadata.uid).toBe(uid);
  });
});
