import type { ContractReference } from "../api/kinds.ts";
import type { MachinePool } from "../api/machinepool.ts";
import { BootstrapConfig } from "../contract/bootstrap-config.ts";
import { InfraMachinePool } from "../contract/infra-machine-pool.ts";
import type { ContractKind } from "../runtime/define-function.ts";
import type { Referenced } from "../runtime/ports.ts";
import { poolAdoption } from "./pool-adoption.ts";
import type { PoolProviders } from "./pool-reads.ts";

type Unresolved = Extract<Referenced, { state: "unresolved" }>;

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

/** A CustomResourceDefinition has to come, or to claim a supported contract by label. */
export function awaitedDefinition(
  { crdExists }: Unresolved,
  { apiGroup, kind }: Pick<ContractReference, "apiGroup" | "kind">,
): string {
  const field = crdExists ? "labels" : "uid";
  return `CustomResourceDefinition.metadata.${field} of ${apiGroup}/${kind}`;
}
