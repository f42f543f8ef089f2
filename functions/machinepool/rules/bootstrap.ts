import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { bootstrapConfigPath, bootstrapConfigPaths } from "../../../shared/contract/bootstrap-config.ts";
import { readBoolean, readString } from "../../../shared/contract/fields.ts";
import type { Referenced } from "../../../shared/contract/referenced.ts";
import { managersOf } from "../../../shared/function/define-function.ts";
import { ownObject } from "./adoption.ts";

export const DATA_SECRET_NAME = "spec.template.spec.bootstrap.dataSecretName";

/** The fields of a bootstrap object that `bootstrapReport` reads. */
export const BOOTSTRAP_FIELDS = bootstrapConfigPaths("dataSecretCreated", "dataSecretName");

/** Values for a pool from its bootstrap object. A member that is absent keeps its present value. */
export interface BootstrapReport {
  /** For `spec.template.spec.bootstrap.dataSecretName`. */
  readonly dataSecretName?: string | undefined;
  /** For `status.initialization.bootstrapDataSecretCreated`. */
  readonly created?: boolean | undefined;
  /** Data that comes from the user: no `configRef`, or the name is held by a manager that is a user. */
  readonly provided?: boolean;
  /** For the condition: who set the name, or what is wrong with the object. */
  readonly message?: string | undefined;
}

const MAX_NAME = 253;

/**
 * Differs: a name that a user set beside a `configRef` stays; Cluster API overwrites it.
 * Source: MP-6.1
 */
export function bootstrapReport(pool: MachinePool, found: Referenced | undefined): BootstrapReport {
  const { configRef, dataSecretName } = pool.spec.template.spec.bootstrap;
  if (configRef === undefined) return dataSecretName === undefined ? {} : { created: true, provided: true };
  const user = overriddenBy(pool);
  if (user !== undefined) {
    return { created: true, provided: true, message: `data secret name is set by ${user}` };
  }
  const own = ownObject(pool, found);
  if (own === undefined || own.object.metadata.deletionTimestamp !== undefined) return {};

  const created = readBoolean(own.object, bootstrapConfigPath(own.contract, "dataSecretCreated"));
  if (created.problem !== undefined) return { message: created.problem };
  if (created.value !== true) return { created: false };
  const name = readString(own.object, bootstrapConfigPath(own.contract, "dataSecretName"));
  if (name.value === undefined || name.value === "" || name.value.length > MAX_NAME) {
    return { message: name.problem ?? "waiting for a valid status.dataSecretName" };
  }
  return { created: true, dataSecretName: name.value };
}

/** Tools that write or restore whole objects are not users (KW-07), and neither are our own functions. */
const NO_USERS: ReadonlySet<string> = new Set([
  "manager",
  "machinepool-controller",
  "clusterctl",
  "velero-server",
]);

function overriddenBy(pool: MachinePool): string | undefined {
  if (pool.spec.template.spec.bootstrap.dataSecretName === undefined) return undefined;
  return managersOf(pool, DATA_SECRET_NAME).find(
    (manager) => !(NO_USERS.has(manager) || manager.startsWith("capstan-")),
  );
}
