import type { MachinePool } from "../../../shared/api/machinepool.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { pointerOf, sameJson } from "../../../shared/api/path.ts";
import type { MachineProviders } from "../../../shared/rules/providers/machine-providers.ts";
import { awaitedData, awaitedFleet } from "./awaited.ts";
import { bootstrapReport, DATA_SECRET_NAME } from "./bootstrap.ts";
import { infrastructureReport } from "./infrastructure.ts";

/** The two values that a pool's spec copies from its provider objects; absent means keep. */
export interface DesiredPoolSpec {
  readonly dataSecretName?: string | undefined;
  readonly providerIDList?: readonly string[] | undefined;
}

export function desiredPoolSpec(pool: MachinePool, providers: MachineProviders): DesiredPoolSpec {
  const { dataSecretName } = bootstrapReport(pool, providers.bootstrap);
  const { providerIDList } = infrastructureReport(pool, providers.infrastructure);
  return { dataSecretName, providerIDList };
}

/** The field that a pool still waits for before its spec is complete; undefined = nothing is missing. */
export function poolSpecAwaits(pool: MachinePool, providers: MachineProviders): string | undefined {
  const { template, providerIDList = [] } = pool.spec;
  const data = bootstrapReport(pool, providers.bootstrap);
  const { configRef, dataSecretName = data.dataSecretName } = template.spec.bootstrap;
  if (configRef !== undefined && dataSecretName === undefined) return awaitedData(pool, providers);
  const fleet = infrastructureReport(pool, providers.infrastructure);
  if (fleet.providerIDList !== undefined || providerIDList.length > 0) return undefined;
  return awaitedFleet(pool, providers);
}

/** Operations for the values that differ; never removes one. */
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
