import { SimInstance } from "../../../infra/playground/api/sim-cloud.ts";
import { Node } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { insist } from "./insist.ts";
import type { World } from "./world.ts";

/** Time in which a provider deletes the Machine itself, as that of a pool does. */
const PATIENCE_MS = 60_000;

/** How often a Node is looked for: its Machine and its Cluster may be going. */
const TRIES = 60;

interface Hands {
  readonly client: KubeClient;
  readonly rest: (ms: number) => Promise<void>;
  /** Works once on the workload server of a Cluster; rejects where none can be reached. */
  readonly onWorkload: (cluster: string, work: (client: KubeClient) => Promise<unknown>) => Promise<void>;
}

/**
 * Deletes a Machine whose instance has gone by itself, as a person or a health check does: a Machine gets no other
 * instance. Its owner replaces it. After a restore, deletes the Nodes of instances that the server has forgotten with
 * their Machines: no controller knows them.
 */
export function replaceLostInstances({ management }: World, { client, rest, onWorkload }: Hands): void {
  const all = <T extends KubeObject>({ group, plural }: Kind<T>): readonly T[] =>
    [
      ...management.storage.collection(`${group}/${plural}`).values(),
    ] as readonly KubeObject[] as readonly T[];
  const hasInstance = (instance: string): boolean =>
    all(SimInstance).some(({ metadata }) => metadata.name === instance);
  const machinesOf = (instance: string): readonly Machine[] =>
    all(Machine).filter(({ spec }) => spec.infrastructureRef.name === instance);
  const replace = async (instance: string): Promise<void> => {
    if (hasInstance(instance)) return;
    for (const { metadata } of machinesOf(instance)) {
      const { name, namespace = "", uid = "", deletionTimestamp } = metadata;
      if (deletionTimestamp === undefined) await client.delete(Machine, { namespace, name }, { uid });
    }
  };
  const removeNode = async ({ metadata: { name }, spec: { clusterName } }: SimInstance): Promise<void> => {
    if (hasInstance(name)) return;
    if (machinesOf(name).length > 0) throw new Error("its Machine may get it back, or is replaced");
    await onWorkload(clusterName, async (workload) => {
      const uid = (await workload.get(Node, { namespace: "", name }))?.metadata.uid;
      if (uid !== undefined) await workload.delete(Node, { namespace: "", name }, { uid });
    });
  };
  const pause = (): Promise<void> => rest(PATIENCE_MS);
  const known = new Map<string, SimInstance>();
  management.onChange((_, { type, object }) => {
    if (object.kind !== SimInstance.kind) return;
    const { name } = object.metadata;
    if (type !== "DELETED") known.set(name, object as KubeObject as SimInstance);
    else {
      known.delete(name);
      void pause().then(() => insist(() => replace(name), pause));
    }
  });
  management.onRestore(() => {
    for (const instance of known.values()) {
      if (!hasInstance(instance.metadata.name))
        void pause().then(() => insist(() => removeNode(instance), pause, TRIES));
    }
  });
}
