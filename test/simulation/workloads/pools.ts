import type { Kind } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import type { User } from "../play/user.ts";

/** A pool, as users look at it. */
export function pool(user: User, name = "p1"): MachinePool | undefined {
  return user.see(MachinePool, name);
}

/** Running, with so many Nodes that are ready. */
export function isRunning(user: User, replicas: number, name?: string): boolean {
  const { status } = pool(user, name) ?? {};
  return status?.phase === "Running" && status.readyReplicas === replicas && status.replicas === replicas;
}

/** Running, with so many Nodes, whether or not they count as ready. */
export function hasNodes(user: User, replicas: number): boolean {
  const { status } = pool(user) ?? {};
  return status?.phase === "Running" && status.replicas === replicas && status.nodeRefs?.length === replicas;
}

export async function scale(user: User, replicas: number, name = "p1"): Promise<void> {
  const operations = [{ op: "replace", path: "/spec/replicas", value: replicas }] as const;
  await user.patch(MachinePool as Kind, name, operations);
}
