import {
  apiVersionOf,
  type ClusterName,
  groupOf,
  type Kind,
  type KubeObject,
  type ObjectKey,
} from "../../shared/api/kinds.ts";
import type { PatchOperation } from "../../shared/api/patch.ts";
import { KINDS } from "../../shared/api/registry.ts";
import { Pod } from "../../shared/api/workload.ts";
import type { Clients, KubeClient } from "../../shared/runtime/ports.ts";

/** One write request as it would leave the process. */
export interface SentWrite {
  readonly verb: "create" | "jsonPatch" | "evict" | "apply" | "delete";
  readonly cluster: ClusterName;
  readonly as: string;
  /** Id of the run that sends it. */
  readonly runId?: string | undefined;
  readonly kind: string;
  readonly name: string;
  readonly body?: unknown;
  readonly operations?: readonly PatchOperation[];
  readonly subresource?: string | undefined;
}

export interface RecordingClients extends Clients {
  readonly sent: readonly SentWrite[];
}

/**
 * Clients that note what is sent and answer with a new version of it. `refuse` decides about failures. No
 * server is behind them: what a server makes of a request is tested against servers. Reads find what is `served`, unchanged.
 */
export function recordingClients(
  refuse: (write: SentWrite) => Error | undefined = () => undefined,
  served: readonly KubeObject[] = [],
): RecordingClients {
  const sent: SentWrite[] = [];
  let version = 1_000;
  const accept = async (write: SentWrite): Promise<KubeObject> => {
    sent.push(write);
    const refusal = refuse(write);
    if (refusal !== undefined) throw refusal;
    version += 1;
    return {
      apiVersion: "v1",
      kind: write.kind,
      metadata: { name: write.name, uid: `uid-${write.name}`, resourceVersion: String(version) },
    };
  };
  const unwatched = (): never => {
    throw new Error("recording clients cannot watch");
  };
  const servedOf = <T extends KubeObject>({ group, kind }: Kind<T>): readonly T[] => {
    const found: readonly KubeObject[] = served.filter(
      (object) => object.kind === kind && groupOf(object.apiVersion) === group,
    );
    return found as readonly T[];
  };
  return {
    sent,
    of(cluster, as, { runId, mayGo } = {}): KubeClient {
      const answer = async (write: SentWrite): Promise<KubeObject> => {
        mayGo?.();
        return accept(write);
      };
      const write = (verb: SentWrite["verb"], kind: Kind, key: Pick<ObjectKey, "name">) => ({
        verb,
        cluster,
        as,
        ...(runId === undefined ? {} : { runId }),
        kind: kind.kind,
        name: key.name,
      });
      return {
        get: async (kind, { namespace, name }) =>
          servedOf(kind).find(
            ({ metadata }) => metadata.name === name && (metadata.namespace ?? "") === namespace,
          ),
        list: async (kind, { namespace }) => ({
          items: servedOf(kind).filter(
            ({ metadata }) => namespace === undefined || metadata.namespace === namespace,
          ),
          resourceVersion: "1000",
        }),
        watch: unwatched,
        kinds: async (apiVersion) => KINDS.filter((kind) => apiVersionOf(kind) === apiVersion),
        create: (kind, object) =>
          answer({ ...write("create", kind, (object as KubeObject).metadata), body: object }),
        jsonPatch: (kind, key, operations, subresource) =>
          answer({ ...write("jsonPatch", kind, key), operations, subresource }),
        evict: async (key, eviction) => {
          await answer({ ...write("evict", Pod as unknown as Kind, key), body: eviction });
          return undefined;
        },
        apply: (kind, key, body, subresource) => answer({ ...write("apply", kind, key), body, subresource }),
        delete: (kind, key, preconditions) => answer({ ...write("delete", kind, key), body: preconditions }),
      };
    },
  };
}
