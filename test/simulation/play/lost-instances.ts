import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { SimInstance } from "../../../shared/api/sim/sim-cloud.ts";
import type { KubeClient } from "../../../shared/runtime/ports.ts";
import { insist } from "./insist.ts";
import type { World } from "./world.ts";

/** Time in which a provider deletes the Machine itself, as that of a pool does. */
const PATIENCE_MS = 60_000;

/**
 * Deletes a Machine whose instance has gone by itself, as a person or a health check does: a Machine gets no other
 * instance. Its owner replaces it.
 */
export function replaceLostInstances(
  { management }: World,
  client: KubeClient,
  rest: (ms: number) => Promise<void>,
): void {
  const all = ({ group, plural }: Kind): readonly KubeObject[] =>
    [...management.storage.collection(`${group}/${plural}`).values()] as KubeObject[];
  const replace = async (instance: string): Promise<void> => {
    if (all(SimInstance as Kind).some(({ metadata }) => metadata.name === instance)) return;
    for (const machine of all(Machine as Kind) as readonly Machine[]) {
      const { name, namespace = "", uid = "", deletionTimestamp } = machine.metadata;
      if (machine.spec.infrastructureRef.name === instance && deletionTimestamp === undefined)
        await client.delete(Machine as Kind, { namespace, name }, { uid });
    }
  };
  management.onChange((_, { type, object }) => {
    if (type !== "DELETED" || object.kind !== SimInstance.kind) return;
    void rest(PATIENCE_MS).then(() =>
      insist(
        () => replace(object.metadata.name),
        () => rest(PATIENCE_MS),
      ),
    );
  });
}
