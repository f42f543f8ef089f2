import type { KubeObject } from "../../api/kinds.ts";
import type { AnyDecision, AnyFunction } from "../../function/define-function.ts";
import { mask } from "../../redaction/redact.ts";
import type { RecordedWrite } from "../attempt-record.ts";
import { checkDecision } from "../decide/check-decision.ts";
import { reachOf, withinReach } from "../decide/reach.ts";
import type { Clients, Clock, Issuer, KubeClient, Log } from "../ports.ts";
import { requireKey } from "../run-step.ts";
import { standBack } from "../write/foreign-controller.ts";
import { recordWrites } from "../write/record-writes.ts";
import { settle, withAnswers } from "../write/settle.ts";
import { writeDecision } from "../write/write-decision.ts";
import { decisionDigest, errorOf, toPlain } from "./compose-letter.ts";
import {
  type DeadLetter,
  LETTER_VERSION,
  type LetterRun,
  type RecordedError,
  recordedDecision,
} from "./dead-letter.ts";
import { createReplayReader, describeQuestion, type ReplayReader } from "./replay-reader.ts";
import { titleOfWrite } from "./run-entry.ts";

/** One side of a replay. */
export interface Decided {
  /**
   * `done`, `wait for …`, `requeue after …`, `failed …`, what was thrown, or what it waited for when it was
   * cut off.
   */
  readonly result: string;
  /** It came to a decision that is not a failure; whether its requests would be accepted is another question. */
  readonly ok: boolean;
  /** The requests that it would send if every one succeeded, secrets masked. */
  readonly requests: readonly SentRequest[];
  readonly digest: string;
}

export interface SentRequest {
  /** `patch MachinePool default/p1`. */
  readonly title: string;
  readonly body: unknown;
}

export type ReplayResult =
  | { readonly type: "reproduced"; readonly recorded: Decided; readonly replayed: Decided }
  | { readonly type: "different"; readonly recorded: Decided; readonly replayed: Decided }
  | { readonly type: "not replayable"; readonly why: string };

/**
 * Runs the step on the reads and the clock of a dead letter: no queue, no API server. Reproduced = the same requests
 * with the same bodies in the same order and the same result, or the same error, or it waits for the same reads.
 * The timers only show when a turn is over.
 */
export async function replay(
  fn: AnyFunction,
  letter: DeadLetter,
  timers: Pick<Clock, "after">,
): Promise<ReplayResult> {
  const { run } = letter;
  if (run === undefined) return { type: "not replayable", why: whyWithoutRun(letter) };
  if (letter.truncated.includes("run.decision")) {
    return { type: "not replayable", why: "the decision was left out of the dead letter: too large" };
  }
  const clock = run.clock === undefined ? new Date(letter.deadSince) : new Date(run.clock);
  const reader = createReplayReader(run.reads);
  const now: Ending = {};
  const decide = async (): Promise<void> => {
    try {
      now.object = await reader.get(fn.spec.reconciles, requireKey(fn, letter.key));
      if (now.object === undefined) return;
      now.decision = await fn.step(standBack(fn, now.object, clock)?.shown ?? now.object, {
        read: withinReach(reader, reachOf(fn, now.object)),
        now: clock,
      });
      checkDecision(fn, now.object, now.decision, reader);
      const { evict, deliver } = decisionOf(letter) ?? {};
      const answers = deliver?.answers ?? evict?.answers;
      if (answers === undefined || (now.decision.evict ?? now.decision.deliver) === undefined) return;
      const unsettled = now.decision;
      now.decision = withAnswers(unsettled, answers);
      now.decision = settle(unsettled, answers);
      checkDecision(fn, now.object, now.decision, reader);
    } catch (error) {
      now.error = errorOf(error, (secret) => secret);
    }
  };
  // A step waits for nothing but its reads: after a turn it has ended, or waits for ever.
  await Promise.race([decide(), new Promise<void>((resolve) => timers.after(0, resolve))]);
  const why = whyIncomparable(run, now, reader);
  if (why !== undefined) return { type: "not replayable", why };
  const decision = decisionOf(letter);
  const scene: Scene = { fn, object: now.object, clock };
  const then = { decision, error: run.error, waitsFor: unansweredIn(run) };
  const again = { ...now, waitsFor: reader.unanswered };
  // The digest of an older letter is of a decision in the shape of that time.
  const digest = letter.v === LETTER_VERSION ? run.digest : await decisionDigest(then);
  const sides = {
    recorded: await decided(then, scene, digest),
    replayed: await decided(again, scene, await decisionDigest(now)),
  };
  return { type: sides.recorded.digest === sides.replayed.digest ? "reproduced" : "different", ...sides };
}

/** Result of a step: without decision and error it was cut off, by its lease or its time limit. */
interface Ending {
  object?: KubeObject | undefined;
  decision?: AnyDecision | undefined;
  error?: RecordedError | undefined;
}

function wasCutOff({ decision, error }: Ending | LetterRun): boolean {
  return decision === undefined && error === undefined;
}

function unansweredIn({ reads }: LetterRun): readonly string[] {
  return reads
    .filter(({ answer }) => answer.type === "unanswered")
    .map(({ question }) => describeQuestion(question));
}

/** Returns why what a step came to cannot be compared with what it came to then, for people. */
function whyIncomparable(run: LetterRun, now: Ending, reader: ReplayReader): string | undefined {
  const [missing] = reader.unrecorded;
  if (missing !== undefined && run.reads.length === 0) return "the run ended before it read anything";
  if (missing !== undefined) return `the step now reads what the dead letter does not hold: ${missing}`;
  if (!wasCutOff(now)) return undefined;
  const [waitsFor] = reader.unanswered;
  if (waitsFor === undefined)
    return now.object === undefined ? "it recorded no object to work on" : undefined;
  return wasCutOff(run) ? undefined : `the step now waits for what the run had no answer to: ${waitsFor}`;
}

/** Returns why a letter holds no run, for people. */
export function whyWithoutRun({ reason, truncated }: DeadLetter): string {
  if (truncated.includes("run")) return "what the run read was left out of the dead letter: too large";
  if (reason === "Malformed") return "nothing ran: the message was not a key of this function";
  return reason === "LeaseExpired"
    ? "the worker was killed or hung, so the reads of the run were not recorded"
    : "the run was cut off before it could record what it read";
}

/** Returns the decision as the step returned it: null stands for a field that is given up. */
function decisionOf(letter: DeadLetter): AnyDecision | undefined {
  const recorded = recordedDecision(letter);
  if (recorded === undefined) return undefined;
  const { apply, ...rest } = recorded;
  const decision = rest as unknown as AnyDecision;
  if (typeof apply !== "object" || apply === null) return decision;
  return {
    ...decision,
    apply: Object.fromEntries(Object.entries(apply).map(([path, value]) => [path, value ?? undefined])),
  };
}

interface Scene {
  readonly fn: AnyFunction;
  readonly object: KubeObject | undefined;
  readonly clock: Date;
}

async function decided(
  ending: Pick<Ending, "decision" | "error"> & { readonly waitsFor: readonly string[] },
  scene: Scene,
  digest: string,
): Promise<Decided> {
  const { decision, error } = ending;
  const result = describeEnding(ending);
  // A decision that its check refuses is not sent.
  if (decision === undefined || error !== undefined) return { result, ok: false, requests: [], digest };
  const ok = decision.result.type !== "failed";
  return { result, ok, requests: await requestsOf(decision, scene), digest };
}

function describeEnding({ decision, error, waitsFor }: Parameters<typeof decided>[0]): string {
  if (error !== undefined) return `threw ${error.reason}: ${error.message}`;
  if (decision !== undefined) return describeResult(decision);
  const [first, ...more] = waitsFor;
  if (first === undefined) return "does not end";
  return `waits for ${first}${more.length === 0 ? "" : ` and ${more.length} more`}`;
}

function describeResult({ result }: AnyDecision): string {
  switch (result.type) {
    case "done":
      return "done";
    case "wait":
      return `wait for ${result.what}`;
    case "requeue":
      return `requeue after ${result.afterMs} ms: ${result.why}`;
    default:
      return `failed ${result.reason}: ${result.message}`;
  }
}

const NO_LOG: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
function ignore(): void {
  // A replay reports by its result.
}

/** Returns the requests of writing the decision, by the same code that writes it. */
async function requestsOf(
  decision: AnyDecision,
  { fn, object, clock }: Scene,
): Promise<readonly SentRequest[]> {
  if (object === undefined) return [];
  const clients = recordWrites(ACCEPTING);
  await writeDecision(decision, {
    function: fn,
    object,
    clients,
    clock: { now: () => clock, after: () => ignore },
    log: NO_LOG,
    signal: new AbortController().signal,
    issuer: { describe: notAsked, issue: nothingIssued },
  });
  return clients.sent.map(describeRequest);
}

/** Makes no keys: where nothing is sent, or stored, the request says all. */
export const nothingIssued: Issuer["issue"] = async () => ({});

function notAsked(): never {
  throw new Error("bug: writing a decision reads no Secret");
}

/** A write request for people, secrets masked. */
export function describeRequest(write: RecordedWrite): SentRequest {
  const { kind, body, precondition } = write;
  return {
    title: titleOfWrite(write),
    body: maskedBody(kind.kind, body ?? precondition),
  };
}

/** The body alone does not say that it goes into a Secret. */
function maskedBody(kind: string, body: unknown): unknown {
  const masked = mask({ kind, body: toPlain(body) }) as { readonly body?: unknown };
  return masked.body;
}

/** An API server that takes everything and answers with as little as possible. */
const ACCEPTING: Clients = { of: () => ({ ...acceptedWrites(), ...NO_READS }) };
/** Writing a decision reads nothing. */
const NO_READS = {} as Pick<KubeClient, "get" | "list" | "watch" | "kinds">;

/** Writes that are sent nowhere, each with as little of an answer as possible. */
export function acceptedWrites(): Pick<KubeClient, "create" | "jsonPatch" | "evict" | "apply" | "delete"> {
  const answer = async (kind: { readonly kind: string }, name: string): Promise<KubeObject> => ({
    apiVersion: "",
    kind: kind.kind,
    metadata: { name },
  });
  return {
    create: (kind, object) => answer(kind, object.metadata.name),
    jsonPatch: (kind, key) => answer(kind, key.name),
    evict: async () => undefined,
    apply: (kind, key) => answer(kind, key.name),
    delete: async () => undefined,
  };
}
