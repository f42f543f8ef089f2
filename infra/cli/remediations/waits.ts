import type { Event } from "../../../shared/api/core.ts";

/** Reasons of the Events by which a health check says that it hands nothing over. */
export const WAIT_REASONS = ["RemediationBlocked", "RemediationRestricted"] as const;

/** Why the remediation by a health check had to wait, as one Event says it. */
export interface Wait {
  /** RFC 3339: when it was said first. */
  readonly at: string;
  /** `default/h1` */
  readonly healthCheck: string;
  /** In the words of `capstan explain`: `limit`, `places`, `RemediationPolicy r1`. */
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
const OF_SOME =
  /^Remediation of (?<names>.+?) waits (?:for (?<policy>RemediationPolicy [^\s:]+):|until (?<hold>annotation \S+) is removed)/;

/** Returns what an Event about a health check says that its Machines wait for; nothing for any other Event. */
export function waitOf({ involvedObject, message, firstTimestamp, metadata }: Event): readonly Wait[] {
  const at = firstTimestamp ?? metadata.creationTimestamp;
  if (involvedObject.kind !== "MachineHealthCheck" || at === undefined) return [];
  const healthCheck = `${involvedObject.namespace ?? ""}/${involvedObject.name}`;
  const ofAll = OF_ALL.find(([begin]) => begin.test(message))?.[1];
  if (ofAll !== undefined) return [{ at, healthCheck, for: ofAll }];
  const { names = "", policy, hold } = OF_SOME.exec(message)?.groups ?? {};
  const what = policy ?? hold;
  return what === undefined ? [] : [{ at, healthCheck, for: what, machines: names.split(", ") }];
}

/** Between the failure of a Machine and the begin of its remediation. */
export interface Waiting {
  readonly healthCheck: string;
  /** `m1` */
  readonly machine: string;
  readonly failedAt: string;
  readonly at: string;
}

/** Returns what was said in this time about the Machine, each once, in the order of the Events. */
export function waitedFor(
  waits: readonly Wait[],
  { healthCheck, machine, failedAt, at }: Waiting,
): readonly string[] {
  const own = waits.filter(
    (wait) =>
      wait.healthCheck === healthCheck &&
      wait.at >= failedAt &&
      wait.at <= at &&
      wait.machines?.includes(machine) !== false,
  );
  return [...new Set(own.map((wait) => wait.for))];
}
