import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { World } from "../play/world.ts";
import { createSharedQueue } from "../ports/shared-queue.ts";
import { type Fault, isFunctionWrite } from "./fault.ts";
import { somebody } from "./somebody.ts";

const SECOND = 1_000;
/** Its events concern no other tenant. */
export const NOISY = "noisy";
const NOISE = { namespace: NOISY, name: "noise" };
/** For one write of all others. */
const EVENTS = 100;

/** work that comes to nothing, and work of one tenant that never ends. */
export const tenants: readonly Fault[] = [
  {
    number: "X-39",
    title: "poison: a malformed key, and one that always throws",
    rate: 1 / 200,
    most: 2,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      const fn = chance.pick(world.functions);
      if (chance.below(2) === 0) void enqueue(world, fn.spec.name, "this is not a key");
      else poison(world);
    },
  },
  {
    number: "X-46",
    title: "a tenant makes a hundred times as many events as all others",
    rate: 1 / 30,
    share: 0.2,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      void makeNoise(world, chance.below(EVENTS));
    },
  },
];

async function enqueue(world: World, functionName: string, key: string): Promise<void> {
  const process = world.kernel.process("poisoner");
  const { ledger, tokens } = world;
  const log = { debug: nobody, info: nobody, warn: nobody, error: nobody };
  const own = ledger.of(process);
  const queue = createSharedQueue({ process, ledger: own, tokens, log, noteFailure: async () => undefined });
  await queue.enqueue(functionName, [{ key, priority: "live" }]).catch(() => undefined);
  process.kill();
}

function nobody(): void {
  // It is never read.
}

/** A snapshot without a spec: a step that reads it throws. */
function poison(world: World): void {
  const { group, kind } = MachinePool;
  const type = { cluster: "management", group, kind };
  const { version } = MachinePool;
  const metadata = { namespace: "default", name: "poison", uid: "poison", resourceVersion: "1" };
  const object = { apiVersion: `${group}/${version}`, kind, metadata } as KubeObject;
  void world.store.inner.put(type, [object]).catch(() => undefined);
  const key = "default/-|MachinePool|default/poison";
  for (const { spec } of world.functions) {
    if (spec.reconciles.kind === kind) void enqueue(world, spec.name, key);
  }
  world.troubles.lasting(600 * SECOND, () => {
    void world.store.inner.remove(type, metadata, { uid: "poison", resourceVersion: "1" });
  });
}

const NOISES = new WeakSet<World>();

/** Another pool that gets nowhere, and whose owner changes it again and again. */
async function makeNoise(world: World, first: number): Promise<void> {
  const { client, insist } = somebody(world);
  const kind = MachinePool as Kind;
  if (!NOISES.has(world)) {
    NOISES.add(world);
    await insist(() => client.apply(kind, NOISE, noisyPool()));
    world.troubles.lasting(4 * 3_600 * SECOND, () => {
      void insist(async () => {
        const uid = (await client.get(kind, NOISE))?.metadata.uid;
        if (uid !== undefined) await client.delete(kind, NOISE, { uid });
      });
    });
  }
  for (let count = 0; count < EVENTS; count += 1) {
    const value = 1 + ((first + count) % 9);
    await client
      .jsonPatch(kind, NOISE, [{ op: "add", path: "/spec/replicas", value }])
      .catch(() => undefined);
  }
}

function noisyPool(): object {
  const apiGroup = "infrastructure.sim.capstan.dev";
  const spec = {
    clusterName: "none",
    bootstrap: { dataSecretName: "none" },
    infrastructureRef: { apiGroup, kind: "SimMachinePool", name: "none" },
  };
  const { group, version, kind } = MachinePool;
  return {
    apiVersion: `${group}/${version}`,
    kind,
    metadata: NOISE,
    spec: { clusterName: "none", replicas: 1, template: { spec } },
  };
}
