import type { KubeObject } from "../../api/kinds.ts";
import type { GuardedPatch, NewObject, Notice } from "../../function/define-function.ts";
import { KubeError, messageOf, WaitingError } from "../../function/errors.ts";
import type { EvictionAnswer, PodEviction } from "../../function/evictions.ts";
import type { Delivery, DeliveryAnswer } from "../../function/manifests.ts";
import type { Fence } from "../queue/queue-port.ts";
import { echoOf, fenceOfAnswer } from "../read/freshness.ts";
import { HELD_BACK_MS, HeldBackError, type LimitContext, requireRoom } from "./deletion-limit.ts";
import { sendDeliveries } from "./deliveries.ts";
import { sendEvictions } from "./evictions.ts";
import { judgeFailedWrite } from "./failed-write.ts";
import type { EventContext } from "./send-events.ts";
import { sideBySide } from "./side-by-side.ts";
import type { WriteRequest } from "./write-request.ts";

/** When a failed write is tried again, and the reason of its Event. */
interface Again {
  readonly afterMs: number;
  readonly why: string;
}

/** The requests of a decision so far, and their answers. */
export interface Sent {
  /** Write requests sent, Events not counted. */
  readonly requests: number;
  /** Versions that the next run of the key must not go back behind. */
  readonly fences: readonly Fence[];
  /** The first failure, if any; everything that does not depend on it was still attempted. */
  readonly error: unknown;
  /** A write that may fail has failed, and the rest of the Decision waits for it: until then. */
  readonly again?: Again | undefined;
  /** An object that must end was deleted and is still there. */
  readonly stays: boolean;
  /** Why the server has refused to make an object, in its words; the first of them. */
  readonly refusal?: string | undefined;
}

/** Sends the requests of one decision, several at a time, and remembers the answers. */
export interface Sender {
  /** Returns once every request is answered; failures are in `sent`. */
  all(requests: readonly WriteRequest[]): Promise<void>;
  /** One answer for each Pod; `undefined` when the run itself has ended meanwhile. */
  evict(pods: readonly PodEviction[]): Promise<readonly EvictionAnswer[] | undefined>;
  /** One answer for each delivery; `undefined` when the run itself has ended meanwhile. */
  deliver(deliveries: readonly Delivery[]): Promise<readonly DeliveryAnswer[] | undefined>;
  /** Events about single writes: accepted ones, and failures of those that may fail, the first of each reason and object. */
  events(): readonly Notice[];
  /** The patches that follow creates which the server has refused. */
  refused(): readonly GuardedPatch[];
  /** The objects that follow creates which the server has accepted. */
  dependents(): readonly NewObject[];
  sent(): Sent;
}

export function createSender(context: EventContext & LimitContext): Sender {
  const { signal, clients, function: fn } = context;
  const fences: Fence[] = [];
  const leave = (fence: Fence | undefined) => fence && fences.push(fence);
  let requests = 0;
  let firstError: unknown;
  let stays = false;
  let refusal: string | undefined;
  const next: NewObject[] = [];
  const reports = createReports();
  /** Returns its failure, if any. */
  async function send({ ref, verb, request, recordedAs, ...more }: WriteRequest): Promise<unknown> {
    const client = () => clients.of(ref.cluster, fn.spec.name, { recordedAs });
    const isEcho = fn.spec.settles === true && verb !== "delete" && ref.resourceVersion !== undefined;
    const accepted = (answer?: KubeObject) => {
      const fence = fenceOfAnswer(ref, answer);
      leave(fence && isEcho ? { ...fence, echo: echoOf(fence) } : fence);
    };
    try {
      if (context.limit !== undefined) await requireRoom({ ref, verb }, context, context.limit);
      signal.throwIfAborted();
      requests += 1;
      const result = await request(client(), accepted);
      accepted(result);
      stays ||= more.mustEnd === true && result !== undefined;
      if (result !== undefined) next.push(...ownedBy(result, more.dependents));
      return undefined;
    } catch (failure) {
      // Not connected: nothing was sent.
      if (failure instanceof WaitingError) requests -= 1;
      const { error, fence } = await judgeFailedWrite({ ref, verb, error: failure }, client);
      leave(fence);
      return error;
    }
  }
  const note = (write: WriteRequest, error: unknown): void => {
    if (isMaking(write) && isRefusal(error)) refusal ??= messageOf(error);
    if (error === undefined) reports.accepted(write);
    else if (mayFail(write, error)) reports.failed(write, error);
    else firstError ??= error;
    if (error instanceof HeldBackError) reports.heldBack(error);
  };
  const answersOf = async <T>(
    sending: Promise<{ readonly answers: readonly T[]; readonly requests: number }>,
  ): Promise<readonly T[] | undefined> => {
    try {
      const sent = await sending;
      requests += sent.requests;
      return sent.answers;
    } catch (error) {
      firstError ??= error;
      return undefined;
    }
  };
  return {
    async all(writes) {
      let isSilent = false;
      await sideBySide(writes, async (write) => {
        // Each further one would take as long: together longer than the run may.
        if (isSilent && write.ifFails !== undefined) return;
        const error = await send(write);
        note(write, error);
        isSilent ||= write.ifFails !== undefined && error instanceof KubeError && error.reason === "NoAnswer";
      });
    },
    evict: (pods) => answersOf(sendEvictions(pods, context)),
    deliver: (deliveries) => answersOf(sendDeliveries(deliveries, context)),
    events: reports.events,
    refused: reports.refused,
    dependents: () => next,
    sent: () => ({ requests, fences, error: firstError, again: reports.again(), stays, refusal }),
  };
}

/** Returns dependents with the uid of the owner that the server has made. */
function ownedBy({ metadata: { uid } }: KubeObject, dependents: readonly NewObject[] = []) {
  return dependents.map(({ object, ...rest }) => {
    const { ownerReferences = [], ...metadata } = object.metadata;
    const owners = ownerReferences.map((owner) => (owner.uid === "" ? { ...owner, uid: uid ?? "" } : owner));
    return { ...rest, object: { ...object, metadata: { ...metadata, ownerReferences: owners } } };
  });
}

interface Reports extends Pick<Sender, "events" | "refused"> {
  accepted(write: WriteRequest): void;
  /** Records the failure of a write that may fail. */
  failed(write: WriteRequest, error: unknown): void;
  heldBack(error: HeldBackError): void;
  again(): Again | undefined;
}

/** Collects what follows from single writes: Events, patches, and when the key comes back. */
function createReports(): Reports {
  let again: Again | undefined;
  const announced: Notice[] = [];
  const tolerated = new Map<string, Notice>();
  const refused: GuardedPatch[] = [];
  return {
    accepted({ announces }) {
      if (announces !== undefined) announced.push(announces);
    },
    failed({ ifFails, ifRefused }, error) {
      if (ifFails === undefined) return;
      const { event, againAfterMs, about, says } = ifFails;
      if (againAfterMs !== undefined) again = { afterMs: againAfterMs, why: `${event}: ${messageOf(error)}` };
      if (ifRefused !== undefined && isRefusal(error)) refused.push(ifRefused);
      const notice = noticeOf(error, event, says);
      const id = `${event} ${says ?? about?.metadata.uid ?? ""}`;
      if (notice === undefined || tolerated.has(id)) return;
      tolerated.set(id, about === undefined ? notice : { ...notice, about });
    },
    heldBack({ message, notice }) {
      again = { afterMs: HELD_BACK_MS, why: message };
      tolerated.set(message, notice);
    },
    events: () => [...announced, ...tolerated.values()],
    refused: () => refused,
    again: () => again,
  };
}

/**
 * A patch that has lost a race runs the key again, whether or not it may fail. A delete that was held back keeps the
 * finalizers of its decision, and a create only waits.
 */
function mayFail({ verb, ifFails }: WriteRequest, error: unknown): boolean {
  if (ifFails === undefined) return false;
  if (error instanceof HeldBackError) return verb === "create";
  return isOfServer(error) && !(verb === "patch" && isLostRace(error));
}

/** Whether the failure is the server's, and not the end of the run: a lost lease, or its time being over. */
function isOfServer(failure: unknown): boolean {
  return failure instanceof KubeError || failure instanceof WaitingError;
}

function isLostRace(failure: unknown): boolean {
  return failure instanceof KubeError && failure.class === "Conflict";
}

/** It makes an object: an apply without uid may meet none. */
function isMaking({ verb, ref }: WriteRequest): boolean {
  return verb === "create" || (verb === "apply" && ref.uid === undefined);
}

/** The server has said no to this object: neither that it was too busy, nor that the object exists. */
function isRefusal(failure: unknown): boolean {
  return (
    failure instanceof KubeError &&
    failure.status > 0 &&
    failure.class !== "Throttled" &&
    failure.reason !== "AlreadyExists"
  );
}

/** A lost race is not reported: the next run sees who won it. */
function noticeOf(failure: unknown, reason: string, says?: string): Notice | undefined {
  if (!(failure instanceof KubeError) || isLostRace(failure)) return undefined;
  const message = says === undefined ? failure.message : `${says}: ${failure.message}`;
  return { type: "Warning", reason, message };
}
