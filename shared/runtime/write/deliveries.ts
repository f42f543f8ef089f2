import { ConfigMap, type Secret } from "../../api/core.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../api/kinds.ts";
import { SECOND } from "../../function/backoff.ts";
import { assert, KubeError, messageOf, TerminalError } from "../../function/errors.ts";
import type { Delivery, DeliveryAnswer } from "../../function/manifests.ts";
import { truncate } from "../../rules/conditions/truncate.ts";
import type { KubeClient } from "../ports.ts";
import type { EventContext } from "./send-events.ts";
import { sideBySide } from "./side-by-side.ts";

/** The name behind `capstan-` of the field manager of delivered objects, whichever function delivers them. */
const MANAGER = "resourceset";

/** The time for all deliveries of a run: the lease of the run is longer. */
const ALL_WITHIN_MS = 20 * SECOND;

const MAX_PROBLEMS = 3;
const MAX_CHARACTERS = 300;

type DeliveryContext = Pick<EventContext, "clients" | "clock" | "signal" | "function" | "manifests">;

interface SentDeliveries {
  readonly answers: readonly DeliveryAnswer[];
  /** Writes sent. */
  readonly requests: number;
}

/** Kinds that others need, in this order before all others. Source: util/resource/resource.go */
const FIRST = [
  ...["Namespace", "CustomResourceDefinition", "StorageClass", "PersistentVolume", "PersistentVolumeClaim"],
  ...["Secret", "ConfigMap", "ServiceAccount", "LimitRange", "Pod", "ReplicaSet"],
];

/**
 * Delivers one after the other, so that the values of one resource at a time are in memory. A refusal is an answer, not
 * a failure. Throws what ends the run itself: its lease is lost, or the workload cluster is not connected.
 */
export async function sendDeliveries(
  deliveries: readonly Delivery[],
  context: DeliveryContext,
): Promise<SentDeliveries> {
  const deadlineAt = context.clock.now().getTime() + ALL_WITHIN_MS;
  const answers: DeliveryAnswer[] = [];
  let requests = 0;
  for (const delivery of deliveries) {
    const isLate = () => context.clock.now().getTime() >= deadlineAt;
    const sent = await deliver(delivery, { ...context, isLate });
    answers.push(sent.answer);
    requests += sent.requests;
  }
  return { answers, requests };
}

async function deliver(delivery: Delivery, context: DeliveryContext & { readonly isLate: () => boolean }) {
  const values = await valuesOf(delivery, context);
  if ("type" in values) return { answer: values, requests: 0 };
  const { source, verb, cluster } = delivery;
  const recordedAs = {
    source: { kind: source.kind.kind, namespace: source.namespace, name: source.name },
    hash: delivery.hash,
  };
  const client = context.clients.of(cluster, MANAGER, { recordedAs });
  const kindOf = createKinds(client);
  const problems: string[] = [];
  let requests = 0;
  const sendOne = async (object: KubeObject): Promise<void> => {
    context.signal.throwIfAborted();
    const kind = context.isLate() ? "late" : await kindOf(object);
    if (typeof kind === "string") {
      problems.push(`${titleOf(object)}: ${kind === "late" ? NOT_REACHED : kind}`);
      return;
    }
    requests += 1;
    const problem = await send(placed(object, kind), { kind, verb, client });
    if (problem !== undefined) problems.push(`${titleOf(object)}: ${wordsOf(problem, source.kind)}`);
  };
  for (const objects of values.flatMap(inOrder)) await sideBySide(objects, sendOne);
  return { answer: answerOf(problems), requests };
}

/** Returns the objects of one value in groups: each is sent once the one before it is, in itself side by side. */
function inOrder(objects: readonly KubeObject[]): readonly (readonly KubeObject[])[] {
  const byRank = Map.groupBy(objects, ({ kind }) =>
    FIRST.includes(kind) ? FIRST.indexOf(kind) : FIRST.length,
  );
  return [...byRank].sort(([a], [b]) => a - b).map(([, group]) => group);
}

const NOT_REACHED = "not sent within 20 s, it follows";

/** Returns the objects of each value, or the answer that there are none. */
async function valuesOf(
  { source, hash }: Delivery,
  { clients, manifests, function: fn }: DeliveryContext,
): Promise<readonly (readonly KubeObject[])[] | DeliveryAnswer> {
  assert(manifests !== undefined, `${fn.spec.name} delivers manifests in a process that may read none`);
  const kind = source.kind as Kind as Kind<Secret | ConfigMap>;
  const found = await clients.of(MANAGEMENT, fn.spec.name).get(kind, source);
  if (found === undefined || manifests.describe(found).hash !== hash)
    return { type: "failed", problems: ["it has changed meanwhile"] };
  try {
    return manifests.objectsIn(found);
  } catch (error) {
    if (!(error instanceof TerminalError)) throw error;
    return { type: "failed", problems: [error.message], isUnreadable: true };
  }
}

/** Finds the kind of an object on its server, or says that the server has none; asks once for each apiVersion. */
function createKinds(client: KubeClient): (object: KubeObject) => Promise<Kind | string> {
  const known = new Map<string, Promise<readonly Kind[]>>();
  return async ({ apiVersion, kind }) => {
    const asked = known.get(apiVersion) ?? client.kinds(apiVersion);
    known.set(apiVersion, asked);
    try {
      const found = (await asked).find((each) => each.kind === kind);
      if (found === undefined) known.delete(apiVersion);
      return found ?? `the server has no kind ${kind} in ${apiVersion} yet`;
    } catch (error) {
      known.delete(apiVersion);
      if (!(error instanceof KubeError)) throw error;
      return error.message;
    }
  };
}

/** Differs: a namespaced object without namespace goes into `default`, as with kubectl; upstream's request fails. */
function placed(object: KubeObject, { namespaced }: Kind): KubeObject {
  const {
    uid: _uid,
    resourceVersion: _version,
    creationTimestamp: _created,
    namespace = "default",
    ...metadata
  } = object.metadata;
  return { ...object, metadata: namespaced ? { ...metadata, namespace } : metadata };
}

/** Returns the refusal, if any. */
async function send(
  object: KubeObject,
  { kind, verb, client }: { readonly kind: Kind; readonly client: KubeClient } & Pick<Delivery, "verb">,
): Promise<KubeError | undefined> {
  const { namespace = "", name } = object.metadata;
  try {
    if (verb === "create") await client.create(kind, object);
    else await client.apply(kind, { namespace, name }, object);
    return undefined;
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    return verb === "create" && error.reason === "AlreadyExists" ? undefined : error;
  }
}

/** A server quotes what it refuses: of objects out of a Secret only the reason is said. */
function wordsOf(error: KubeError, { kind }: Kind): string {
  if (kind === ConfigMap.kind) return messageOf(error);
  return `${error.reason}; the server's words are left out, as they may quote the Secret`;
}

function answerOf(problems: readonly string[]): DeliveryAnswer {
  if (problems.length === 0) return { type: "applied" };
  const more = problems.length - MAX_PROBLEMS;
  const first = problems.slice(0, MAX_PROBLEMS).map((problem) => truncate(problem, MAX_CHARACTERS));
  return { type: "failed", problems: more > 0 ? [...first, `and ${more} more`] : first };
}

function titleOf({ kind, metadata: { namespace, name } }: KubeObject): string {
  return `${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
}
