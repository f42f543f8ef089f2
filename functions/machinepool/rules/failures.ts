import type { ContractVersion } from "../../../shared/api/kinds.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { bootstrapConfigPath } from "../../../shared/contract/bootstrap-config.ts";
import { readString } from "../../../shared/contract/fields.ts";
import { infraMachinePoolPath } from "../../../shared/contract/infra-machine-pool.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import { ownObject } from "./adoption.ts";
import type { PoolProviders } from "./providers.ts";

/** `failureReason` and `failureMessage` of `status.deprecated.v1beta1`; once set, never cleared. */
export interface PoolFailure {
  readonly failureReason?: string | undefined;
  readonly failureMessage?: string | undefined;
}

const MAX_REASON = 256;
const MAX_MESSAGE = 10_240;

/**
 * What the provider objects report, or the loss of the infrastructure object; a `missing` one must have been read
 * live. The infrastructure object comes later and wins. Source: machinepool.md 11
 */
export function poolFailure(pool: MachinePool, { bootstrap, infrastructure }: PoolProviders): PoolFailure {
  const stored = pool.status?.deprecated?.v1beta1;
  const reports = [
    reported(ownObject(pool, bootstrap), bootstrapConfigPath),
    reported(ownObject(pool, infrastructure), infraMachinePoolPath),
    pool.status?.initialization?.infrastructureProvisioned === true && infrastructure.state === "missing"
      ? lost(pool)
      : {},
  ];
  return {
    failureReason: reports.findLast((report) => report.failureReason)?.failureReason ?? stored?.failureReason,
    failureMessage:
      reports.findLast((report) => report.failureMessage)?.failureMessage ?? stored?.failureMessage,
  };
}

function reported(
  own: ReturnType<typeof ownObject>,
  path: (contract: ContractVersion, field: "failureReason" | "failureMessage") => string,
): PoolFailure {
  if (own === undefined) return {};
  const { apiVersion, kind, metadata } = own.object;
  const reason = readString(own.object, path(own.contract, "failureReason")).value;
  const message = readString(own.object, path(own.contract, "failureMessage")).value;
  const prefix = `Failure detected from referenced resource ${apiVersion}, Kind=${kind} with name "${metadata.name}"`;
  return {
    failureReason: reason ? truncate(reason, MAX_REASON) : undefined,
    failureMessage: message ? truncate(`${prefix}: ${message}`, MAX_MESSAGE) : undefined,
  };
}

function lost(pool: MachinePool): PoolFailure {
  const { kind, name } = pool.spec.template.spec.infrastructureRef;
  return {
    failureReason: "InvalidConfiguration",
    failureMessage: `MachinePool infrastructure resource ${kind} ${pool.metadata.namespace}/${name} has been deleted after being ready`,
  };
}
