import { REMEDIATION_LIMIT } from "../../../functions/machinepool/rules/remediation.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { simPoolWithMachines } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";

/** Marks that a MachineHealthCheck leaves on an unhealthy Machine. */
const HANDED_OVER = ["HealthCheckSucceeded", "OwnerRemediated"].map((type) => ({
  type,
  status: "False",
  reason: "WaitingForRemediation",
  message: "",
  lastTransitionTime: "2026-01-01T00:00:00Z",
}));

/** Pool p1 of three Machines in c1, of which so many may be remediated at a time. */
export function remediatedPool(limit: string): string {
  return simPoolWithMachines("p1", "c1", 3).replace(
    "metadata: { name: p1,",
    `metadata: { annotations: { ${REMEDIATION_LIMIT}: "${limit}" }, name: p1,`,
  );
}

/** A Machine that its provider does not hold yet would go at once, and be recreated for the same instance. */
export async function handOver(user: User, name: string): Promise<void> {
  await user.until(() => (user.see(Machine, name)?.metadata.finalizers ?? []).length > 0);
  const operations = [{ op: "add", path: "/status/conditions", value: HANDED_OVER }] as const;
  await user.patch(Machine as Kind, name, operations, "status");
}

/** Whether this very Machine is there and is not being deleted. */
export function isAlive(user: User, { metadata }: Machine): boolean {
  const now = user.see(Machine, metadata.name)?.metadata;
  return now !== undefined && now.uid === metadata.uid && now.deletionTimestamp === undefined;
}
