import type { ClusterName, Kind, KubeObject, ObjectKey } from "../../api/kinds.ts";
import { objectKeyOf } from "../../api/kinds.ts";
import { Pod } from "../../api/workload.ts";
import { KubeError } from "../../function/errors.ts";
import type { RecordedWrite } from "../attempt-record.ts";
import type { Clients, KubeClient } from "../ports.ts";

export interface WriteRecorder extends Clients {
  /** The writes in the order in which they were sent. Events are not among them. */
  readonly sent: readonly RecordedWrite[];
}

/**
 * The same clients, keeping every write request with its outcome for a dead letter, and of a read after an error the
 * version that it found, for a run that is cut off.
 */
export function recordWrites(clients: Clients): WriteRecorder {
  const sent: Recording[] = [];
  return {
    sent,
    of: (cluster, name, sending) =>
      recordingClient(clients.of(cluster, name, sending), {
        cluster,
        name,
        sent,
        recordedAs: sending?.recordedAs,
      }),
  };
}

/** A write whose answer is not there yet. */
type Recording = { -readonly [P in keyof RecordedWrite]: RecordedWrite[P] };

interface Sender {
  readonly cluster: ClusterName;
  readonly name: string;
  readonly sent: Recording[];
  readonly recordedAs: object | undefined;
}

function recordingClient(client: KubeClient, { cluster, name, sent, recordedAs }: Sender): KubeClient {
  async function keep<T extends KubeObject | undefined>(
    request: Pick<RecordedWrite, "verb" | "kind" | "key" | "subresource" | "precondition" | "body">,
    answer: Promise<T>,
  ): Promise<T> {
    const write: Recording = {
      ...request,
      ...(recordedAs === undefined ? {} : { body: recordedAs }),
      cluster,
      fieldManager: `capstan-${name}`,
      outcome: {},
    };
    if (request.kind.kind !== "Event" || request.kind.group !== "") sent.push(write);
    try {
      const result = await answer;
      write.outcome = { resourceVersion: versionOf(result) };
      return result;
    } catch (error) {
      // A server quotes what it refuses.
      write.outcome = {
        error: recordedAs !== undefined && error instanceof KubeError ? wordless(error) : error,
      };
      throw error;
    }
  }
  return {
    get: async (kind, key) => {
      const found = await client.get(kind, key);
      const failed = sent.findLast((write) => write.cluster === cluster && isOf(write, kind, key));
      if (failed?.outcome.error !== undefined)
        failed.outcome = { ...failed.outcome, foundVersion: versionOf(found) };
      return found;
    },
    list: (kind, options) => client.list(kind, options),
    watch: (kind, options, signal) => client.watch(kind, options, signal),
    kinds: (apiVersion) => client.kinds(apiVersion),
    create: <T extends KubeObject>(kind: Kind, object: T) =>
      keep({ verb: "create", kind, key: objectKeyOf(object), body: object }, client.create(kind, object)),
    jsonPatch: (kind: Kind, key: ObjectKey, operations, subresource) =>
      keep(
        { verb: "patch", kind, key, subresource, body: operations },
        client.jsonPatch(kind, key, operations, subresource),
      ),
    evict: (key, { uid, gracePeriodSeconds, withinMs }) => {
      const body = gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds };
      return keep(
        { verb: "evict", kind: POD, key, precondition: { uid }, body },
        client.evict(key, { uid, gracePeriodSeconds, withinMs }),
      );
    },
    apply: (kind: Kind, key: ObjectKey, body: object, subresource) =>
      keep({ verb: "apply", kind, key, subresource, body }, client.apply(kind, key, body, subresource)),
    delete: (kind: Kind, key: ObjectKey, preconditions) =>
      keep(
        { verb: "delete", kind, key, precondition: preconditions },
        client.delete(kind, key, preconditions),
      ),
  };
}

/** The failure of a write whose body is not recorded, without the words of the server. */
function wordless({ class: errorClass, status, reason }: KubeError): KubeError {
  const message = `${reason}: the server's words are left out, as they may quote what was sent`;
  return new KubeError({ class: errorClass, status, reason, message });
}

/** Only names are used of it. */
const POD = Pod as unknown as Kind;

function isOf(write: RecordedWrite, { group, kind }: Kind, { namespace, name }: ObjectKey): boolean {
  return (
    write.kind.group === group &&
    write.kind.kind === kind &&
    write.key.namespace === namespace &&
    write.key.name === name
  );
}

function versionOf(result: Partial<KubeObject> | undefined): string | undefined {
  return result?.metadata?.resourceVersion;
}
