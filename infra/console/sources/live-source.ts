import { Event } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { mask } from "../../../shared/redaction/redact.ts";
import type { KubeClient, Store } from "../../../shared/runtime/ports.ts";
import { managementType } from "../../../shared/runtime/read/management-type.ts";
import type { Server } from "../../platform/kube/client.ts";
import { fieldOwners } from "../../platform/kube/take-over.ts";
import type { LiveEvents, ReadLive } from "../ports.ts";

interface LiveOptions {
  /** Names what may be asked for: no text of a request becomes a part of a path before the read model knows it. */
  readonly store: Pick<Store, "get">;
  /** Opens a connection to the management API server, with a token in place of the credentials of this process. */
  readonly connect: (token: string | undefined) => Server;
}

/** The most Events of one object; an API server forgets them after an hour. */
const MAX_EVENTS = 500;

/** Each answer is two reads: the object and its Events. */
export function createLive({ store, connect }: LiveOptions): ReadLive {
  return async (kind, key, token) => {
    if ((await store.get(managementType(kind), key)) === undefined) return undefined;
    using server = connect(token);
    const client = server.as("console");
    const object = await client.get(kind, key);
    if (object === undefined) return undefined;
    const managedFields: unknown = Reflect.get(object.metadata, "managedFields");
    return {
      managers: fieldOwners(Array.isArray(managedFields) ? managedFields : []),
      manifest: mask(object) as KubeObject,
      ...(await eventsOf(client, object)),
    };
  };
}

/** The newest first. A person who may get an object may lack the right to list its Events. */
async function eventsOf(client: KubeClient, { metadata }: KubeObject): Promise<LiveEvents> {
  const { namespace, uid } = metadata;
  try {
    const fieldSelector = `involvedObject.uid=${uid}`;
    const { items } = await client.list(Event, { namespace, fieldSelector, maxItems: MAX_EVENTS });
    return { events: items.toSorted((a, b) => timeOf(b).localeCompare(timeOf(a))) };
  } catch (error) {
    return { events: [], eventsMissing: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns when it was last seen, RFC 3339. */
export function timeOf({ lastTimestamp, firstTimestamp, metadata }: Event): string {
  return lastTimestamp ?? firstTimestamp ?? metadata.creationTimestamp ?? "";
}
