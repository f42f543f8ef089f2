import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import { installCrds } from "../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../infra/platform/clock.ts";
import { createServer, type Server } from "../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../infra/platform/kube/kubeconfig.ts";
import { type Connect, createTransport } from "../../../infra/platform/kube/transport.ts";
import { startApiServer } from "../../../infra/playground/apiserver/entry.ts";
import { createMemoryStore } from "../../../infra/queue/backends/embedded/store.ts";
import { type Relay, type RelayOptions, startRelay } from "../../../infra/relay/relay.ts";
import { startSigning } from "../../../infra/relay/start-signing.ts";
import { CustomResourceDefinition, Namespace } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import {
  type AnyFunction,
  defineFunction,
  watch,
  watchContract,
} from "../../../shared/function/define-function.ts";
import { itself, referencing, referencingKind } from "../../../shared/function/mappings.ts";
import type { KubeClient, Store } from "../../../shared/runtime/ports.ts";
import { type Queue, type QueueEntry, RESTORED } from "../../../shared/runtime/queue/queue-port.ts";
import { readFreshness, SIGN_EVERY_MS } from "../../../shared/runtime/read/signs.ts";
import { virtualClock } from "../../support/clock.ts";
import { eventually } from "../../support/eventually.ts";
import { FOO_CLUSTER, FOO_PROVIDER } from "../../support/foo-provider.ts";
import { silentLog } from "../../support/silent-log.ts";

const within = { withinMs: 15_000 };
const contract = {
  contract: "InfrastructureMachinePool",
  referencedBy: [{ kind: MachinePool as Kind, path: "spec.template.spec.infrastructureRef" }],
};
const never = async () => {
  throw new Error("not run here");
};
const pools = defineFunction(
  {
    name: "machinepool-test",
    summary: "s",
    source: "own",
    reconciles: MachinePool,
    watches: [
      watch(MachinePool, ["spec.replicas"], itself),
      watchContract(contract, ["status.ready"], referencing),
      watch(CustomResourceDefinition, ["status.watched"], referencingKind),
    ],
    owns: [],
    contested: ["spec.replicas"],
  },
  never,
);
/** Of a kind whose CRD is not installed yet. */
const Late: Kind = {
  group: "late.example",
  version: "v1",
  kind: "Late",
  plural: "lates",
  namespaced: true,
  crd: { status: false },
};
const lates = defineFunction(
  {
    name: "late-test",
    summary: "s",
    source: "own",
    reconciles: Late,
    watches: [watch(Late, ["metadata.uid"], itself)],
    owns: [],
  },
  never,
);

const [fooCrds, fooObjects] = [FOO_PROVIDER, FOO_CLUSTER].map((text) => loadAll(text) as KubeObject[]) as [
  KubeObject[],
  KubeObject[],
];
const named = (objects: readonly KubeObject[], kind: string) => {
  const found = objects.find(
    (object) => object.kind === kind || Reflect.get(object, "spec")?.names?.kind === kind,
  );
  if (found === undefined) throw new Error(`no ${kind}`);
  return found;
};
const FooMachinePool: Kind = {
  group: "infrastructure.foo.example.com",
  version: "v1",
  kind: "FooMachinePool",
  plural: "foomachinepools",
  namespaced: true,
};
const typeOf = ({ group, kind }: Pick<Kind, "group" | "kind">) => ({ cluster: MANAGEMENT, group, kind });

interface World extends AsyncDisposable {
  readonly client: KubeClient;
  readonly store: Store;
  /** `<function> <kind> <name> (<cause>)` of every entry so far. */
  readonly woken: string[];
  create(kind: Kind, object: KubeObject): Promise<KubeObject>;
  start(functions: readonly AnyFunction[], options?: Partial<RelayOptions>): Promise<Relay>;
  readonly ledger: { epoch: string };
  /** The management server through a line that can be cut. */
  readonly relayServer: Server;
  readonly line: { isCut: boolean };
  /** The last write never happened. */
  /** As it was so many writes ago. */
  restore(writes?: number): Promise<void>;
  compact(): void;
}

async function world(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const server = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
  const client = server.as("test");
  const line: World["line"] = { isCut: false };
  const connect: Connect = (access) => {
    const { send, open, ...rest } = createTransport(access);
    const assertLine = () => {
      if (line.isCut) throw new Error("connect ECONNREFUSED");
    };
    return {
      ...rest,
      async send(...call) {
        assertLine();
        return send(...call);
      },
      async open(...call) {
        assertLine();
        return open(...call);
      },
    };
  };
  const relayServer = stack.use(
    createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock, connect }),
  );
  await installCrds(client, systemClock);
  const store = stack.use(createMemoryStore());
  const woken: string[] = [];
  const ledger = { epoch: "1" };
  const queue = {
    enqueue: async (functionName: string, entries: readonly QueueEntry[]) => {
      for (const { key, cause } of entries) {
        const [, kind, name] = key.split("|");
        woken.push(`${functionName} ${kind} ${name} (${cause?.what})`);
      }
    },
    epoch: async () => ledger.epoch,
    dead: async () => [],
  } as unknown as Queue;
  return {
    client,
    store,
    woken,
    ledger,
    relayServer,
    line,
    restore: (undo = 1) => embedded.restart({ undo }),
    create: (kind, object) =>
      client.create(kind, object as KubeObject & { metadata: { namespace?: string } }),
    start: async (functions, options = {}) =>
      stack.use(
        await startRelay({
          functions,
          server,
          store,
          queue,
          clock: systemClock,
          log: silentLog,
          random: () => 0,
          ...options,
        }),
      ),
    compact: () => embedded.compact(),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

const crd = CustomResourceDefinition as Kind;
const lateCrd = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "lates.late.example" },
  spec: {
    group: "late.example",
    scope: "Namespaced",
    names: { kind: "Late", plural: "lates", singular: "late", listKind: "LateList" },
    versions: [{ name: "v1", served: true, storage: true, schema: { openAPIV3Schema: { type: "object" } } }],
  },
} as unknown as KubeObject;

/** Raises the versions of a server that was restarted, which has broken the connections of the test, too. */
async function writeNamespaces(client: KubeClient, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    const body = { apiVersion: "v1", kind: "Namespace", metadata: { name } };
    const written = () => client.apply(Namespace as Kind, { namespace: "", name }, body).catch(() => false);
    await eventually(async () => (await written()) !== false, within);
  }
}

describe("relay", () => {
  it("is ready when every kind of its functions is listed, and has then enqueued what is stored (KR-22)", async () => {
    await using w = await world();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const relay = await w.start([pools]);
    await relay.ready();
    expect(await w.store.progress(typeOf(MachinePool))).toMatchObject({ ready: true });
    expect(w.woken).toContain("machinepool-test MachinePool default/foo-pool (resync)");
    expect(relay.status()).toMatchObject({ ready: true });
    expect(relay.status().loops.map(({ name, state }) => `${name} ${state}`)).toEqual([
      "management customresourcedefinitions.apiextensions.k8s.io streaming",
      "management machinepools.cluster.x-k8s.io streaming",
    ]);
  });

  it("gives signs of life for quiet watches, and none while their server is away or once it has ended", async () => {
    await using w = await world();
    const relay = await w.start([pools], { server: w.relayServer });
    await relay.ready();
    const clock = virtualClock();
    await using signing = startSigning({ relay, store: w.store, clock });
    const isCurrent = async () => {
      await clock.advance(SIGN_EVERY_MS);
      const { silenceOf } = await readFreshness(w.store, clock.now());
      return silenceOf(typeOf(MachinePool)) === undefined;
    };
    const silent = async () =>
      expect((await readFreshness(w.store, clock.now())).silences).toMatchObject([
        { message: expect.stringMatching(/^relay away since .*; start a relay$/) },
      ]);
    for (let second = 0; second < 120; second += 2) expect(await isCurrent()).toBe(true);
    w.line.isCut = true;
    await w.restore(0);
    await eventually(() => expect(relay.followed()).toEqual([]), within);
    await clock.advance(60_000);
    await silent();
    w.line.isCut = false;
    await eventually(async () => expect(await isCurrent()).toBe(true), within);
    await signing[Symbol.asyncDispose]();
    await clock.advance(60_000);
    await silent();
  });

  it("wakes for changes of watched fields, and knows who holds contested ones (KR-01)", async () => {
    await using w = await world();
    const relay = await w.start([pools]);
    await relay.ready();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const key = { namespace: "default", name: "foo-pool" };
    await eventually(() => w.woken.length === 1, within);
    const patch = (path: string, value: unknown) =>
      w.client.jsonPatch(MachinePool as Kind, key, [{ op: "add", path, value }]);
    await patch("/metadata/labels", { a: "b" });
    await patch("/spec/replicas", 5);
    await eventually(() => w.woken.length === 2, within);
    expect(new Set(w.woken)).toEqual(
      new Set(["machinepool-test MachinePool default/foo-pool (MachinePool default/foo-pool)"]),
    );
    const snapshot = await w.store.get(typeOf(MachinePool), key);
    expect(snapshot?.metadata.managers).toEqual({ "spec.replicas": ["capstan-test"] });
    expect(JSON.stringify(snapshot)).not.toContain("managedFields");
  });

  it("watches provider kinds once they are referenced and their CRD exists, and says so in the CRD", async () => {
    await using w = await world();
    const relay = await w.start([pools]);
    await relay.ready();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    await w.create(crd, named(fooCrds, "FooMachinePool"));
    const definition = { namespace: "", name: "foomachinepools.infrastructure.foo.example.com" };
    await eventually(async () => {
      const stored = (await w.store.get(typeOf(crd), definition)) as CustomResourceDefinition | undefined;
      return stored?.status?.watched === true;
    }, within);
    const cause = `(CustomResourceDefinition ${definition.name})`;
    await eventually(() => w.woken.filter((line) => line.endsWith(cause)).length === 2, within);
    expect(await w.store.progress(typeOf(FooMachinePool))).toMatchObject({ ready: true });
    w.woken.length = 0;
    await w.create(FooMachinePool, named(fooObjects, "FooMachinePool"));
    const line = "machinepool-test MachinePool default/foo-pool (FooMachinePool default/foo-pool)";
    await eventually(() => w.woken.includes(line), within);
    expect(relay.status().loops.some(({ name }) => name.includes("fooconfigs"))).toBe(false);
  });

  it("watches a kind of infrastructure machines as soon as a pool's provider names it", async () => {
    await using w = await world();
    for (const kind of ["FooMachinePool", "FooConfig"]) await w.create(crd, named(fooCrds, kind));
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const announced = { ...contract, announcedBy: { kind: contract, paths: ["spec.size"] } };
    const machines = defineFunction(
      {
        name: "machinepool-machines-test",
        summary: "s",
        source: "own",
        reconciles: MachinePool,
        watches: [watchContract(announced, ["spec.size"], referencing)],
        owns: [],
      },
      never,
    );
    const relay = await w.start([machines]);
    await relay.ready();
    const watched = () => relay.status().loops.some(({ name }) => name.includes("fooconfigs"));
    expect(watched()).toBe(false);
    const pool = { ...named(fooObjects, "FooMachinePool"), spec: { size: "FooConfig" } };
    const id = { group: FooMachinePool.group, kind: "FooConfig" };
    const definition = { ...named(fooCrds, "FooConfig") } as CustomResourceDefinition;
    await w.create(crd, {
      ...definition,
      metadata: { ...definition.metadata, name: `fooconfigs.${id.group}` },
      spec: { ...definition.spec, group: id.group },
    } as CustomResourceDefinition);
    await w.create(FooMachinePool, pool);
    await eventually(watched, within);
  });

  it("forgets a provider kind with its CRD and takes it up again", async () => {
    await using w = await world();
    await w.create(crd, named(fooCrds, "FooMachinePool"));
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    await w.create(FooMachinePool, named(fooObjects, "FooMachinePool"));
    const relay = await w.start([pools]);
    await relay.ready();
    const stored = async () => (await w.store.list(typeOf(FooMachinePool), {})).length;
    expect(await stored()).toBe(1);
    const key = { namespace: "", name: "foomachinepools.infrastructure.foo.example.com" };
    const definition = await w.client.get(crd, key);
    await w.client.delete(crd, key, { uid: definition?.metadata.uid ?? "" });
    await eventually(async () => (await stored()) === 0, within);
    await eventually(async () => !(await w.store.progress(typeOf(FooMachinePool))).ready, within);
    await eventually(async () => (await w.store.get(typeOf(crd), key)) === undefined, within);
    await w.create(crd, named(fooCrds, "FooMachinePool"));
    await w.create(FooMachinePool, named(fooObjects, "FooMachinePool"));
    await eventually(async () => (await stored()) === 1, within);
  });

  it("takes up a kind of its own whose CRD comes late, and believes in its absence meanwhile", async () => {
    await using w = await world();
    const relay = await w.start([pools, lates]);
    await relay.ready();
    expect(await w.store.progress(typeOf(Late))).toMatchObject({ ready: true });
    await w.create(crd, lateCrd);
    const late = {
      apiVersion: "late.example/v1",
      kind: "Late",
      metadata: { namespace: "default", name: "l1" },
    };
    await eventually(() => w.create(Late, late), within);
    await eventually(() => w.woken.some((line) => line.startsWith("late-test Late default/l1")), within);
  });

  it("notices deletions that happened while the watch could not continue (KR-09, KR-13)", async () => {
    await using w = await world();
    const created = await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const first = await w.start([pools]);
    await first.ready();
    await first[Symbol.asyncDispose]();
    expect(await w.store.list(typeOf(MachinePool), {})).toHaveLength(1);
    await w.client.delete(
      MachinePool as Kind,
      { namespace: "default", name: "foo-pool" },
      { uid: created.metadata.uid ?? "" },
    );
    w.compact();
    const second = await w.start([pools]);
    await second.ready();
    await eventually(async () => (await w.store.list(typeOf(MachinePool), {})).length === 0, within);
  });

  it("resumes after a restart where the one before ended: nothing listed, no function notified (KR-14, KR-17)", async () => {
    await using w = await world();
    const pool = named(fooObjects, "MachinePool");
    await w.create(MachinePool as Kind, pool);
    // By the one that is as it was, the server is recognised.
    await w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, name: "other" } });
    const first = await w.start([pools]);
    await first.ready();
    await first[Symbol.asyncDispose]();
    const key = { namespace: "default", name: "foo-pool" };
    await w.client.jsonPatch(MachinePool as Kind, key, [
      { op: "add", path: "/metadata/labels", value: { a: "b" } },
    ]);
    w.woken.length = 0;
    const second = await w.start([pools]);
    await second.ready();
    const seen = async () => (await w.store.get(typeOf(MachinePool), key))?.metadata.labels?.["a"] === "b";
    await eventually(seen, within);
    expect(w.woken).toEqual([]);
    const loop = second.status().loops.find(({ name }) => name.includes("machinepools"));
    expect(loop).toMatchObject({ state: "streaming", lists: 0 });
    await w.client.jsonPatch(MachinePool as Kind, key, [{ op: "add", path: "/spec/replicas", value: 7 }]);
    await eventually(() => w.woken.length === 1, within);
  });

  it("notifies after a restart of changes made meanwhile, and resyncs no other function (KR-14)", async () => {
    await using w = await world();
    const pool = named(fooObjects, "MachinePool");
    const created = await w.create(MachinePool as Kind, pool);
    await w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, name: "other" } });
    const first = await w.start([pools]);
    await first.ready();
    await first[Symbol.asyncDispose]();
    const key = { namespace: "default", name: "foo-pool" };
    await w.client.jsonPatch(MachinePool as Kind, key, [{ op: "add", path: "/spec/replicas", value: 7 }]);
    w.woken.length = 0;
    const second = await w.start([pools]);
    await eventually(() => w.woken.length > 0, within);
    expect(w.woken).toEqual(["machinepool-test MachinePool default/foo-pool (MachinePool default/foo-pool)"]);
    await second[Symbol.asyncDispose]();
    await w.client.delete(MachinePool as Kind, key, { uid: created.metadata.uid ?? "" });
    await (await w.start([pools])).ready();
    await eventually(async () => (await w.store.list(typeOf(MachinePool), {})).length === 1, within);
  });

  it("resyncs a function of another build, one that is new, and all when the queue is a new one (Q-15)", async () => {
    await using w = await world();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const run = async (functions: readonly AnyFunction[]) => {
      w.woken.length = 0;
      const relay = await w.start(functions);
      await relay.ready();
      await relay[Symbol.asyncDispose]();
      return w.woken.map((line) => line.split(" ")[0]);
    };
    const renamed = { ...pools, spec: { ...pools.spec, name: "machinepool-new" } };
    const changed = { ...pools, spec: { ...pools.spec, owns: ["status.phase"] } };
    expect(await run([pools])).toEqual(["machinepool-test"]);
    expect(await run([pools])).toEqual([]);
    expect(await run([pools, renamed])).toEqual(["machinepool-new"]);
    expect(await run([changed, renamed])).toEqual(["machinepool-test"]);
    w.ledger.epoch = "2";
    expect(await run([changed, renamed])).toEqual(["machinepool-test", "machinepool-new"]);
  });

  it("starts over with a server that was restored during an outage and is at higher versions again (KR-12)", async () => {
    await using w = await world();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    let shiftMs = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + shiftMs) };
    const relay = await w.start([pools], { clock, server: w.relayServer });
    await relay.ready();
    const key = { namespace: "default", name: "foo-pool" };
    const replicas = async () =>
      Reflect.get((await w.store.get(typeOf(MachinePool), key)) ?? {}, "spec")?.replicas;
    const before = await replicas();
    await w.client.jsonPatch(MachinePool as Kind, key, [{ op: "add", path: "/spec/replicas", value: 9 }]);
    await eventually(async () => (await replicas()) === 9, within);
    w.woken.length = 0;
    w.line.isCut = true;
    await w.restore();
    await writeNamespaces(w.client, "x", "y");
    shiftMs = 10_000;
    w.line.isCut = false;
    await eventually(async () => (await replicas()) === before, within);
    const resynced = `machinepool-test MachinePool default/foo-pool (${RESTORED})`;
    await eventually(() => w.woken.includes(resynced), within);
  });

  it("lets no function read the other kinds of a restored server until they are listed again (KR-12)", async () => {
    await using w = await world();
    await w.create(CustomResourceDefinition as Kind, named(fooCrds, "FooMachinePool"));
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    let shiftMs = 0;
    const clock = { ...systemClock, now: () => new Date(Date.now() + shiftMs) };
    const reported: string[] = [];
    const advance: Store["advance"] = (type, progress) => {
      if (progress.ready !== undefined) reported.push(`${type.kind} ${progress.ready}`);
      return w.store.advance(type, progress);
    };
    const store = { ...w.store, advance };
    const relay = await w.start([pools], { clock, store, server: w.relayServer });
    await relay.ready();
    const key = { namespace: "default", name: "foo-pool" };
    await w.client.jsonPatch(MachinePool as Kind, key, [{ op: "add", path: "/spec/replicas", value: 9 }]);
    const replicas = async () =>
      Reflect.get((await w.store.get(typeOf(MachinePool), key)) ?? {}, "spec")?.replicas;
    await eventually(async () => (await replicas()) === 9, within);
    await eventually(() => reported.includes("FooMachinePool true"), within);
    reported.length = 0;
    w.line.isCut = true;
    await w.restore();
    await writeNamespaces(w.client, "x", "y");
    shiftMs = 10_000;
    w.line.isCut = false;
    await eventually(() => reported.includes("MachinePool true"), within);
    const distrustedAt = reported.indexOf("FooMachinePool false");
    expect(distrustedAt).toBeGreaterThanOrEqual(0);
    expect(distrustedAt).toBeLessThan(reported.indexOf("MachinePool true"));
    await eventually(() => reported.lastIndexOf("FooMachinePool true") > distrustedAt, within);
  });

  it("starts over with a restored server though its newest object has changed since (KR-12)", async () => {
    await using w = await world();
    const pool = named(fooObjects, "MachinePool");
    await w.create(MachinePool as Kind, pool);
    await w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, name: "newest" } });
    const first = await w.start([pools]);
    await first.ready();
    const keyOf = (name: string) => ({ namespace: "default", name });
    const replicas = async (name: string) =>
      Reflect.get((await w.store.get(typeOf(MachinePool), keyOf(name))) ?? {}, "spec")?.replicas;
    const scale = (name: string, value: number) =>
      w.client.jsonPatch(MachinePool as Kind, keyOf(name), [{ op: "add", path: "/spec/replicas", value }]);
    const before = await replicas("foo-pool");
    await scale("foo-pool", 9);
    await scale("newest", 8);
    await eventually(async () => (await replicas("newest")) === 8, within);
    await first[Symbol.asyncDispose]();
    await w.restore(2);
    await writeNamespaces(w.client, "x", "y");
    await scale("newest", 7);
    w.woken.length = 0;
    await (await w.start([pools])).ready();
    await eventually(async () => (await replicas("foo-pool")) === before, within);
    expect(await replicas("newest")).toBe(7);
    const resynced = `machinepool-test MachinePool default/foo-pool (${RESTORED})`;
    await eventually(() => w.woken.includes(resynced), within);
  });

  it("watches a single namespace on request (--namespace)", async () => {
    await using w = await world();
    const pool = named(fooObjects, "MachinePool");
    await w.create(Namespace, {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "other" },
    });
    await w.create(MachinePool as Kind, pool);
    await w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, namespace: "other" } });
    const relay = await w.start([pools], { namespaces: ["other"] });
    await relay.ready();
    expect((await w.store.list(typeOf(MachinePool), {})).map(({ metadata }) => metadata.namespace)).toEqual([
      "other",
    ]);
    await relay[Symbol.asyncDispose]();
    // Another namespace is another scope: the stored objects are replaced, and the watch does not resume.
    await (await w.start([pools], { namespaces: ["default"] })).ready();
    expect((await w.store.list(typeOf(MachinePool), {})).map(({ metadata }) => metadata.namespace)).toEqual([
      "default",
    ]);
  });

  it("keeps the objects of several namespaces, from lists and from events (--namespace, repeated)", async () => {
    await using w = await world();
    const pool = named(fooObjects, "MachinePool");
    const make = (namespace: string, name: string) =>
      w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, namespace, name } });
    for (const name of ["team-a", "team-b"])
      await w.create(Namespace, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
    for (const namespace of ["default", "team-a", "team-b"]) await make(namespace, "early");
    const names = async () => {
      const stored = await w.store.list(typeOf(MachinePool), {});
      return stored.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`);
    };
    const relay = await w.start([pools], { namespaces: ["team-b", "default"] });
    await relay.ready();
    expect(await names()).toEqual(["default/early", "team-b/early"]);
    for (const namespace of ["team-a", "team-b"]) await make(namespace, "late");
    await eventually(async () => (await names()).length === 3, within);
    expect(await names()).toEqual(["default/early", "team-b/early", "team-b/late"]);
    expect(w.woken.filter((woken) => woken.includes("team-a"))).toEqual([]);
    await relay[Symbol.asyncDispose]();
    // Other namespaces are another scope, although both are one watch of all.
    await (await w.start([pools], { namespaces: ["team-a", "team-b"] })).ready();
    expect(await names()).toEqual(["team-a/early", "team-a/late", "team-b/early", "team-b/late"]);
  });

  it("reconciles only objects with the label of its watch filter, and those that get it (--watch-filter)", async () => {
    await using w = await world();
    const pool = named(fooObjects, "MachinePool");
    const labels = { "cluster.x-k8s.io/watch-filter": "mine" };
    await w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, name: "mine", labels } });
    await w.create(MachinePool as Kind, { ...pool, metadata: { ...pool.metadata, name: "foreign" } });
    const relay = await w.start([pools], { watchFilter: "mine" });
    await relay.ready();
    expect(w.woken).toEqual(["machinepool-test MachinePool default/mine (resync)"]);
    expect(await w.store.list(typeOf(MachinePool), {})).toHaveLength(2);
    const key = { namespace: "default", name: "foreign" };
    const isElsewhere = async () => (await w.store.get(typeOf(MachinePool), key))?.metadata.isElsewhere;
    expect(await isElsewhere(), "no run of a timer works on it").toBe(true);
    const patch = (path: string, value: unknown) =>
      w.client.jsonPatch(MachinePool as Kind, key, [{ op: "add", path, value }]);
    await patch("/spec/replicas", 5);
    await patch("/metadata/labels", labels);
    await eventually(() => w.woken.length === 2, within);
    expect(w.woken[1]).toBe("machinepool-test MachinePool default/foreign (MachinePool default/foreign)");
    expect(await isElsewhere()).toBeUndefined();
  });

  it("watches no provider kind that its functions do not look at (--functions)", async () => {
    await using w = await world();
    for (const object of fooCrds) await w.create(crd, object);
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const relay = await w.start([pools]);
    await relay.ready();
    const watched = () => relay.status().loops.map(({ name }) => name.split(" ")[1]?.split(".")[0]);
    await eventually(() => watched().includes("foomachinepools"), within);
    // The bootstrap object is referenced, too.
    expect(watched()).toEqual(["customresourcedefinitions", "machinepools", "foomachinepools"]);
  });

  it("lists again when the store has lost everything, and notifies every function once all is there", async () => {
    await using w = await world();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const relay = await w.start([pools, lates]);
    await relay.ready();
    w.woken.length = 0;
    for (const type of [MachinePool, Late, crd]) await w.store.drop(typeOf(type));
    const line = "machinepool-test MachinePool default/foo-pool (resync)";
    await eventually(() => w.woken.includes(line), within);
    for (const type of [MachinePool, Late, crd]) {
      await eventually(async () => (await w.store.progress(typeOf(type))).ready, within);
    }
    expect(await w.store.list(typeOf(MachinePool), {})).toHaveLength(1);
    expect(w.woken).toEqual([line]);
    expect(relay.status().ready).toBe(true);
  });

  it("enqueues every key again, and lists nothing, when the queue alone has lost its data (Q-15)", async () => {
    await using w = await world();
    await w.create(MachinePool as Kind, named(fooObjects, "MachinePool"));
    const relay = await w.start([pools], { lossCheckMs: 250 });
    await relay.ready();
    const lists = () => relay.status().loops.map((loop) => loop.lists);
    const before = lists();
    w.woken.length = 0;
    w.ledger.epoch = "2";
    await eventually(() => w.woken.length > 0, within);
    expect(w.woken).toEqual(["machinepool-test MachinePool default/foo-pool (resync)"]);
    expect(lists()).toEqual(before);
  });

  it("says once more that a kind is not served when the store has lost that alone", async () => {
    await using w = await world();
    const relay = await w.start([pools, lates]);
    await relay.ready();
    await w.store.drop(typeOf(Late));
    await eventually(async () => (await w.store.progress(typeOf(Late))).ready, within);
  });

  it("has no clients for workload servers when no function looks at one", async () => {
    await using w = await world();
    const relay = await w.start([pools]);
    expect(() => relay.clients.of("default/c1", "x")).toThrow("waiting for Connection default/c1");
    expect(relay.clients.of(MANAGEMENT, "test")).toBe(w.client);
    await relay.ready();
  });
});
