import type { Kind, ObjectKey } from "../../../shared/api/kinds.ts";
import { deadWebhook, reviveText } from "../../../shared/function/dead-webhook.ts";
import { type ErrorClass, KubeError, messageOf } from "../../../shared/function/errors.ts";
import { missingRight, remedyText } from "../../../shared/function/missing-right.ts";
import { type Status, type StatusDetails, statusIn, statusOf } from "./status.ts";

/** The subject of a request: distinguishes a missing object from a type that is not served. */
export interface RequestSubject {
  readonly kind: Kind;
  readonly key?: ObjectKey | undefined;
  /** Host and port of the server, for messages about what it sends. */
  readonly server?: string | undefined;
  readonly verb: "get" | "list" | "watch" | "create" | "patch" | "evict" | "apply" | "delete" | "probe";
}

/** A policy explains itself in its message, up to the 4 KiB that a failure keeps. */
const MAX_MESSAGE = 4 * 1_024;
/** Node.js quotes the names in the server's certificate, of which the first ones are enough. */
const MAX_QUOTED = 1_024;

/** Returns the failure that an answer with status 300 or more means (KC-06). */
export function errorOf(
  answer: { readonly status: number; readonly retryAfter?: string | undefined; readonly text: string },
  subject: RequestSubject,
): KubeError {
  return kubeErrorOf(statusIn(answer.text), answer, subject);
}

/** Returns the failure that the Status in an ERROR event of a watch means. */
export function errorOfEvent(object: unknown, subject: RequestSubject, cause: unknown): KubeError {
  const status = statusOf(object) ?? "malformed";
  const code = status === "malformed" ? 500 : (status.code ?? 500);
  return kubeErrorOf(status, { status: code, cause }, subject);
}

/**
 * Returns the failure of a request without an answer: refused, reset, timed out or cut off. A write may be done
 * (KC-07).
 */
export function noAnswer(cause: unknown, subject: RequestSubject, what: string): KubeError {
  const detail = messageOf(cause);
  return new KubeError({
    class: "Transient",
    status: 0,
    reason: "NoAnswer",
    message: `${describe(subject)}: ${what}${detail === "" ? "" : `: ${detail}`}`.slice(0, MAX_QUOTED),
    cause,
  });
}

/**
 * Returns the failure of an answer that cannot be used: HTML of a proxy, a damaged line, a wrong shape, too many bytes.
 */
export function undecodable(
  subject: RequestSubject,
  what: string,
  reason: "Undecodable" | "TooLarge" | "TooDeep" = UNDECODABLE,
): KubeError {
  const from = subject.server === undefined ? "" : ` (from ${subject.server})`;
  const message = `${describe(subject)}: ${what}${from}`;
  return new KubeError({ class: "Transient", status: 0, reason, message });
}

const UNDECODABLE = "Undecodable";

/** Returns whether an answer says that exactly this object does not exist. */
export function isAbsent(error: KubeError): boolean {
  return error.status === 404 && error.reason === "NotFound";
}

function describe({ verb, kind, key }: RequestSubject): string {
  return key === undefined ? `${verb} ${kind.plural}` : `${verb} ${kind.kind} ${key.namespace}/${key.name}`;
}

function kubeErrorOf(
  body: Status | "malformed" | undefined,
  answer: {
    readonly status: number;
    readonly retryAfter?: string | undefined;
    readonly cause?: unknown;
  },
  subject: RequestSubject,
): KubeError {
  const code = answer.status;
  const status = body === "malformed" ? undefined : body;
  const causes = status?.details.causes ?? [];
  const reason = body === "malformed" ? UNDECODABLE : reasonOf(code, status, subject);
  const message =
    status?.message ?? `HTTP status ${code} ${WITHOUT[body === undefined ? "none" : "malformed"]}`;
  return new KubeError({
    class: classOf(code, reason, causes, subject),
    status: code,
    reason,
    message: `${describe(subject)}: ${message}${remedyOf(code, message)}`.slice(0, MAX_MESSAGE),
    causes,
    retryAfterMs: retryAfterMs(answer.retryAfter, status),
    cause: answer.cause,
  });
}

/** Says how to grant the right that is missing, or which webhook does not answer. */
function remedyOf(code: number, message: string): string {
  const webhook = code >= 500 ? deadWebhook(message) : undefined;
  if (webhook !== undefined) return `; ${reviveText(webhook)}`;
  const right = code === 403 ? missingRight(message) : undefined;
  return right === undefined ? "" : `; ${remedyText(right)}`;
}

const WITHOUT = {
  none: "without a Kubernetes Status",
  malformed: "with a Status of which a member has the wrong type, or which is too long",
};

function reasonOf(code: number, status: Status | undefined, subject: RequestSubject): string {
  if (code === 404) return namesObject(status, subject) ? "NotFound" : notFoundReason(status);
  if (code === 410) return "Expired";
  if (code === 429 && status?.message?.startsWith(INITIALIZING) === true) return STORAGE_INITIALIZING;
  const named = status?.reason;
  if (named !== undefined && named !== "") return named;
  if (code >= 500 && status === undefined) return "NoAnswer";
  return defaultReasons[code] ?? (code < 400 ? "Redirected" : "Unknown");
}

/**
 * Reason of a KubeError: for some seconds the server prepares a type that is new to it. It serves other types
 * meanwhile.
 */
export const STORAGE_INITIALIZING = "StorageInitializing";
/** kube-apiserver sends this without a reason (k8s.io/apiserver, storage/cacher). */
const INITIALIZING = "storage is (re)initializing";

const defaultReasons: { readonly [code: number]: string } = {
  400: "BadRequest",
  401: "Unauthorized",
  403: "Forbidden",
  409: "Conflict",
  422: "Invalid",
  429: "TooManyRequests",
  500: "InternalError",
  503: "ServiceUnavailable",
  504: "Timeout",
};

/** Returns the reason of a 404: a create into a missing namespace is answered with one about the namespace. */
function notFoundReason(status: Status | undefined): string {
  return status?.details.kind === "namespaces" ? "NamespaceNotFound" : "TypeNotServed";
}

function namesObject(status: Status | undefined, { key, kind }: RequestSubject): boolean {
  const details = status?.details;
  if (key === undefined || details === undefined || details.name !== key.name) return false;
  return details.kind !== "namespaces" || kind.plural === "namespaces";
}

function classOf(
  code: number,
  reason: string,
  causes: StatusDetails["causes"],
  subject: RequestSubject,
): ErrorClass {
  switch (code) {
    case 409:
      return causes.some((cause) => cause.reason === "FieldManagerConflict") ? "Transient" : "Conflict";
    case 422:
      return isRace(causes, subject) ? "Conflict" : "Terminal";
    case 429:
      return isBudget(causes, subject) ? "Transient" : "Throttled";
    case 503:
      return "Throttled";
    case 404:
      // The snapshot still shows the object that is written to: the snapshot is behind, as after a 409.
      return reason === "NotFound" ? "Conflict" : "Transient";
    case 400:
    case 405:
    case 406:
    case 413:
    case 415:
      return "Terminal";
    default:
      return "Transient";
  }
}

/** Returns whether a 429 is the answer of a disruption budget about one Pod: the server itself asks for no pause. */
function isBudget(causes: StatusDetails["causes"], { verb }: RequestSubject): boolean {
  return verb === "evict" && causes.some(({ reason }) => reason === "DisruptionBudget");
}

/**
 * Returns whether a 422 is a lost race: a failed `test` of a JSON patch has no causes, an apply to a recreated
 * object names its uid.
 */
function isRace(causes: readonly { readonly field?: string }[], subject: RequestSubject): boolean {
  if (causes.length === 0) return subject.verb === "patch";
  return causes.some((cause) => cause.field === "metadata.uid" || cause.field === "metadata.resourceVersion");
}

/** API servers ask for seconds. A proxy or a hostile server that asks for years must not get them. */
const MAX_RETRY_AFTER_SECONDS = 300;

function retryAfterMs(header: string | undefined, status: Status | undefined): number | undefined {
  const seconds = header === undefined ? status?.details.retryAfterSeconds : Number(header);
  if (seconds === undefined || !Number.isFinite(seconds) || seconds < 0) return undefined;
  return Math.min(seconds, MAX_RETRY_AFTER_SECONDS) * 1_000;
}
