import * as z from "zod";
import { Secret } from "../../api/core.ts";
import { apiVersionOf, type KubeObject, type ObjectMeta } from "../../api/kinds.ts";
import { once } from "../once.ts";

/** Members of an API object that a step can read; everything else is passed on as it was. */
const objectSchema = () =>
  z.looseObject({
    apiVersion: z.string(),
    kind: z.string(),
    metadata: z.looseObject({ name: z.string() }),
  });
const kindSchema = () =>
  z.object({
    group: z.string(),
    version: z.string(),
    kind: z.string(),
    plural: z.string(),
    namespaced: z.boolean(),
  });
const keySchema = () => z.object({ namespace: z.string(), name: z.string() });
const referenceSchema = () =>
  z.object({
    apiGroup: z.string(),
    kind: z.string(),
    name: z.string(),
    version: z.string().optional(),
  });

const ERROR_CLASSES = ["Conflict", "Throttled", "Waiting", "Transient", "Terminal"] as const;
/** An error with the members by which the runtime distinguishes errors. */
const errorSchema = () =>
  z.object({
    /** The name of the error class: `KubeError`, `TerminalError`, `WaitingError`, `NotListedError`, `TypeError`, … */
    name: z.string(),
    class: z.enum(ERROR_CLASSES),
    reason: z.string(),
    message: z.string(),
    /** HTTP status of a KubeError. */
    code: z.int().optional(),
    /** The stack, at most 8 KiB. */
    stack: z.string().optional(),
  });
export type RecordedError = z.infer<ReturnType<typeof errorSchema>>;

const questionSchema = () =>
  z.discriminatedUnion("call", [
    z.object({
      call: z.enum(["get", "live.get", "live.secret", "live.manifests"]),
      cluster: z.string(),
      kind: kindSchema(),
      key: keySchema(),
    }),
    z.object({
      call: z.enum(["list", "live.list"]),
      cluster: z.string(),
      kind: kindSchema(),
      selection: z.record(z.string(), z.unknown()),
    }),
    z.object({
      call: z.enum(["referenced", "live.referenced"]),
      reference: referenceSchema(),
      namespace: z.string(),
    }),
  ]);
const manifestsSchema = () => z.looseObject({ metadata: z.looseObject({ name: z.string() }) });
const summarySchema = () =>
  z.looseObject({
    metadata: z.looseObject({ name: z.string() }),
    keys: z.array(z.string()),
  });
const contractSchema = () => z.enum(["v1beta1", "v1beta2"]);
const referencedSchema = () =>
  z.discriminatedUnion("state", [
    z.object({
      state: z.literal("found"),
      object: objectSchema(),
      contract: contractSchema(),
      kind: kindSchema(),
    }),
    z.object({ state: z.literal("missing"), contract: contractSchema(), kind: kindSchema() }),
    z.object({ state: z.literal("unresolved"), crdExists: z.boolean(), message: z.string() }),
  ]);
const answerSchema = () =>
  z.discriminatedUnion("type", [
    /** A read object; without `object` it is known not to exist. */
    z.object({ type: z.literal("object"), object: objectSchema().optional() }),
    /** A Secret without its values; not redacted. Without `summary`: it does not exist. */
    z.object({ type: z.literal("secret"), summary: summarySchema().optional() }),
    /** A Secret or ConfigMap with manifests, without its values; not redacted. */
    z.object({ type: z.literal("manifests"), summary: manifestsSchema().optional() }),
    z.object({ type: z.literal("list"), items: z.array(objectSchema()) }),
    z.object({ type: z.literal("referenced"), value: referencedSchema() }),
    z.object({ type: z.literal("error"), error: errorSchema() }),
    /** The step failed, or was cut off, before the answer came. */
    z.object({ type: z.literal("unanswered") }),
    /** Left out because the letter would have become too large. */
    z.object({ type: z.literal("truncated") }),
  ]);
const readSchema = () =>
  z.object({
    question: questionSchema(),
    source: z.enum(["snapshot", "live"]),
    answer: answerSchema(),
    /** Objects that were found, kept when the bodies are left out. Empty = not found. */
    found: z.array(
      z.object({ ...keySchema().shape, uid: z.string().optional(), resourceVersion: z.string().optional() }),
    ),
  });
export type LetterRead = z.infer<ReturnType<typeof readSchema>>;

const writeSchema = () =>
  z.object({
    verb: z.enum(["create", "patch", "evict", "apply", "delete"]),
    ref: z.object({ cluster: z.string(), kind: kindSchema(), ...keySchema().shape }),
    subresource: z.literal("status").optional(),
    fieldManager: z.string(),
    precondition: z.record(z.string(), z.unknown()).optional(),
    /** JSON patch, applied object or created object. */
    body: z.unknown().optional(),
    outcome: z.object({ resourceVersion: z.string().optional(), error: errorSchema().optional() }),
  });
export type LetterWrite = z.infer<ReturnType<typeof writeSchema>>;

const attemptSchema = () =>
  z.object({
    /** Id of the run, as in the log and in the audit log of the API server; absent for an unfinished run. */
    run: z.string().optional(),
    start: z.iso.datetime(),
    durationMs: z.number(),
    owner: z.string().optional(),
    /** Failures in a row, this one included. */
    failures: z.int().min(1),
    /** How often the key had waited for a newer snapshot before this attempt. */
    again: z.int().min(0),
    error: errorSchema(),
  });
export type AttemptSummary = z.infer<ReturnType<typeof attemptSchema>>;

/** `Malformed`: the key or its token does not parse; it is never retried. */
const REASONS = ["MaxAttempts", "Terminal", "LeaseExpired", "Malformed"] as const;
export type DeathReason = (typeof REASONS)[number];

/** The version of letters that are written. In 1 a delete was its target, with `deleteMayFail` beside it. */
export const LETTER_VERSION = 2;

const headShape = () => ({
  function: z.string().regex(/^[a-z0-9-]{1,63}$/, "a function name has 1 to 63 of a-z, 0-9 and -"),
  key: z.string().min(1).max(480),
  tenant: z.string(),
  class: z.enum(["live", "resync"]),
  reason: z.enum(REASONS),
  deadSince: z.iso.datetime(),
  firstFailureAt: z.iso.datetime(),
  /** Deaths of this key since its letter was first written. */
  times: z.int().min(1),
});

/** A line of `capstan dlq list`. */
export const deadLetterHeadSchema = once(() =>
  z.object({
    ...headShape(),
    error: errorSchema().pick({ class: true, reason: true, message: true }),
  }),
);
export type DeadLetterHead = z.infer<ReturnType<typeof deadLetterHeadSchema>>;

/**
 * The last failure of a key that has used up its attempts, with everything its last decision was made of
 * (Q-35). Redacted; at most 1 MiB as JSON, `truncated` names what was left out to keep that.
 */
const deadLetterSchema = once(() =>
  z.object({
    /** The shape of `run.decision`; see `recordedDecision`. */
    v: z.union([z.literal(1), z.literal(LETTER_VERSION)], {
      error: `this version of Capstan reads 1 and ${LETTER_VERSION}; read it with the version that wrote it`,
    }),
    ...headShape(),
    build: z.object({ version: z.string(), gitSha: z.string().optional(), configDigest: z.string() }),
    /** The last five, oldest first. */
    attempts: z.array(attemptSchema()).min(1).max(5),
    causes: z.array(z.object({ what: z.string(), resourceVersion: z.string().optional() })).max(20),
    /** The run; absent in the letter of an unfinished run. */
    run: z
      .object({
        /** Handed to the step. */
        clock: z.iso.datetime().optional(),
        reads: z.array(readSchema()),
        writes: z.array(writeSchema()),
        decision: z.record(z.string(), z.unknown()).optional(),
        /** Error of the step or of the check of its decision. */
        error: errorSchema().optional(),
        /** The digest of decision and error, with every secret masked. */
        digest: z.string(),
      })
      .optional(),
    truncated: z.array(z.string()),
  }),
);
export type DeadLetter = z.infer<ReturnType<typeof deadLetterSchema>>;
export type LetterRun = NonNullable<DeadLetter["run"]>;

/** Enough for an admission refusal, which begins with its policy and ends with its reason. */
const MAX_HEAD_CHARACTERS = 1_024;

export function headOf(letter: DeadLetter): DeadLetterHead {
  const { function: name, key, tenant, reason, deadSince, firstFailureAt, times } = letter;
  const { class: errorClass, reason: why, message } = letter.attempts.at(-1)?.error ?? UNKNOWN;
  const error = { class: errorClass, reason: why, message: message.slice(0, MAX_HEAD_CHARACTERS) };
  return {
    function: name,
    key,
    tenant,
    class: letter.class,
    reason,
    deadSince,
    firstFailureAt,
    times,
    error,
  };
}
const UNKNOWN: RecordedError = { name: "Error", class: "Transient", reason: "Unknown", message: "" };

type RecordedDecision = NonNullable<LetterRun["decision"]>;

/**
 * Returns the decision of a letter in the shape that steps return today, whichever version of Capstan wrote the letter:
 * a letter of version 1 replays after an upgrade as it did before.
 */
export function recordedDecision({ v, run }: DeadLetter): RecordedDecision | undefined {
  if (run?.decision === undefined || v === LETTER_VERSION) return run?.decision;
  const { deleteMayFail, ...decision } = run.decision;
  const { delete: targets } = decision;
  if (!Array.isArray(targets)) return decision;
  const reason: unknown = Object(deleteMayFail).reason;
  const option = typeof reason === "string" ? { ifFails: { event: reason } } : {};
  return { ...decision, delete: targets.map((target: unknown) => ({ target, ...option })) };
}

/** Deeper than any Kubernetes object, shallow enough for every walk over it. */
const MAX_DEPTH = 200;

/**
 * A letter out of parsed JSON. Throws with the field that is wrong and what to do; hostile values are refused
 * (S-50): members named `__proto__`, nesting beyond 200.
 */
export function parseDeadLetter(value: unknown): DeadLetter {
  const hostile = hostileIn(value);
  if (hostile !== undefined) throw new Error(`not a dead letter: ${hostile}; ${EXPORT_AGAIN}`);
  const parsed = deadLetterSchema().safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".").slice(0, 200) ?? "";
  throw new Error(
    `not a dead letter: ${field === "" ? "the whole" : `field ${field}`}: ${issue?.message.slice(0, 300)}; ${EXPORT_AGAIN}`,
  );
}
const EXPORT_AGAIN = "write it with capstan dlq export FUNCTION KEY";

function hostileIn(value: unknown): string | undefined {
  const open: { readonly value: unknown; readonly depth: number }[] = [{ value, depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next.value !== "object" || next.value === null) continue;
    if (next.depth > MAX_DEPTH) return `it is nested more than ${MAX_DEPTH} deep`;
    if (Object.hasOwn(next.value, "__proto__")) return "it has a field named __proto__";
    for (const member of Object.values(next.value)) open.push({ value: member, depth: next.depth + 1 });
  }
  return undefined;
}

const SECRET_IDENTITY = { apiVersion: apiVersionOf(Secret), kind: Secret.kind };

/** The objects of an answer, for `found` and for replay; a Secret with its metadata only. */
export function objectsOf(answer: LetterRead["answer"]): readonly KubeObject[] {
  switch (answer.type) {
    case "secret":
    case "manifests": {
      const { summary } = answer;
      return summary === undefined ? [] : [{ ...SECRET_IDENTITY, metadata: summary.metadata as ObjectMeta }];
    }
    case "object":
      return answer.object === undefined ? [] : [answer.object as unknown as KubeObject];
    case "list":
      return answer.items as unknown as readonly KubeObject[];
    case "referenced":
      return answer.value.state === "found" ? [answer.value.object as unknown as KubeObject] : [];
    default:
      return [];
  }
}
