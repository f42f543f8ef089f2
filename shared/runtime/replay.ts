import type { KubeObject } from "../api/kinds.ts";
import type { RecordedWrite } from "./attempt-record.ts";
import { checkDecision } from "./check-decision.ts";
import { decisionDigest, errorOf, toPlain } from "./compose-letter.ts";
import type { DeadLetter, LetterRun, RecordedError } from "./dead-letter.ts";
import type { AnyDecision, AnyFunction } from "./define-function.ts";
import { titleOf } from "./last-run.ts";
import type { Clients, KubeClient, Log } from "./ports.ts";
import { recordWrites } from "./record-writes.ts";
import { mask } from "./redact.ts";
import { createReplayReader } from "./replay-reader.ts";
import { demandKey } from "./run-step.ts";
import { writeDecision } from "./write-decision.ts";

/** One side of a replay. */
export interface Decided {
  /** `done`, `wait for …`, `requeue after …`, `failed …`, or what was thrown. */
  readonly result: string;
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
 * with the same bodies in the same order and the same result, or the same error (F-14).
 */
export async function replay(fn: AnyFunction, letter: DeadLetter): Promise<ReplayResult> {
  const { run } = letter;
  if (run === undefined) return { type: "not replayable", why: whyWithoutRun(letter) };
  if (letter.truncated.includes("run.decision")) {
    return { type: "not replayable", why: "the decision was left out of the dead letter: too large" };
  }
  const clock = run.clock === undefined ? new Date(letter.deadSince) : new Date(run.clock);
  const reader = createReplayReader(run.reads);
  const now: { object?: KubeObject; decision?: AnyDecision; error?: RecordedError } = {};
  try {
    const object = await reader.get(fn.spec.reconciles, demandKey(fn, letter.key));
    if (object === undefined) return { type: "not replayable", why: "it recorded no object to work on" };
    now.object = object;
    now.decision = await fn.step(object, { read: reader, now: clock });
    checkDecision(fn, now.decision, reader);
  } catch (error) {
    now.error = errorOf(error, (secret) => secret);
  }
  const [missing] = reader.unrecorded;
  if (missing !== undefined) {
    const why = wasCutOff(run)
      ? `the run was cut off before it had the answer to ${missing}`
      : `the step now reads what the dead letter does not hold: ${missing}`;
    return { type: "not replayable", why };
  }
  const decision = run.decision === undefined ? undefined : decisionOf(run.decision);
  const scene: Scene = { fn, object: now.object, clock };
  const sides = {
    recorded: wasCutOff(run)
      ? { result: "cut off before it had decided", requests: [], digest: run.digest }
      : await decided({ decision, error: run.error }, scene, run.digest),
    replayed: await decided(now, scene, await decisionDigest(now)),
  };
  return { type: sides.recorded.digest === sides.replayed.digest ? "reproduced" : "different", ...sides };
}

/** By its lease or its time limit: a run that ends by itself has a decision or an error. */
function wasCutOff({ decision, error }: LetterRun): boolean {
  return decision === undefined && error === undefined;
}

/** Why a letter holds no run, for people. */
export function whyWithoutRun({ reason, truncated }: DeadLetter): string {
  if (truncated.includes("run")) return "what the run read was left out of the dead letter: too large";
  if (reason === "Malformed") return "nothing ran: what arrived is no key of this function";
  return reason === "LeaseExpired"
    ? "the worker was killed or hung, so nobody recorded what the run read"
    : "the run was cut off before it could record what it read";
}

/** As the step returned it: null stands for a field that is given up. */
function decisionOf(recorded: { readonly [member: string]: unknown }): AnyDecision {
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
  {
    decision,
    error,
  }: { readonly decision?: AnyDecision | undefined; readonly error?: RecordedError | undefined },
  scene: Scene,
  digest: string,
): Promise<Decided> {
  const result = error === undefined ? describeResult(decision) : `threw ${error.reason}: ${error.message}`;
  // A decision that its check refuses is not sent.
  if (decision === undefined || error !== undefined) return { result, requests: [], digest };
  return { result, requests: await requestsOf(decision, scene), digest };
}

function describeResult(decision: AnyDecision | undefined): string {
  const result = decision?.result;
  switch (result?.type) {
    case undefined:
      return "nothing";
    case "done":
      return "done";
    case "wait":
      return `wait for ${result.what}`;
    case "requeue":
      return `requeue after ${result.afterMs} ms: ${result.why}`;
    default:
      return `failed ${result?.reason}: ${result?.message}`;
  }
}

const NO_LOG: Log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
function ignore(): void {
  // A replay reports by its result.
}

/** What writing the decision would send, through the same code that writes it. */
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
  });
  return clients.sent.map(describeRequest);
}

/** A write request for people, secrets masked. */
export function describeRequest(write: RecordedWrite): SentRequest {
  const { kind, body, precondition } = write;
  return {
    title: titleOf(write),
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
const NO_READS = {} as Pick<KubeClient, "get" | "list" | "watch">;

/** Writes that are sent nowhere, each with as little of an answer as possible. */
export function acceptedWrites(): Pick<KubeClient, "create" | "jsonPatch" | "apply" | "delete"> {
  const answer = async (kind: { readonly kind: string }, name: string): Promise<KubeObject> => ({
    apiVersion: "",
    kind: kind.kind,
    metadata: { name },
  });
  return {
    create: (kind, object) => answer(kind, object.metadata.name),
    jsonPatch: (kind, key) => answer(kind, key.name),
    apply: (kind, key) => answer(kind, key.name),
    delete: (kind, key) => answer(kind, key.name),
  };
}
