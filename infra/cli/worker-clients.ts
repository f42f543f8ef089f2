import type { AnyFunction } from "../../shared/function/define-function.ts";
import { groupOf } from "../../shared/function/groups.ts";
import type { Clients } from "../../shared/runtime/ports.ts";
import { type ClientsOptions, createClients, managementOnly } from "../relay/workload/clients.ts";

/** The clients of a worker beside no relay. Without a function of `workload` it has none of workload servers. Source: S-03 */
export function openClients(
  options: ClientsOptions,
  functions: readonly AnyFunction[],
  starting: AsyncDisposableStack,
): Clients {
  const callsWorkloads = functions.some(({ spec }) => groupOf(spec) === "workload");
  return callsWorkloads ? starting.use(createClients(options)) : managementOnly(options.management);
}

/** The same clients; no write leaves from when `mayWrite` throws. */
export function fencedClients(clients: Clients, mayWrite: (() => void) | undefined): Clients {
  if (mayWrite === undefined) return clients;
  return {
    of(cluster, functionName, sending = {}) {
      const mayGo = (): void => {
        mayWrite();
        sending.mayGo?.();
      };
      return clients.of(cluster, functionName, { ...sending, mayGo });
    },
  };
}
