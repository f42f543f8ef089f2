import {
  type ClusterName,
  type Kind,
  type KubeObject,
  type ObjectKey,
  objectKeyOf,
} from "../../../../shared/api/kinds.ts";
import { Pod } from "../../../../shared/api/workload.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { Clients, KubeClient } from "../../../../shared/runtime/ports.ts";
import { phaseOf } from "./semantic-attributes.ts";

/** One request of a run. */
export interface TracedRequest {
  readonly verb: string;
  readonly kind: Kind;
  /** The key; absent for a list. */
  readonly key: ObjectKey | undefined;
  readonly subresource: string | undefined;
  readonly cluster: ClusterName;
  readonly startMs: number;
  readonly endMs: number;
  /** HTTP status; 0 without an answer. */
  readonly status: number;
  /** The version that a write has made. */
  readonly written: WrittenVersion | undefined;
}

interface WrittenVersion {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly phase: string | undefined;
}

/** Takes the requests of one run. */
export type NoteRunRequest = (request: TracedRequest) => void;

/** Returns the same clients; `requestsOf` gets the id of a run and returns where its requests are noted. */
export function traceClients(
  clients: Clients,
  requestsOf: (runId: string | undefined) => NoteRunRequest | undefined,
  nowMs: () => number,
): Clients {
  return {
    of(cluster, functionName, sending) {
      const client = clients.of(cluster, functionName, sending);
      const note = requestsOf(sending?.runId);
      return note === undefined ? client : tracedClient(client, { cluster, note, nowMs });
    },
  };
}

interface Tracing {
  readonly cluster: ClusterName;
  readonly note: NoteRunRequest;
  readonly nowMs: () => number;
}

type Asked = Pick<TracedRequest, "verb" | "kind" | "key"> & { readonly subresource?: string | undefined };

function tracedClient(client: KubeClient, { cluster, note, nowMs }: Tracing): KubeClient {
  async function traced<T>(
    { verb, kind, key, subresource }: Asked,
    answer: Promise<T>,
    endOf: (result: T) => Pick<TracedRequest, "status" | "written">,
  ): Promise<T> {
    const startMs = nowMs();
    const end = (ended: Pick<TracedRequest, "status" | "written">): void =>
      note({ verb, kind, key, subresource, cluster, startMs, endMs: nowMs(), ...ended });
    try {
      const result = await answer;
      end(endOf(result));
      return result;
    } catch (error) {
      end({ status: error instanceof KubeError ? error.status : 0, written: undefined });
      throw error;
    }
  }
  return {
    get: (kind, key) =>
      traced({ verb: "get", kind: kind as Kind, key }, client.get(kind, key), (found) =>
        read(found === undefined ? 404 : 200),
      ),
    list: (kind, options) =>
      traced({ verb: "list", kind: kind as Kind, key: undefined }, client.list(kind, options), () =>
        read(200),
      ),
    watch: (kind, options, signal) => client.watch(kind, options, signal),
    kinds: (apiVersion) => client.kinds(apiVersion),
    create: (kind, object) =>
      traced({ verb: "create", kind, key: objectKeyOf(object) }, client.create(kind, object), (made) =>
        wrote(made, 201),
      ),
    jsonPatch: (kind, key, operations, subresource) =>
      traced(
        { verb: "patch", kind, key, subresource },
        client.jsonPatch(kind, key, operations, subresource),
        wrote,
      ),
    apply: (kind, key, body, subresource) =>
      traced({ verb: "apply", kind, key, subresource }, client.apply(kind, key, body, subresource), wrote),
    delete: (kind, key, preconditions) =>
      traced({ verb: "delete", kind, key }, client.delete(kind, key, preconditions), (left) =>
        left === undefined ? read(200) : wrote(left),
      ),
    evict: (key, eviction) =>
      traced({ verb: "evict", kind: POD, key }, client.evict(key, eviction), () => read(201)),
  };
}

/** Only names are used of it. */
const POD = Pod as unknown as Kind;

function read(status: number): Pick<TracedRequest, "status" | "written"> {
  return { status, written: undefined };
}

function wrote(object: Partial<KubeObject>, status = 200): Pick<TracedRequest, "status" | "written"> {
  const { uid, resourceVersion } = object.metadata ?? {};
  if (uid === undefined || resourceVersion === undefined) return { status, written: undefined };
  return { status, written: { uid, resourceVersion, phase: phaseOf(object) } };
}
