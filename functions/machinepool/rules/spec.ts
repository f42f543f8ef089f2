import type { ContractVersion } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { pointerOf, sameJson } from "../../../shared/api/path.ts";
import { BootstrapConfig, bootstrapConfigPath } from "../../../shared/contract/bootstrap-config.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { InfraMachinePool, infraMachinePoolPath } from "../../../shared/contract/infra-machine-pool.ts";
import { ownObject } from "./adoption.ts";
import { awaitedBootstrap, awaitedInfrastructure } from "./awaited.ts";
import { bootstrapReport, DATA_SECRET_NAME } from "./bootstrap.ts";
import { infrastructureReport } from "./infrastructure.ts";
import type { PoolProviders } from "./reads.ts";

/** The two values that a pool's spec copies from its provider objects; absent means keep. */
export interface DesiredPoolSpec {
  readonly dataSecretName?: string | undefined;
  readonly providerIDList?: readonly string[] | undefined;
}

export function desiredPoolSpec(pool: MachinePool, providers: PoolProviders): DesiredPoolSpec {
  const { dataSecretName } = bootstrapReport(pool, providers.bootstrap);
  const { providerIDList } = infrastructureReport(pool, providers.infrastructure);
  return { dataSecretName, providerIDList };
}

/** The field that a pool still waits for before its spec is complete; undefined = nothing is missing. */
export function poolSpecAwaits(pool: MachinePool, providers: PoolProviders): string | undefined {
  const { template, providerIDList = [] } = pool.spec;
  const data = bootstrapReport(pool, providers.bootstrap);
  const { configRef, dataSecretName = data.dataSecretName } = template.spec.bootstrap;
  if (configRef !== undefined && dataSecretName === undefined) return awaitedData(pool, providers);
  const fleet = infrastructureReport(pool, providers.infrastructure);
  if (fleet.providerIDList !== undefined || providerIDList.length > 0) return undefined;
  return awaitedFleet(pool, providers);
}

/** The field of the bootstrap object, or about it, that has to change before its data can be used. */
export function awaitedData(pool: MachinePool, providers: PoolProviders): string {
  if (pool.spec.template.spec.bootstrap.configRef === undefined) {
    return "MachinePool.spec.template.spec.bootstrap.configRef";
  }
  const { created } = bootstrapReport(pool, providers.bootstrap);
  const field = created === false ? "dataSecretCreated" : "dataSecretName";
  return (
    awaitedBootstrap(pool, providers) ??
    fieldOf(BootstrapConfig, ownObject(pool, providers.bootstrap), (contract) =>
      bootstrapConfigPath(contract, field),
    )
  );
}

/** The same of the infrastructure object and its instances. */
export function awaitedFleet(pool: MachinePool, providers: PoolProviders): string {
  const { provisioned } = infrastructureReport(pool, providers.infrastructure);
  const field = provisioned === true ? "providerIDList" : "ready";
  return (
    awaitedInfrastructure(pool, providers) ??
    fieldOf(InfraMachinePool, ownObject(pool, providers.infrastructure), (contract) =>
      infraMachinePoolPath(contract, field),
    )
  );
}

/** Without ownership its fields do not count yet. */
function fieldOf(
  { contract }: ContractKind,
  own: ReturnType<typeof ownObject>,
  pathUnder: (contract: ContractVersion) => string,
): string {
  return `${contract}.${own === undefined ? "metadata.ownerReferences" : pathUnder(own.contract)}`;
}

/** Operations for the values that differ; never removes one (F-44). */
export function poolSpecPatch(pool: MachinePool, desired: DesiredPoolSpec): readonly PatchOperation[] {
  const { template, providerIDList = [] } = pool.spec;
  const { dataSecretName } = template.spec.bootstrap;
  return [
    ...replaced(DATA_SECRET_NAME, dataSecretName, desired.dataSecretName),
    ...replaced("spec.providerIDList", providerIDList, desired.providerIDList),
  ];
}

function replaced(path: string, present: unknown, desired: unknown): readonly PatchOperation[] {
  return desired === undefined || sameJson(present, desired)
    ? []
    : [{ op: "add", path: pointerOf(path), value: desired }];
}
