import { type Kind, objectKeyOf } from "../../api/kinds.ts";
import { KubeError } from "../../function/errors.ts";
import type { Hide } from "../../redaction/hide.ts";
import { mask, redact } from "../../redaction/redact.ts";
import { redactText } from "../../redaction/redact-text.ts";
import type { AttemptRecord, RecordedRead, RecordedWrite } from "../attempt-record.ts";
import { failureOf, redactFailure } from "../decide/failure.ts";
import { digestOf } from "../digest.ts";
import type {
  AttemptSummary,
  DeadLetter,
  LetterRead,
  LetterRun,
  LetterWrite,
  RecordedError,
} from "./dead-letter.ts";
import { LETTER_VERSION, objectsOf } from "./dead-letter.ts";
import type { AttemptHistory, Death, FailedRun } from "./dead-letters-port.ts";
import { fitLetter } from "./fit-letter.ts";

const MAX_STACK_BYTES = 8 * 1024;
const MAX_KEY_CHARACTERS = 480;
const MAX_CAUSES = 20;
export const MAX_OWNER_CHARACTERS = 256;

export interface LetterContext {
  readonly build: DeadLetter["build"];
  /** The fatal attempt included. */
  readonly history: AttemptHistory;
  readonly hide: Hide;
}

/** One failed run as a dead letter lists it; redacted. `now` is used when the run was not recorded. */
export function summarizeAttempt(run: FailedRun, now: Date, hide: Hide): AttemptSummary {
  const { record, failures, retries: again, owner } = run;
  const failure = redactFailure(run.failure);
  const start = record?.startedAt ?? run.startedAt ?? now;
  const { thrown } = record ?? {};
  const error =
    thrown === undefined ? { name: "Error", ...failure } : { ...errorOf(thrown, hide), ...failure };
  return {
    ...(record === undefined ? {} : { run: record.runId }),
    start: start.toISOString(),
    durationMs: record?.durationMs ?? Math.max(0, now.getTime() - start.getTime()),
    ...(owner === undefined ? {} : { owner: owner.slice(0, MAX_OWNER_CHARACTERS) }),
    failures,
    again,
    error,
  };
}

/** The letter of a key that died; redacted, at most 1 MiB. `times` is counted by the store. */
export async function composeLetter(
  run: FailedRun & { readonly death: Death },
  { build, history, hide }: LetterContext,
): Promise<DeadLetter> {
  const since = run.death.since.toISOString();
  const letter: DeadLetter = {
    v: LETTER_VERSION,
    function: run.function,
    key: run.key.slice(0, MAX_KEY_CHARACTERS),
    tenant: run.key.slice(0, MAX_KEY_CHARACTERS).split("|", 1)[0] ?? "",
    class: run.death.priority,
    reason: run.death.reason,
    deadSince: since,
    firstFailureAt: history.firstFailureAt,
    times: 1,
    build,
    attempts: [...history.attempts],
    causes: run.causes.slice(0, MAX_CAUSES).map(({ what, resourceVersion }) => ({
      what: what.slice(0, 512),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    })),
    ...(run.record === undefined ? {} : { run: await letterRun(run.record, hide) }),
    truncated: [],
  };
  return fitLetter(letter);
}

/** The same letter with what its run has read and sent, which came later. */
export async function completeLetter(
  letter: DeadLetter,
  record: AttemptRecord,
  hide: Hide,
): Promise<DeadLetter> {
  return fitLetter({ ...letter, run: await letterRun(record, hide) });
}

async function letterRun(record: AttemptRecord, hide: Hide): Promise<LetterRun> {
  const decision = record.decision === undefined ? undefined : plainDecision(record.decision);
  const error = record.accepted || record.thrown === undefined ? undefined : errorOf(record.thrown, hide);
  return {
    ...(record.clock === undefined ? {} : { clock: record.clock.toISOString() }),
    reads: record.reads.map((read) => letterRead(read, hide)),
    writes: record.writes.map((write) => letterWrite(write, hide)),
    ...(decision === undefined ? {} : { decision: redact(decision, hide) as LetterRun["decision"] }),
    ...(error === undefined ? {} : { error }),
    digest: await decisionDigest({ decision: record.decision, error }),
  };
}

/**
 * Returns the digest of what a step decided: the decision, or what it or the check of its decision threw. Secrets are
 * masked, so that a replay on redacted inputs, without the key of the installation, gives the same.
 */
export function decisionDigest(decided: {
  readonly decision?: object | undefined;
  readonly error?: Pick<RecordedError, "class" | "reason" | "message"> | undefined;
}): Promise<string> {
  const { decision, error } = decided;
  return digestOf(
    mask({
      decision: decision === undefined ? undefined : plainDecision(decision),
      error:
        error === undefined
          ? undefined
          : { class: error.class, reason: error.reason, message: error.message },
    }),
  );
}

/** A decision as JSON: kinds by name, and null for an owned field that is given up. */
export function plainDecision(decision: object): object {
  const applied: unknown = Reflect.get(decision, "apply");
  const apply =
    typeof applied === "object" && applied !== null
      ? Object.fromEntries(Object.entries(applied).map(([path, value]) => [path, value ?? null]))
      : undefined;
  return toPlain(apply === undefined ? decision : { ...decision, apply }) as object;
}

/** Returns JSON without what only code can use: the schema of a kind, functions, undefined members. */
export function toPlain(value: unknown): unknown {
  if (value === undefined) return undefined;
  const text = JSON.stringify(value, (_, member: unknown) => (isKind(member) ? plainKind(member) : member));
  return JSON.parse(text) as unknown;
}

function isKind(value: unknown): value is Kind {
  return (
    typeof value === "object" &&
    value !== null &&
    ["group", "version", "kind", "plural", "namespaced"].every((member) => Object.hasOwn(value, member))
  );
}

function plainKind({ group, version, kind, plural, namespaced }: Kind): LetterWrite["ref"]["kind"] {
  return { group, version, kind, plural, namespaced };
}

export function errorOf(thrown: unknown, hide: Hide): RecordedError {
  const { class: errorClass, reason, message } = failureOf(thrown);
  const error = thrown instanceof Error ? thrown : undefined;
  return {
    name: error?.name ?? "Unknown",
    class: errorClass,
    reason,
    message,
    ...(thrown instanceof KubeError ? { code: thrown.status } : {}),
    ...(error?.stack === undefined
      ? {}
      : { stack: redactText(error.stack.slice(0, 4 * MAX_STACK_BYTES), hide).slice(0, MAX_STACK_BYTES) }),
  };
}

function letterRead({ question, source, answer }: RecordedRead, hide: Hide): LetterRead {
  const given =
    answer.type === "error"
      ? { type: "error", error: errorOf(answer.error, hide) }
      : redactedAnswer(question, answer, hide);
  // Checked when it is read back; what a step was given has these shapes.
  const plain = given as LetterRead["answer"];
  return {
    question: toPlain(question) as LetterRead["question"],
    source,
    answer: plain,
    found: objectsOf(plain).map((object) => {
      const { uid, resourceVersion } = object.metadata;
      return { ...objectKeyOf(object), ...toPlainPart({ uid, resourceVersion }) };
    }),
  };
}

/** The items of a list need not say their kind. */
function redactedAnswer(
  question: RecordedRead["question"],
  answer: RecordedRead["answer"],
  hide: Hide,
): unknown {
  // It holds no value, and a replay needs its names.
  if (answer.type === "secret" || answer.type === "manifests") return toPlain(answer);
  const kind = "kind" in question ? question.kind.kind : question.reference.kind;
  const redacted = redact({ kind, answer: toPlain(answer) }, hide) as { readonly answer: unknown };
  return redacted.answer;
}

function letterWrite(write: RecordedWrite, hide: Hide): LetterWrite {
  const { verb, cluster, kind, key, subresource, fieldManager, precondition, outcome } = write;
  // The body alone does not say that it goes into a Secret.
  const { body } = redact({ kind: plainKind(kind), body: toPlain(write.body) }, hide) as {
    readonly body?: unknown;
  };
  return {
    verb,
    ref: { cluster, kind: plainKind(kind), namespace: key.namespace, name: key.name },
    ...(subresource === undefined ? {} : { subresource }),
    fieldManager,
    ...(precondition === undefined
      ? {}
      : { precondition: toPlain(precondition) as LetterWrite["precondition"] }),
    ...(body === undefined ? {} : { body }),
    outcome:
      outcome.error === undefined
        ? toPlainPart({ resourceVersion: outcome.resourceVersion })
        : { error: errorOf(outcome.error, hide) },
  };
}

/** Returns the part without the members that are undefined. */
function toPlainPart<T extends object>(part: T): { [P in keyof T]?: Exclude<T[P], undefined> } {
  return Object.fromEntries(Object.entries(part).filter(([, value]) => value !== undefined)) as {
    [P in keyof T]?: Exclude<T[P], undefined>;
  };
}
