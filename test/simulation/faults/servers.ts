import type { KubeObject } from "../../../infra/playground/apiserver/entry.ts";
import type { Seeded } from "../kernel/seeded.ts";
import type { World } from "../play/world.ts";
import { isRequest, type RequestOperation } from "../ports/request-operation.ts";
import { type Fault, isFunctionWrite } from "./fault.ts";
import { restartKubelets } from "./kubelets.ts";

const SECOND = 1_000;
const MAX_UNDONE = 50;

/** the management server is not what it was. */
export const servers: readonly Fault[] = [
  {
    number: "X-18",
    title: "the server is restored from a backup: its newest writes have never been",
    rate: 1 / 200,
    share: 0.05,
    most: 1,
    isDetour: true,
    isSite: isFunctionWrite,
    strike(operation, world, chance) {
      operation.run();
      restartKubelets(world);
      world.management.restore(1 + chance.below(MAX_UNDONE), 6 * SECOND + chance.below(60 * SECOND));
    },
  },
  {
    number: "X-19",
    title: "an object is recreated under its name between read and write",
    rate: 1 / 200,
    isDetour: true,
    isSite: (operation, world) => isFunctionWrite(operation) && targetOf(operation, world) !== undefined,
    strike(operation, world, chance) {
      if (!isRequest(operation)) return;
      const target = targetOf(operation, world);
      if (target !== undefined) recreate(target, world, chance);
      operation.run();
    },
  },
  {
    number: "X-29",
    title: "a provider's kind is not served for a while",
    rate: 1 / 200,
    share: 0.05,
    most: 1,
    isSite: isFunctionWrite,
    strike(operation, { management, troubles }, chance) {
      operation.run();
      const { faults } = management.server;
      const resource = chance.pick(PROVIDERS);
      const fault = faults.add({ on: { resource }, effect: { kind: "notServed" } });
      troubles.lasting(SECOND + chance.below(180 * SECOND), () => faults.remove(fault));
    },
  },
];

const PROVIDERS = [
  "simclusters.infrastructure.sim.capstan.dev",
  "simcontrolplanes.controlplane.sim.capstan.dev",
  "simbootstrapconfigs.bootstrap.sim.capstan.dev",
  "simmachinepools.infrastructure.sim.capstan.dev",
] as const;

interface Target {
  /** `cluster.x-k8s.io/machinepools`. */
  readonly type: string;
  readonly object: KubeObject;
}

/** Returns the object that a write to the management server changes, if it exists and is not deleted already. */
function targetOf({ server, request }: RequestOperation, { management }: World): Target | undefined {
  const path = /\/apis\/([^/]+)\/[^/]+\/namespaces\/([^/]+)\/([^/]+)\/([^/?]+)/.exec(request.path);
  if (server !== management.address || path === null) return undefined;
  const [, group, namespace, plural, name] = path;
  const type = `${group}/${plural}`;
  const object = management.storage.collection(type).find(`${namespace}/${name}`);
  return object === undefined || object.metadata.deletionTimestamp !== undefined
    ? undefined
    : { type, object };
}

/** As if it were created again: another uid, no status; managers that the server has lost stay lost. */
function recreate({ type, object }: Target, world: World, chance: Seeded): void {
  const { management, kernel, ownerless } = world;
  const { storage } = management;
  kernel.trace.add(`${type} ${object.metadata.name} is recreated`);
  const { status: _, ...rest } = object;
  const { managedFields, ...metadata } = object.metadata;
  const kept = managedFields?.filter(({ subresource }) => subresource !== "status");
  const creationTimestamp = `${new Date(kernel.now).toISOString().slice(0, 19)}Z`;
  const uid = chance.uuid();
  if (ownerless.has(metadata.uid)) ownerless.add(uid);
  storage.remove(type, object);
  storage.put(type, {
    ...rest,
    metadata: { ...metadata, managedFields: kept, uid, generation: 1, creationTimestamp },
  } as KubeObject);
}
