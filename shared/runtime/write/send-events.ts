import { Event } from "../../api/core.ts";
import { type KubeObject, MANAGEMENT } from "../../api/kinds.ts";
import { MINUTE } from "../../function/backoff.ts";
import type { AnyFunction, Notice } from "../../function/define-function.ts";
import { KubeError } from "../../function/errors.ts";
import { redactMessage } from "../decide/failure.ts";
import type { Clients, Clock, Issuer, Log, Manifests } from "../ports.ts";
import { sideBySide } from "./side-by-side.ts";

/** Names of the Events that one process has sent, and subjects of which one is enough, with the time: a run that finds nothing new sends nothing. */
export type SentEvents = Map<string, Date>;

/** The time after which an API server has forgotten an Event. */
const SENT_MS = 60 * MINUTE;
const MAX_SENT = 10_000;

export interface EventContext {
  readonly function: AnyFunction;
  /** Subject of the Events. */
  readonly object: KubeObject;
  readonly clients: Clients;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborted when the lease is lost: nothing is sent afterwards. */
  readonly signal: AbortSignal;
  /** Id of the reporting run; stands on the Event. */
  readonly runId?: string | undefined;
  readonly sentEvents?: SentEvents | undefined;
  /** Needed by decisions that issue. */
  readonly issuer?: Issuer | undefined;
  /** Needed by decisions that deliver. */
  readonly manifests?: Manifests | undefined;
}

/**
 * Sends each notice once: the Event's name is a function of object, reason, message and occasion. Never throws: an
 * Event is a courtesy, and losing one must not repeat or fail a run.
 */
export async function sendEvents(notices: readonly Notice[], context: EventContext): Promise<void> {
  const now = context.clock.now();
  const component = `capstan-${context.function.spec.name}`;
  const events = notices.map((given) => {
    const notice = { ...given, message: redactMessage(given.message) };
    return eventOf(notice, notice.about ?? context.object, { now, component, runId: context.runId });
  });
  const byName = new Map(events.map((event) => [event.metadata.name, event]));
  const due = [...byName.values()].filter((event) => !isSent(event.metadata.name, context.sentEvents, now));
  // One after the other, those of a hundred new Machines would hold up the end of their run.
  await sideBySide(due, (event) => sendEvent(event, context));
}

async function sendEvent(event: Event, context: EventContext): Promise<void> {
  if (context.signal.aborted) return;
  const { name } = context.function.spec;
  const now = context.clock.now();
  try {
    await context.clients.of(MANAGEMENT, name, { late: true }).create(Event, event);
    remember(event.metadata.name, context.sentEvents, now);
  } catch (error) {
    if (error instanceof KubeError && error.reason === "AlreadyExists")
      remember(event.metadata.name, context.sentEvents, now);
    else context.log.warn({ function: name, reason: event.reason, error }, "Event not recorded");
  }
}

/** Whether nothing was sent about this for an hour; from now on something was. */
export function isFirstOf(subject: string, sentEvents: SentEvents | undefined, now: Date): boolean {
  if (isSent(subject, sentEvents, now)) return false;
  remember(subject, sentEvents, now);
  return true;
}

function isSent(name: string, sentEvents: SentEvents | undefined, now: Date): boolean {
  const at = sentEvents?.get(name);
  return at !== undefined && now.getTime() - at.getTime() < SENT_MS;
}

function remember(name: string, sentEvents: SentEvents | undefined, now: Date): void {
  if (sentEvents !== undefined && sentEvents.size >= MAX_SENT) sentEvents.clear();
  sentEvents?.set(name, now);
}

function eventOf(
  notice: Notice,
  about: KubeObject,
  by: { readonly now: Date; readonly component: string; readonly runId: string | undefined },
): Event {
  const { name, namespace, uid, resourceVersion } = about.metadata;
  const timestamp = `${by.now.toISOString().slice(0, 19)}Z`;
  return {
    apiVersion: "v1",
    kind: "Event",
    metadata: {
      name: eventNameOf(about.metadata, notice),
      namespace: namespace ?? "default",
      ...annotationsOf(notice, by.runId),
    },
    involvedObject: { apiVersion: about.apiVersion, kind: about.kind, namespace, name, uid, resourceVersion },
    ...(notice.related === undefined ? {} : { related: { ...notice.related, namespace } }),
    reason: notice.reason,
    message: notice.message.slice(0, MAX_MESSAGE_CHARACTERS),
    type: notice.type,
    source: { component: by.component },
    reportingComponent: by.component,
    reportingInstance: by.component,
    firstTimestamp: timestamp,
    lastTimestamp: timestamp,
    count: 1,
  };
}

function annotationsOf({ annotations }: Notice, runId: string | undefined) {
  const all = { ...annotations, ...(runId === undefined ? {} : { [RUN_ANNOTATION]: runId }) };
  return Object.keys(all).length === 0 ? {} : { annotations: all };
}

/** The name of the Event that says this about an object: the same words on the same occasion are one Event. */
export function eventNameOf(
  { name, uid }: { readonly name: string; readonly uid?: string | undefined },
  { reason, message, occasion }: Pick<Notice, "reason" | "message" | "occasion">,
): string {
  const when = occasion === undefined ? "" : ` ${occasion}`;
  return `${prefixOf(name)}.${hashOf(`${uid} ${reason} ${message}${when}`)}`;
}

const RUN_ANNOTATION = "capstan.dev/run";
/** The API server takes at most 1,024. */
const MAX_MESSAGE_CHARACTERS = 1_024;

/** Names have at most 253 characters, and a part before a dot ends in a letter or digit. */
function prefixOf(name: string): string {
  return name.slice(0, 200).replace(/[-.]+$/, "");
}

/** Returns FNV-1a, 64 bit, as 16 hexadecimal digits: stable names, not security. */
function hashOf(text: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of new TextEncoder().encode(text)) {
    hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  }
  return hash.toString(16).padStart(16, "0");
}
