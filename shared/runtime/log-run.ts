import { DEFAULT_QUEUE } from "../function/backoff.ts";
import type { AnyFunction } from "../function/define-function.ts";
import { outcomeName } from "./decide/failure.ts";
import type { Clock, Log } from "./ports.ts";
import type { Lease, Outcome } from "./queue/queue-port.ts";
import type { RecordingReader } from "./read/reader.ts";

export interface EndedRun {
  readonly startedAt: Date;
  /** The reader; absent when the run did not get to its reads. */
  readonly read?: RecordingReader | undefined;
  /** Write requests sent, Events not counted. */
  readonly requests: number;
  readonly outcome: Outcome;
}

/** A list of a thousand Nodes must not become a line of a thousand versions. */
const MAX_VERSIONS = 10;

/**
 * One line per run, under the id that its requests carry: why it ran, which versions it read, how it ended and
 * when the next run is due. A failure is a warning, a run that wrote is info, any other is debug. Of a run that comes
 * back after its lease the queue knows better what comes next, and takes no outcome: also a warning.
 */
export function logRun(
  fn: AnyFunction,
  lease: Lease,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  { startedAt, read, requests, outcome }: EndedRun,
): void {
  const fields = {
    run: lease.runId,
    function: fn.spec.name,
    key: lease.key,
    cause: lease.causes.map(({ what, resourceVersion }) =>
      resourceVersion === undefined ? what : `${what}@${resourceVersion}`,
    ),
    outcome: outcomeName(outcome),
    requests,
    durationMs: clock.now().getTime() - startedAt.getTime(),
    next: nextRun(fn, lease, outcome),
    ...(outcome.type === "ok" && outcome.waitingFor !== undefined ? { waitingFor: outcome.waitingFor } : {}),
  };
  if (lease.signal.aborted) {
    const why = outcome.type === "error" ? outcome.failure.message : "";
    const { next: _unknown, ...known } = fields;
    log.warn({ ...known, outcome: "dropped", read: versionsOf(read), why }, "run cut off");
  } else if (outcome.type === "error") {
    const { failure } = outcome;
    log.warn({ ...fields, read: versionsOf(read), failure, failures: lease.failures + 1 }, "run failed");
  } else if (requests > 0) log.info({ ...fields, read: () => versionsOf(read) }, "run");
  else log.debug(fields, "run");
}

/** Returns `MachinePool default/p1@7`, `live Secret default/s@9`, `Node {} (12)@1 2 3 …`, `Cluster default/c: none`. */
function versionsOf(read: RecordingReader | undefined): readonly string[] {
  return (read?.records() ?? []).map(({ source, kind, what, resourceVersions }) => {
    const asked = `${source === "live" ? "live " : ""}${kind} ${what}`;
    const [first, ...more] = resourceVersions;
    if (first === undefined) return `${asked}: none`;
    if (more.length === 0) return `${asked}@${first}`;
    const shown = resourceVersions.slice(0, MAX_VERSIONS).join(" ");
    return `${asked} (${resourceVersions.length})@${shown}${more.length >= MAX_VERSIONS ? " …" : ""}`;
  });
}

/** An event may always come first. */
function nextRun({ spec }: AnyFunction, { failures }: Lease, outcome: Outcome): string {
  if (outcome.type === "error") {
    const { attempts } = { ...DEFAULT_QUEUE, ...spec.queue };
    if (outcome.terminal || failures + 1 >= attempts)
      return "in 10 to 15 minutes, or when the object changes";
    return `after the backoff of failure ${failures + 1} of ${attempts}`;
  }
  return outcome.afterMs === undefined ? "on an event" : `in ${outcome.afterMs} ms`;
}
