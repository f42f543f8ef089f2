import type { Json, JsonObject, KubeObject } from "../../../infra/playground/apiserver/entry.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { sameJson } from "../../../shared/api/path.ts";
import { isManagedOutside } from "../../../shared/rules/providers/replicas-managed.ts";
import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import { type AnyOperation, type Fault, isFunctionWrite } from "./fault.ts";

const SECOND = 1_000;
const POOLS = "infrastructure.sim.capstan.dev/simmachinepools";
const PROVIDERS = [
  POOLS,
  "infrastructure.sim.capstan.dev/simclusters",
  "infrastructure.sim.capstan.dev/simmachines",
  "bootstrap.sim.capstan.dev/simbootstrapconfigs",
  "controlplane.sim.capstan.dev/simcontrolplanes",
];
const NOBODYS = "sim://nobody/nobody/1";

/** what a provider says of itself for a while, in place of the truth. */
export const providers: readonly Fault[] = [
  {
    number: "X-44",
    title: "a provider lists instances twice, in another order, empty or not at all; its status goes back",
    rate: 1 / 100,
    isSite: (operation, world) => isWriteOfPool(operation) && poolOf(world) !== undefined,
    strike(operation, world, chance) {
      operation.run();
      const pool = poolOf(world);
      if (pool === undefined) return;
      if (chance.below(4) === 0 && isProvisioned(pool)) forget({ type: POOLS, object: pool }, world, chance);
      else lie(pool, world, chance);
    },
  },
  {
    number: "X-50",
    title: "a provider turns back between two writes of functions: it has made nothing, it says for a while",
    rate: 1 / 200,
    isSite: (operation, world) =>
      isFunctionWrite(operation) &&
      operation.request.path.includes("/cluster.x-k8s.io/") &&
      initializedIn(world).length > 0,
    strike(operation, world, chance) {
      operation.run();
      const initialized = initializedIn(world);
      if (initialized.length > 0) forget(chance.pick(initialized), world, chance);
    },
  },
];

interface Provider {
  readonly type: string;
  readonly object: KubeObject;
}

/** Objects of providers that have said that they are ready. */
function initializedIn({ management }: World): readonly Provider[] {
  return PROVIDERS.flatMap((type) =>
    [...management.storage.collection(type).values()]
      .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
      .filter((object) => (object["status"] as Fields | undefined)?.["initialization"] !== undefined)
      .map((object) => ({ type, object })),
  );
}

function isWriteOfPool(operation: AnyOperation): boolean {
  return isFunctionWrite(operation) && /\/(sim)?machinepools\//.test(operation.request.path);
}

/** One that lists instances. */
function poolOf({ management }: World): KubeObject | undefined {
  return [...management.storage.collection(POOLS).values()].find(
    (pool) => idsOf(pool).length > 0 && pool.metadata.deletionTimestamp === undefined,
  );
}

function idsOf({ spec }: KubeObject): readonly string[] {
  return (spec as { readonly providerIDList?: readonly string[] } | undefined)?.providerIDList ?? [];
}

function isProvisioned(pool: KubeObject): boolean {
  return (pool["status"] as Fields | undefined)?.["ready"] === true;
}

type Fields = { readonly [field: string]: Json | undefined };

/** The provider says `spec.faults` in place of what it sees. */
function lie(pool: KubeObject, world: World, chance: Seeded): void {
  const ids = idsOf(pool);
  const lies = [
    { providerIDList: ids.toReversed() },
    { providerIDList: [...ids, ...ids] },
    { providerIDList: [] },
    { providerIDList: ["", ...ids, ""] },
    { providerIDList: [...ids, NOBODYS] },
    // Who lets the provider choose would want none, and then its instances rightly go.
    ...(isScaledOutside(pool, world) ? [] : [{ replicas: 0 }, { providerIDList: [], replicas: 0 }]),
  ];
  const say = (faults: Fields | undefined): void =>
    change({ type: POOLS, object: pool }, world, (present) => {
      const { metadata, ...rest } = present;
      const spec = rest["spec"] as Fields;
      // An API server counts no generation for what is as it was.
      if (sameJson(spec["faults"], faults)) return present;
      const generation = (metadata.generation ?? 1) + 1;
      return { ...rest, metadata: { ...metadata, generation }, spec: { ...spec, faults } as JsonObject };
    });
  say(chance.pick(lies));
  // An object that was recreated meanwhile has the lie, too, and so has one that was restored.
  const end = (): void => say(undefined);
  world.troubles.lasting(SECOND + chance.below(60 * SECOND), () => {
    end();
    world.management.onRestore(end);
  });
}

/** Whether its MachinePool wants as many replicas as it says. */
function isScaledOutside({ metadata }: KubeObject, { management }: World): boolean {
  const owner = metadata.ownerReferences?.find(({ kind }) => kind === MachinePool.kind)?.name ?? "";
  const pools = management.storage.collection("cluster.x-k8s.io/machinepools");
  const pool = pools.find(`${metadata.namespace}/${owner}`);
  return pool !== undefined && isManagedOutside(pool as unknown as MachinePool);
}

/** For a while it does not say that it has ever been ready. */
function forget(provider: Provider, world: World, chance: Seeded): void {
  const { initialization, ready } = provider.object["status"] as Fields;
  const say = (latches: Fields): void =>
    change(provider, world, (present) => {
      const isSame = present.metadata.uid === provider.object.metadata.uid;
      return isSame
        ? { ...present, status: { ...(present["status"] as Fields), ...latches } as JsonObject }
        : present;
    });
  say({ initialization: undefined, ready: undefined });
  world.troubles.lasting(SECOND + chance.below(60 * SECOND), () => say({ initialization, ready }));
}

/** Changes the object that has its name now; the ownership of fields stays as it is. */
function change(
  { type, object: { metadata } }: Provider,
  { management }: World,
  make: (now: KubeObject) => KubeObject,
): void {
  const { storage } = management;
  const present = storage.collection(type).find(`${metadata.namespace}/${metadata.name}`);
  const made = present && make(present);
  if (made !== present) storage.put(type, JSON.parse(JSON.stringify(made)) as KubeObject);
}
