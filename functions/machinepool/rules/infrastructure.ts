import type { MachinePool } from "../../../shared/api/machinepool.ts";
import {
  type Field,
  readBoolean,
  readCount,
  readString,
  readStrings,
} from "../../../shared/contract/fields.ts";
import {
  type InfraMachinePoolField,
  infraMachinePoolPath,
  infraMachinePoolPaths,
} from "../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { ownObject } from "./adoption.ts";

/** The fields of an infrastructure object that `infrastructureReport` reads, but for the kind of its machines. */
export const INFRASTRUCTURE_FIELDS = infraMachinePoolPaths(
  "ready",
  "provisioned",
  "replicas",
  "providerIDList",
);

/** Values for a pool from its infrastructure object. A member that is absent keeps its present value. */
export interface InfrastructureReport {
  /** The value for `status.initialization.infrastructureProvisioned`; it goes back to false, too. */
  readonly provisioned?: boolean | undefined;
  /** The value for `status.replicas`. */
  readonly replicas?: number | undefined;
  /** The value for `spec.providerIDList`. */
  readonly providerIDList?: readonly string[] | undefined;
  /** The message of the condition: fields that cannot be used. */
  readonly message?: string | undefined;
}

/** The limits of `spec.providerIDList` of a MachinePool. */
export const PROVIDER_ID_LIMITS = { maxItems: 10_000, maxLength: 512 };

/** Differs: `initialization.provisioned` counts where `status.ready` is absent; v1.14.0 never reads it. */
export function infrastructureReport(pool: MachinePool, found: Referenced): InfrastructureReport {
  const own = ownObject(pool, found);
  if (own === undefined || own.object.metadata.deletionTimestamp !== undefined) return {};
  const path = (field: InfraMachinePoolField) => infraMachinePoolPath(own.contract, field);

  const ready = readBoolean(own.object, path("ready"));
  const provisioned = readBoolean(own.object, path("provisioned"));
  const decisive = ready.value === undefined && ready.problem === undefined ? provisioned : ready;
  if (decisive.problem !== undefined) return { message: decisive.problem };
  if (decisive.value !== true) return { provisioned: false };

  const replicas = readCount(own.object, path("replicas"));
  const machineKind = readString(own.object, path("infrastructureMachineKind"));
  const list = readStrings(own.object, path("providerIDList"), PROVIDER_ID_LIMITS);
  return {
    provisioned: true,
    replicas: replicas.value,
    providerIDList: believable(list, replicas),
    message:
      [list.problem, replicas.problem, machineKind.problem]
        .filter((problem) => problem !== undefined)
        .join("; ") || undefined,
  };
}

/** An empty list is not evidence while instances are reported: providers clear it between two writes. */
function believable(list: Field<readonly string[]>, replicas: Field<number>): readonly string[] | undefined {
  if (list.problem !== undefined) return undefined;
  const { value = [] } = list;
  return value.length === 0 && replicas.value !== 0 ? undefined : value;
}
