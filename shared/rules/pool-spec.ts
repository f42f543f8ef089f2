import type { MachinePool } from "../api/machinepool.ts";
import { pointerOf, sameJson } from "../runtime/path.ts";
import type { PatchOperation } from "../runtime/ports.ts";
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
