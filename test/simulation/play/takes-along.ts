import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";

interface Named extends Pick<Kind, "kind"> {
  readonly name: string;
}

/** Whether an object goes with the deleted one: everything with its Cluster, what bears its name with a pool or a Machine. */
export function takesAlong(deleted: Named, { kind, name }: Named): boolean {
  if (deleted.kind === Cluster.kind) return true;
  const isKind = [kind, MachinePool.kind, Machine.kind].includes(deleted.kind);
  return isKind && deleted.name === name;
}
