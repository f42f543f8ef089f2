import { MANAGEMENT, titleOf } from "../../api/kinds.ts";
import type { Failure, Lease, Outcome } from "../queue/queue-port.ts";
import { changedFields } from "../write/changed-fields.ts";
import type { AttemptRecord, RecordedWrite } from "./attempt-record.ts";
import type { RunEntry, Written } from "./run-history.ts";

const MAX_WRITES = 8;
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
    // Without the spans of their events, which come from outside.
    causes: causes.map(({ what, resourceVersion }) =>
      resourceVersion === undefined ? { what } : { what, resourceVersion },
    ),
    outcome: outcome.type,
    writes: writes.slice(0, MAX_WRITES),
    ...(writes.length > MAX_WRITES ? { moreWrites: writes.length - MAX_WRITES } : {}),
    ...(waitingFor === undefined ? {} : { waitingFor: waitingFor.slice(0, MAX_TEXT_CHARS) }),
    ...(outcome.type !== "error" && outcome.afterMs !== undefined ? { afterMs: outcome.afterMs } : {}),
    ...(outcome.type === "error" ? { failure: shortened(outcome.failure) } : {}),
  };
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
