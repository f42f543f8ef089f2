import type { MachinePool } from "../api/machinepool.ts";
import { bootstrapConfigPath } from "../contract/bootstrap-config.ts";
import { infraMachinePoolPath } from "../contract/infra-machine-pool.ts";
import { pointerOf, sameJson } from "../runtime/path.ts";
import type { PatchOperation, Referenced } from "../runtime/ports.ts";
import { ownObject } from "./pool-adoption.ts";
import { awaitedBootstrap, awaitedInfrastructure } from "./pool-awaited.ts";
import { type BootstrapReport, bootstrapReport, DATA_SECRET_NAME } from "./pool-bootstrap.ts";
import { type InfrastructureReport, infrastructureReport } from "./pool-infrastructure.ts";
import type { PoolProviders } from "./pool-reads.ts";

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
  if (configRef !== undefined && dataSecretName === undefined) {
    return awaitedBootstrap(pool, providers) ?? nameField(pool, providers.bootstrap, data);
  }
  const fleet = infrastructureReport(pool, providers.infrastructure);
  if (fleet.providerIDList !== undefined || providerIDList.length > 0) return undefined;
  return awaitedInfrastructure(pool, providers) ?? listField(pool, providers.infrastructure, fleet);
}

function nameField(pool: MachinePool, found: Referenced | undefined, { created }: BootstrapReport): string {
  const own = ownObject(pool, found);
  if (own === undefined) return "BootstrapConfig.metadata.ownerReferences";
  const field = created === false ? "dataSecretCreated" : "dataSecretName";
  return `BootstrapConfig.${bootstrapConfigPath(own.contract, field)}`;
}

function listField(pool: MachinePool, found: Referenced, { provisioned }: InfrastructureReport): string {
  const own = ownObject(pool, found);
  if (own === undefined) return "InfraMachinePool.metadata.ownerReferences";
  const field = provisioned === true ? "providerIDList" : "ready";
  return `InfraMachinePool.${infraMachinePoolPath(own.contract, field)}`;
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
