import { managementType } from "../../../shared/runtime/management-type.ts";
import type { Store } from "../../../shared/runtime/ports.ts";
import type { Server } from "../../kube/client.ts";
import { fieldOwners } from "../../kube/field-owners.ts";
import type { ReadManagers } from "../ports.ts";

interface ManagersOptions {
  /** Names what may be asked for: no text of a request becomes a part of a path before the read model knows it. */
  readonly store: Pick<Store, "get">;
  /** Opens a connection to the management API server, with a token in place of the credentials of this process. */
  readonly connect: (token: string | undefined) => Server;
}

/** Each list is one read. Source: W-104, W-506 */
export function createManagers({ store, connect }: ManagersOptions): ReadManagers {
  return async (kind, key, token) => {
    if ((await store.get(managementType(kind), key)) === undefined) return undefined;
    using server = connect(token);
    const object = await server.as("console").get(kind, key);
    if (object === undefined) return undefined;
    const managedFields: unknown = Reflect.get(object.metadata, "managedFields");
    return fieldOwners(Array.isArray(managedFields) ? managedFields : []);
  };
}
