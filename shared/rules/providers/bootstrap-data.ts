import { bootstrapConfigPath, bootstrapConfigPaths } from "../../contract/bootstrap-config.ts";
import { readBoolean, readString } from "../../contract/fields.ts";
import type { Found } from "../../contract/referenced.ts";
import { isDeleting } from "../../function/guards.ts";

/** The fields of a bootstrap config that `bootstrapData` reads. */
export const BOOTSTRAP_FIELDS = bootstrapConfigPaths("dataSecretCreated", "dataSecretName");

/** Bootstrap data of a Machine or pool. A member that is absent keeps its present value. */
export interface BootstrapData {
  /** The name of the Secret that the config reports. */
  readonly dataSecretName?: string | undefined;
  /** The latch `status.initialization.bootstrapDataSecretCreated`. */
  readonly created?: boolean | undefined;
  /** Data that comes from the user: no `configRef`, or the name is held by a manager that is a user. */
  readonly provided?: boolean;
  /** The message of the condition: who set the name, or what is wrong with the config. */
  readonly message?: string | undefined;
}

const MAX_NAME = 253;

/**
 * Returns what follows from a `configRef`: `user` is the manager that has set the name by hand, `own` the config once its
 * values count.
 * Differs: a name that a user set beside a `configRef` stays; Cluster API overwrites it.
 */
export function bootstrapData(user: string | undefined, own: Found | undefined): BootstrapData {
  if (user !== undefined) {
    return { created: true, provided: true, message: `data secret name is set by ${user}` };
  }
  if (own === undefined || isDeleting(own.object)) return {};
  const created = readBoolean(own.object, bootstrapConfigPath(own.contract, "dataSecretCreated"));
  if (created.problem !== undefined) return { message: created.problem };
  if (created.value !== true) return { created: false };
  const name = readString(own.object, bootstrapConfigPath(own.contract, "dataSecretName"));
  if (name.value === undefined || name.value === "" || name.value.length > MAX_NAME) {
    return { message: name.problem ?? "waiting for a valid status.dataSecretName" };
  }
  return { created: true, dataSecretName: name.value };
}

/**
 * Managers of Cluster API, tools that write or restore whole objects, and the server itself after it has lost its
 * managedFields: none of them is a user.
 */
const NO_USERS: ReadonlySet<string> = new Set([
  "manager",
  "machinepool-controller",
  "clusterctl",
  "velero-server",
  "before-first-apply",
]);

/** Returns the manager of a field that is a user; `isOurs` says which of Capstan's functions are not. */
export function userAmong(
  managers: readonly string[],
  isOurs: (manager: string) => boolean,
): string | undefined {
  return managers.find((manager) => !(NO_USERS.has(manager) || isOurs(manager)));
}
