import type { Json } from "../objects/json.ts";

/** Why one field was refused; `reason` is a Kubernetes CauseType such as FieldValueInvalid. */
export interface Cause {
  readonly reason: string;
  readonly message: string;
  readonly field?: string;
}

interface StatusDetails {
  readonly name?: string;
  readonly group?: string;
  readonly kind?: string;
  readonly uid?: string;
  readonly causes?: readonly Cause[];
  readonly retryAfterSeconds?: number;
}

/** A Kubernetes Status failure; the HTTP layer turns it into the answer body. */
export class StatusError extends Error {
  readonly code: number;
  readonly reason: string;
  readonly details: StatusDetails;

  constructor(code: number, reason: string, message: string, details: StatusDetails = {}) {
    super(message);
    this.name = "StatusError";
    this.code = code;
    this.reason = reason;
    this.details = details;
  }

  /** The body of the answer: a `Status` of API version v1. An empty reason is left out, as the real server does. */
  toStatus(): object {
    return {
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: this.message,
      ...(this.reason === "" ? {} : { reason: this.reason }),
      ...(Object.keys(this.details).length === 0 ? {} : { details: this.details }),
      code: this.code,
    };
  }
}

/** Returns `widgets.test.capstan.dev`, or `pods` in the core group. */
function qualified(group: string, name: string): string {
  return group === "" ? name : `${name}.${group}`;
}

function resourceDetails(group: string, kind: string, name: string): StatusDetails {
  return { ...(name === "" ? {} : { name }), ...(group === "" ? {} : { group }), kind };
}

export function notFound(group: string, plural: string, name: string): StatusError {
  const message = `${qualified(group, plural)} "${name}" not found`;
  return new StatusError(404, "NotFound", message, resourceDetails(group, plural, name));
}

export function alreadyExists(group: string, plural: string, name: string): StatusError {
  const message = `${qualified(group, plural)} "${name}" already exists`;
  return new StatusError(409, "AlreadyExists", message, resourceDetails(group, plural, name));
}

/** `text` replaces the usual "the object has been modified; …" after the colon. */
export function conflict(
  group: string,
  plural: string,
  name: string,
  text = "the object has been modified; please apply your changes to the latest version and try again",
): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(group, plural)} "${name}": ${text}`;
  return new StatusError(409, "Conflict", message, resourceDetails(group, plural, name));
}

/** The most causes that an answer names; a check may stop when it has found more. */
export const MAX_CAUSES = 100;
/** The first cause is named however long it is. */
const MAX_CAUSES_CHARACTERS = 256 * 1024;

/**
 * The first causes, as many as an answer takes.
 * Differs: the real server names all causes. Here one event loop serves all clients, and 100,000 wrong labels would
 * make an answer of 60 MB.
 */
function firstOf(causes: readonly Cause[]): readonly Cause[] {
  let characters = 0;
  return causes.slice(0, MAX_CAUSES).filter(({ field = "", message }, index) => {
    characters += field.length + message.length;
    return index === 0 || characters <= MAX_CAUSES_CHARACTERS;
  });
}

/** Returns 422 with one cause per field, listed as the real server does: one plain, several in brackets. */
export function invalid(group: string, kind: string, name: string, causes: readonly Cause[]): StatusError {
  const named = firstOf(causes);
  const lines = [...new Set(named.map((cause) => `${cause.field ?? "<nil>"}: ${cause.message}`))];
  if (causes.length > named.length) lines.push(`only ${named.length} of the problems are named`);
  const list = lines.length === 1 ? lines[0] : `[${lines.join(", ")}]`;
  const message = `${qualified(group, kind)} "${name}" is invalid: ${list}`;
  return new StatusError(422, "Invalid", message, { ...resourceDetails(group, kind, name), causes: named });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, "BadRequest", message);
}

export function expired(message: string): StatusError {
  return new StatusError(410, "Expired", message);
}

/** A collection has no name, and its message none either. */
export function forbidden(group: string, plural: string, name: string, text: string): StatusError {
  const what = name === "" ? qualified(group, plural) : `${qualified(group, plural)} "${name}"`;
  const message = `${what} is forbidden: ${text}`;
  return new StatusError(403, "Forbidden", message, resourceDetails(group, plural, name));
}

/** The answer to every JSON patch that cannot be carried out: no detail says which operation failed. */
export function failedPatch(): StatusError {
  return new StatusError(422, "Invalid", "the server rejected our request due to an error in our request");
}

/** The answer to an object that is larger than the storage takes. */
export function tooLarge(): StatusError {
  return new StatusError(500, "", "etcdserver: request is too large");
}

export function internalError(message: string): StatusError {
  return new StatusError(500, "InternalError", message);
}

/* Causes say why a field of a compiled-in kind is refused, worded as Kubernetes words it. */

export function required(field: string, problem?: string): Cause {
  const message = `Required value${problem === undefined ? "" : `: ${problem}`}`;
  return { reason: "FieldValueRequired", message, field };
}

export function invalidValue(field: string, value: Json, problem: string): Cause {
  const message = `Invalid value: ${JSON.stringify(value)}: ${problem}`;
  return { reason: "FieldValueInvalid", message, field };
}

export function forbiddenField(field: string, problem: string): Cause {
  return { reason: "FieldValueForbidden", message: `Forbidden: ${problem}`, field };
}
