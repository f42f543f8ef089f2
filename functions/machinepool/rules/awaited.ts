import type { ContractReference } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { BootstrapConfig } from "../../../shared/contract/bootstrap-config.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { InfraMachinePool } from "../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { poolAdoption } from "./adoption.ts";
import type { PoolProviders } from "./reads.ts";

/**
 * What keeps a pool from controlling its provider objects, by the field whose change ends it: an object or the
 * definition of its kind that is not there, or another controller. `undefined` when nothing does. The bootstrap
 * object comes first. Source: machinepool.md 5, rows 5 and 6
 */
export function awaitedAdoption(pool: MachinePool, providers: PoolProviders): string | undefined {
  return awaitedBootstrap(pool, providers) ?? awaitedInfrastructure(pool, providers);
}

export function awaitedBootstrap(pool: MachinePool, { bootstrap }: PoolProviders): string | undefined {
  const { configRef } = pool.spec.template.spec.bootstrap;
  return configRef === undefined || bootstrap === undefined
    ? undefined
    : awaited(BootstrapConfig, configRef, { pool, found: bootstrap });
}

export function awaitedInfrastructure(
  pool: MachinePool,
  { infrastructure }: PoolProviders,
): string | undefined {
  const { infrastructureRef } = pool.spec.template.spec;
  return awaited(InfraMachinePool, infrastructureRef, { pool, found: infrastructure });
}

function awaited(
  { contract }: ContractKind,
  reference: ContractReference,
  { pool, found }: { readonly pool: MachinePool; readonly found: Referenced },
): string | undefined {
  if (found.state === "unresolved") return awaitedDefinition(found, reference);
  if (found.state === "missing") return `${contract}.metadata.uid`;
  return poolAdoption(pool, found) === "foreign" ? `${contract}.metadata.ownerReferences` : undefined;
}
