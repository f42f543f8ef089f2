import { SimInstance } from "../../../infra/playground/api/sim-cloud.ts";
import { SimMachinePool } from "../../../infra/playground/api/sim-machinepool.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import type { Seeded } from "../kernel/seeded.ts";
import { type Fault, isFunctionWrite } from "./fault.ts";
import { somebody } from "./somebody.ts";

const SECOND = 1_000;

/** an edit with kubectl at a bad moment, taken back if it does not heal by itself. */
export const edits: readonly Fault[] = [
  {
    number: "X-45",
    title: "a user pauses, edits, deletes, or removes a label or a finalizer by hand",
    rate: 1 / 100,
    isDetour: true,
    isSite: (operation, world) => isFunctionWrite(operation) && operation.server === world.management.address,
    strike(operation, world, chance) {
      operation.run();
      const user = somebody(world);
      const { make, takeBack } = chance.pick(EDITS);
      void pickObject(user.client, chance, make.kind).then(async (name) => {
        if (name === undefined) return;
        const key = { namespace: "default", name };
        await make.edit(user.client, key).catch(() => undefined);
        if (takeBack === undefined) return;
        world.troubles.lasting(SECOND + chance.below(120 * SECOND), () => {
          user.takeBack((client) => takeBack(client, key));
        });
      });
    },
  },
];

interface Key {
  readonly namespace: string;
  readonly name: string;
}

interface MadeEdit {
  readonly make: { readonly kind: Kind; readonly edit: (client: KubeClient, key: Key) => Promise<unknown> };
  /** Absent: it heals by itself. Does nothing when there is nothing to take back. */
  readonly takeBack?: (client: KubeClient, key: Key) => Promise<unknown>;
}

const PAUSED = "cluster.x-k8s.io/paused";

const EDITS: readonly MadeEdit[] = [
  pausing(MachinePool as Kind),
  pausing(SimMachinePool as Kind),
  annotated(MachinePool as Kind, "example.com/note"),
  pausing(Cluster as Kind),
  set(MachinePool as Kind, "/spec/template/spec/minReadySeconds", 5),
  removed(MachinePool as Kind, "/metadata/labels/cluster.x-k8s.io~1cluster-name"),
  removed(Machine as Kind, "/metadata/labels/cluster.x-k8s.io~1cluster-name"),
  removed(MachinePool as Kind, "/metadata/finalizers"),
  removed(SimMachinePool as Kind, "/metadata/finalizers"),
  removed(Cluster as Kind, "/metadata/finalizers"),
  deleted(SimInstance as Kind),
  deleted(Machine as Kind),
];

/** A user pauses an object and resumes it: a change that concerns every function. */
export function pausing(kind: Kind): MadeEdit & Required<Pick<MadeEdit, "takeBack">> {
  return kind.kind === Cluster.kind ? set(kind, "/spec/paused", true) : annotated(kind, PAUSED);
}

function annotated(kind: Kind, name: string): ReturnType<typeof pausing> {
  const path = `/metadata/annotations/${name.replaceAll("/", "~1")}`;
  const edit = async (client: KubeClient, key: Key): Promise<unknown> => {
    const object = await client.get(kind, key);
    if (object?.metadata.annotations !== undefined)
      return patch(client, kind, key, [{ op: "add", path, value: "" }]);
    const value = { [name]: "" };
    return patch(client, kind, key, [{ op: "add", path: "/metadata/annotations", value }]);
  };
  return { make: { kind, edit }, takeBack: (client, key) => removeIfThere(client, kind, key, path) };
}

/** Nothing is set, and nothing taken back, where users have another value. */
function set(kind: Kind, path: string, value: unknown): ReturnType<typeof pausing> {
  const isFree = async (client: KubeClient, key: Key): Promise<boolean> => {
    const present = valueAt(await client.get(kind, key), path);
    return present === undefined || present === value;
  };
  const edit = async (client: KubeClient, key: Key): Promise<unknown> =>
    (await isFree(client, key)) && patch(client, kind, key, [{ op: "add", path, value }]);
  return {
    make: { kind, edit },
    takeBack: async (client, key) => (await isFree(client, key)) && removeIfThere(client, kind, key, path),
  };
}

function removed(kind: Kind, path: string): MadeEdit {
  const edit = async (client: KubeClient, key: Key): Promise<unknown> => {
    const object = await client.get(kind, key);
    // Removing the finalizer of a deleted object breaks more than can heal.
    if (object?.metadata.deletionTimestamp !== undefined) return undefined;
    return patch(client, kind, key, [{ op: "remove", path }]);
  };
  return { make: { kind, edit } };
}

function deleted(kind: Kind): MadeEdit {
  const edit = async (client: KubeClient, key: Key): Promise<unknown> => {
    const uid = (await client.get(kind, key))?.metadata.uid ?? "";
    return client.delete(kind, key, { uid });
  };
  return { make: { kind, edit } };
}

async function removeIfThere(client: KubeClient, kind: Kind, key: Key, path: string): Promise<unknown> {
  const value = valueAt(await client.get(kind, key), path);
  return value === undefined ? undefined : patch(client, kind, key, [{ op: "remove", path }]);
}

/** `path` is a JSON pointer. */
function valueAt(object: unknown, path: string): unknown {
  const names = path
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/"));
  return names.reduce((at, name) => (at as { [name: string]: unknown } | undefined)?.[name], object);
}

function patch(
  client: KubeClient,
  kind: Kind,
  key: Key,
  operations: readonly PatchOperation[],
): Promise<unknown> {
  return client.jsonPatch(kind, key, operations);
}

async function pickObject(client: KubeClient, chance: Seeded, kind: Kind): Promise<string | undefined> {
  const listed = await client.list(kind, { namespace: "default" }).catch(() => undefined);
  const names = listed?.items.map(({ metadata }) => metadata.name) ?? [];
  return names.length === 0 ? undefined : chance.pick(names);
}
