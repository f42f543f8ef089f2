import { describe, expect, it } from "vitest";
import { parseAllDocuments } from "yaml";
import { startApiServer } from "../../../infra/apiserver/server.ts";
import { installCrds } from "../../../infra/cli/install-crds.ts";
import { systemClock } from "../../../infra/clock.ts";
import { createServer } from "../../../infra/kube/client.ts";
import { parseKubeconfig } from "../../../infra/kube/kubeconfig.ts";
import { type Relay, startRelay } from "../../../infra/relay/relay.ts";
import { createMemoryStore } from "../../../infra/store/memory.ts";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import {
  type AnyFunction,
  defineFunction,
  watch,
  watchContract,
} from "../../../shared/runtime/define-function.ts";
import { itself, referencing, referencingKind } from "../../../shared/runtime/mappings.ts";
import type { KubeClient, Store } from "../../../shared/runtime/ports.ts";
import type { Queue, QueueEntry } from "../../../shared/runtime/queue-port.ts";
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
/** Of a kind whose CRD nobody has installed yet. */
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

const [fooCrds, fooObjects] = [FOO_PROVIDER, FOO_CLUSTER].map((text) =>
  parseAllDocuments(text).map((document) => document.toJS() as KubeObject),
) as [KubeObject[], KubeObject[]];
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
  start(functions: readonly AnyFunction[]): Promise<Relay>;
  compact(): void;
}

async function world(): Promise<World> {
  const stack = new AsyncDisposableStack();
  const embedded = await startApiServer({ name: "test" });
  stack.defer(() => embedded.stop());
  const server = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
  const client = server.as("test");
  await installCrds(client, systemClock);
  const store = stack.use(createMemoryStore());
  const woken: string[] = [];
  const queue = {
    enqueue: async (functionName: string, entries: readonly QueueEntry[]) => {
      for (const { key, cause } of entries) {
        const [, kind, name] = key.split("|");
        woken.push(`${functionName} ${kind} ${name} (${cause?.what})`);
      }
    },
    epoch: async () => "1",
    dead: async () => [],
  } as unknown as Queue;
  return {
    client,
    store,
    woken,
    create: (kind, object) =>
      client.create(kind, object as KubeObject & { metadata: { namespace?: string } }),
    start: async (functions) =>
      stack.use(
        await startRelay({
          functions,
          server,
          store,
          queue,
          clock: systemClock,
          log: silentLog,
          random: () => 0,
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

  it("notices deletions that happened while the watch could not go on (KR-09, KR-13)", async () => {
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
    expect(await w.store.list(typeOf(MachinePool), {})).toEqual([]);
  });

  it("lists again and wakes everybody when the store has lost everything (X-36, F-10)", async () => {
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
  });

  it("has no clients for workload servers when no function looks at one", async () => {
    await using w = await world();
    const relay = await w.start([pools]);
    expect(() => relay.clients.of("default/c1", "x")).toThrow("waiting for Connection default/c1");
    expect(relay.clients.of(MANAGEMENT, "test")).toBe(w.client);
    await relay.ready();
  });
});
