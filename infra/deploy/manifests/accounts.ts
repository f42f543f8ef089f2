import type { Manifest } from "../deployment.ts";
import { clusterRole, clusterRoleBinding, LEASE_RULES, roleOf, serviceAccount } from "../rbac.ts";
import { inStandardGroup, type PolicyRule, rightsOf } from "../rights.ts";
import { NAMESPACE, type ServerProcess } from "./processes.ts";

/** Returns what a process may do anywhere: by its functions, and nothing for those of others. Source: D-402 */
export function rightsOfProcess({ part, functions }: ServerProcess): readonly PolicyRule[] {
  return rightsOf(functions, inStandardGroup, [part]);
}

/** Returns the account of a process with its rights; of the relay also on its Lease. Source: D-401, D-402 */
export function processAccount(process: ServerProcess): readonly Manifest[] {
  const { name, part } = process;
  return [
    serviceAccount(name, NAMESPACE),
    clusterRole(name, rightsOfProcess(process)),
    clusterRoleBinding(name, name, NAMESPACE),
    ...(part === "relay" ? roleOf(name, NAMESPACE, LEASE_RULES) : []),
  ];
}
