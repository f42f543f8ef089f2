import { KubeError, messageOf, TerminalError } from "../../function/errors.ts";
import { maskText } from "../../redaction/redact.ts";
import type { AttemptRecord } from "../attempt-record.ts";
import type { Failure, Outcome, OutcomeName } from "../queue/queue-port.ts";

const MAX_MESSAGE_CHARACTERS = 4 * 1024;
/** A library may take its reason from outside, too. */
const MAX_REASON_CHARACTERS = 200;
/** Longer texts are cut before they are searched. */
const MAX_SEARCHED_CHARACTERS = 16 * MAX_MESSAGE_CHARACTERS;
const ALL_HIDDEN = /^hmac-sha256:\S{1,16}$/;

/** A thrown error, as the queue, the log and people see it; see `redactFailure`. */
export function failureOf(error: unknown): Failure {
  const message = messageOf(error);
  if (error instanceof TerminalError)
    return redactFailure({ class: "Terminal", reason: error.reason, message });
  if (error instanceof KubeError) return redactFailure({ class: error.class, reason: error.reason, message });
  return redactFailure({
    class: "Transient",
    reason: error instanceof Error ? error.name : "Unknown",
    message,
  });
}

/**
 * The failure without secrets, its message at most 4 KiB. Errors quote headers, addresses and files; a failure is
 * stored in the ledger, in the run history and in letters, logged and shown. Source: S-21
 */
export function redactFailure({ class: errorClass, reason, message }: Failure): Failure {
  return {
    class: errorClass,
    reason: redactLine(reason, MAX_REASON_CHARACTERS),
    message: redactMessage(message),
  };
}

/** The outcome of a run as it may be stored and shown: its failure and what it waits for without secrets. */
export function redactOutcome(outcome: Outcome): Outcome {
  if (outcome.type === "error") return { ...outcome, failure: redactFailure(outcome.failure) };
  if (outcome.type === "retry" || outcome.waitingFor === undefined) return outcome;
  return { ...outcome, waitingFor: redactMessage(outcome.waitingFor) };
}

export function outcomeName({ type }: Outcome): OutcomeName {
  return type === "retry" ? "again" : type;
}

/** Why a lease ends its run early; aborts the signal of the run. */
export class CutOffError extends Error {
  /** Reads, decision and requests of the run until then. */
  readonly record: AttemptRecord | undefined;

  constructor(why: string, record: AttemptRecord | undefined) {
    super(why);
    this.name = "CutOffError";
    this.record = record;
  }
}

/** Returns the outcome of a run that its queue no longer waits for; `reason` of its signal is a CutOffError. */
export function cutOffOutcome({ reason }: AbortSignal): Outcome & { readonly type: "error" } {
  const message = reason instanceof Error ? reason.message : "it was cut off";
  return {
    type: "error",
    failure: { class: "Transient", reason: "CutOff", message },
    terminal: false,
    // It is not known what the run has sent.
    requested: true,
    record: reason instanceof CutOffError ? reason.record : undefined,
  };
}

/** A message of an error, or of an Event, without secrets; at most 4 KiB. */
export function redactMessage(message: string): string {
  const redacted = redactLine(message, MAX_MESSAGE_CHARACTERS);
  return ALL_HIDDEN.test(redacted) ? `the message holds nothing but a secret (${redacted})` : redacted;
}

/** Redacts before it cuts: half a secret would not be found. */
function redactLine(text: string, maxCharacters: number): string {
  return maskText(wholeWords(text)).slice(0, maxCharacters);
}

function wholeWords(text: string): string {
  if (text.length <= MAX_SEARCHED_CHARACTERS) return text;
  const start = text.slice(0, MAX_SEARCHED_CHARACTERS);
  return start.slice(0, Math.max(start.lastIndexOf(" "), start.lastIndexOf("\n"), MAX_MESSAGE_CHARACTERS));
}
