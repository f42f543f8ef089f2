import type { Event } from "../../../shared/api/core.ts";

/** Reasons of the Events by which a health check says that it hands nothing over. */
export const WAIT_REASONS = ["RemediationBlocked", "RemediationRestricted"] as const;

/** Why the remediation by a health check had to wait, as one Event says it. */
export interface Wait {
  /** RFC 3339: when it was said first. */
  readonly at: string;
  /** `default/h1` */
  readonly healthCheck: string;
  /** The cause in the words of `capstan explain`: `limit`, `places`, `RemediationPolicy r1`. */
  readonly for: string;
  /** Names of the Machines, as far as the Event has them; absent: all of the health check. */
  readonly machines?: readonly string[];
}

/** The messages of health checks; the first text in brackets is what they wait for. */
const OF_ALL: readonly (readonly [RegExp, string])[] = [
  [/^Remediation is not allowed/, "limit"],
  [/^Remediation waits for Machines that seem healthy/, "places"],
  [/^Remediation waits for an answer that a server does not give/, "live read"],
];
const OF_SOME = /^Remediation of (?<names>.+?) waits for (?<policy>RemediationPolicy [^\s:]+):/;
/** More Machines follow, without their names. */
const AND_MORE = /, \.\.\. \(\d+ more\)$/;
const OF_ONE = /^Remediation by (?<healthCheck>\S+) waits until (?<hold>annotation \S+) is removed/;

/** Returns what an Event about a health check or a Machine says that remediation waits for; nothing for any other Event. */
export function waitOf({ involvedObject, message, firstTimestamp, metadata }: Event): readonly Wait[] {
  const { kind, namespace = "", name } = involvedObject;
  const at = firstTimestamp ?? metadata.creationTimestamp;
  if (at === undefined) return [];
  if (kind === "Machine") {
    const { healthCheck, hold } = OF_ONE.exec(message)?.groups ?? {};
    if (healthCheck === undefined || hold === undefined) return [];
    return [{ at, healthCheck, for: hold, machines: [name] }];
  }
  if (kind !== "MachineHealthCheck") return [];
  const healthCheck = `${namespace}/${name}`;
  const ofAll = OF_ALL.find(([begin]) => begin.test(message))?.[1];
  if (ofAll !== undefined) return [{ at, healthCheck, for: ofAll }];
  const { names = "", policy } = OF_SOME.exec(message)?.groups ?? {};
  if (policy === undefined) return [];
  const machines = AND_MORE.test(names) ? {} : { machines: names.split(", ") };
  return [{ at, healthCheck, for: policy, ...machines }];
}

/** The wait between the failure of a Machine and the begin of its remediation. */
export interface Waiting {
  readonly healthCheck: string;
  /** `m1` */
  readonly machine: string;
  readonly failedAt: string;
  readonly at: string;
}

/** The status says what holds remediation back before the condition of a Machine is written: the two are different functions. */
const BEFORE_MS = 5_000;
/** A Machine that has failed for this long, in whole seconds, waits for calm no longer. */
const MAX_CALM_MS = 61_000;

/** Whether calm alone may have taken the time from the failure to the begin. */
export function mayBeCalm({ failedAt, at }: Pick<Waiting, "failedAt" | "at">): boolean {
  return Date.parse(at) - Date.parse(failedAt) <= MAX_CALM_MS;
}

/** Returns what was said in this time about the Machine, each once, in the order of the Events. */
export function waitedFor(
  waits: readonly Wait[],
  { healthCheck, machine, failedAt, at }: Waiting,
): readonly string[] {
  const sinceMs = Date.parse(failedAt) - BEFORE_MS;
  const own = waits.filter(
    (wait) =>
      wait.healthCheck === healthCheck &&
      Date.parse(wait.at) >= sinceMs &&
      wait.at <= at &&
      wait.machines?.includes(machine) !== false,
  );
  return [...new Set(own.map((wait) => wait.for))];
}
