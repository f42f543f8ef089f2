import type { ContractVersion } from "../api/kinds.ts";
import type { MachinePool } from "../api/machinepool.ts";
import { bootstrapConfigPath } from "../contract/bootstrap-config.ts";
import { infraMachinePoolPath } from "../contract/infra-machine-pool.ts";
import { pointerOf, sameJson } from "../runtime/path.ts";
import type { PatchOperation, Referenced } from "../runtime/ports.ts";
import { bootstrapReport, DATA_SECRET_NAME } from "./pool-bootstrap.ts";
import { infrastructureReport } from "./pool-infrastructure.ts";
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
export function poolSpecAwaits(
  pool: MachinePool,
  { bootstrap, infrastructure }: PoolProviders,
): string | undefined {
  const { template, providerIDList = [] } = pool.spec;
  const { configRef, dataSecretName } = template.spec.bootstrap;
  const data = bootstrapReport(pool, bootstrap);
  if (configRef !== undefined && (data.dataSecretName ?? dataSecretName) === undefined) {
    const field = data.created === false ? "dataSecretCreated" : "dataSecretName";
    return `BootstrapConfig.${bootstrapConfigPath(contractOf(bootstrap), field)}`;
  }
  const fleet = infrastructureReport(pool, infrastructure);
  if (fleet.providerIDList !== undefined || providerIDList.length > 0) return undefined;
  const field = fleet.provisioned === true ? "providerIDList" : "ready";
  return `InfraMachinePool.${infraMachinePoolPath(contractOf(infrastructure), field)}`;
}

function contractOf(found: Referenced | undefined): ContractVersion {
  return found === undefined || found.state === "unresolved" ? "v1beta2" : found.contract;
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
