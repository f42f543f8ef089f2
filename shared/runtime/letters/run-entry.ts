import { MANAGEMENT, titleOf } from "../../api/kinds.ts";
import type { AttemptRecord, RecordedRead, RecordedWrite } from "../attempt-record.ts";
import { outcomeName } from "../decide/failure.ts";
import type { Failure, Lease, Outcome } from "../queue/queue-port.ts";
import { newestOf } from "../resource-version.ts";
import { changedFields } from "./changed-fields.ts";
import type { Input, RunEntry, Written } from "./run-history.ts";

const MAX_WRITES = 8;
const MAX_READ = 12;
const MAX_CHANGES = 12;
const MAX_TEXT_CHARS = 300;

/** Returns the note about a run that has ended. */
export function runEntryOf({ runId, causes }: Lease, outcome: Outcome, endedAt: Date): RunEntry {
  const { record } = outcome;
  const writes = record === undefined ? [] : writesOf(record);
  const waitingFor = outcome.type === "ok" ? outcome.waitingFor : undefined;
  return {
    runId,
    endedAt: endedAt.toISOString(),
    durationMs: record?.durationMs ?? 0,
    // The spans of their events are left out: they come from outside.
    causes: causes.map(({ what, resourceVersion }) =>
      resourceVersion === undefined ? { what } : { what, resourceVersion },
    ),
    outcome: outcomeName(outcome),
    writes: writes.slice(0, MAX_WRITES),
    ...(writes.length > MAX_WRITES ? { moreWrites: writes.length - MAX_WRITES } : {}),
    // Idle runs are many, and equal ones become one.
    ...(writes.length > 0 || outcome.type === "error" ? inputsOf(record?.reads ?? []) : {}),
    ...(waitingFor === undefined ? {} : { waitingFor: waitingFor.slice(0, MAX_TEXT_CHARS) }),
    ...(outcome.type !== "error" && outcome.afterMs !== undefined ? { afterMs: outcome.afterMs } : {}),
    ...(outcome.type === "error" ? { failure: shortened(outcome.failure) } : {}),
  };
}

function inputsOf(reads: readonly RecordedRead[]): Pick<RunEntry, "read" | "moreRead"> {
  if (reads.length === 0) return {};
  const read = reads.slice(0, MAX_READ).map(inputOf);
  return reads.length > MAX_READ ? { read, moreRead: reads.length - MAX_READ } : { read };
}

function inputOf({ question, source, answer }: RecordedRead): Input {
  const found = objectsIn(answer);
  const resourceVersion = newestOf(found);
  return {
    ...subjectOf(question),
    ...(found.length === 0 ? {} : { resourceVersion }),
    ...(answer.type === "list" ? { items: found.length } : {}),
    ...(source === "live" ? { live: true } : {}),
  };
}

function subjectOf(question: RecordedRead["question"]): Pick<Input, "what" | "cluster"> {
  if ("reference" in question) {
    const { reference, namespace } = question;
    return { what: titleOf(reference.kind, { namespace, name: reference.name }) };
  }
  const { kind, cluster } = question;
  const what = "key" in question ? titleOf(kind.kind, question.key) : kind.kind;
  return cluster === MANAGEMENT ? { what } : { what, cluster };
}

/** Returns the objects, also of what is known of a Secret. */
function objectsIn(
  answer: RecordedRead["answer"],
): readonly { readonly resourceVersion?: string | undefined }[] {
  switch (answer.type) {
    case "object":
      return answer.object === undefined ? [] : [answer.object.metadata];
    case "secret":
    case "manifests":
      return answer.summary === undefined ? [] : [answer.summary.metadata];
    case "list":
      return answer.items.map(({ metadata }) => metadata);
    case "referenced":
      return answer.value.state === "found" ? [answer.value.object.metadata] : [];
    case "error":
    case "unanswered":
      return [];
    default:
      return answer satisfies never;
  }
}

function writesOf(record: AttemptRecord): readonly Written[] {
  return record.writes
    .filter(({ outcome }) => outcome.error === undefined)
    .map((write, at) => writtenOf(write, at < MAX_WRITES ? record : undefined));
}

function writtenOf(write: RecordedWrite, record: AttemptRecord | undefined): Written {
  const { verb, cluster, kind, key, subresource } = write;
  const { resourceVersion } = write.outcome;
  const changes = record === undefined ? [] : changedFields(write, record);
  return {
    verb,
    cluster,
    what: titleOf(kind.kind, key),
    ...(subresource === undefined ? {} : { subresource }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    changes: changes.slice(0, MAX_CHANGES),
    ...(changes.length > MAX_CHANGES ? { moreChanges: changes.length - MAX_CHANGES } : {}),
  };
}

/** A write request in one line: `patch MachinePool default/p1`, `delete Node n1 in default/c1`. */
export function titleOfWrite(write: RecordedWrite | Written): string {
  const { verb, cluster, subresource } = write;
  const what = "what" in write ? write.what : titleOf(write.kind.kind, write.key);
  const [kind = "", name = ""] = what.split(" ");
  const part = subresource === undefined ? "" : `/${subresource}`;
  return `${verb} ${kind}${part} ${name}${cluster === MANAGEMENT ? "" : ` in ${cluster}`}`;
}

function shortened({ class: errorClass, reason, message }: Failure): Failure {
  return { class: errorClass, reason, message: message.slice(0, MAX_TEXT_CHARS) };
}
