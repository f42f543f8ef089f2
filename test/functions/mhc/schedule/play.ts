import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { seeded } from "../../../simulation/kernel/seeded.ts";
import { connection } from "../../../support/builders.ts";
import { virtualClock } from "../../../support/clock.ts";
import { REMEDIATION_CRDS, templateRef } from "../../../support/foo-remediation.ts";
import { healthCheck, upCluster } from "../../../support/health-checks.ts";
import { remediationPolicy } from "../../../support/remediation-policies.ts";
import type { Connected } from "./clients.ts";
import type { Defect } from "./defects.ts";
import { createLedgerWatch } from "./ledger-watch.ts";
import { isHandedToOwner, startOutside } from "./outside.ts";
import { type Limit, PLAYED_MS, type Schedule } from "./schedule.ts";
import { createServer, type Server } from "./server.ts";
import { startWorkers, type Workers } from "./workers.ts";

const START_AT = new Date("2026-01-01T12:00:00Z");

export interface Played {
  /** The first stored write by which more were in flight than the limit allows, or than the policy does. */
  readonly violation: string | undefined;
  /** Machines that were in flight at the end of any write, and the most at one time. */
  readonly handedOver: number;
  readonly isLimitReached: boolean;
  /** Failures of runs; a lost race is not among them. */
  readonly errors: readonly string[];
}

/** Plays one schedule, and compares after every stored write what is in flight with the limit. */
export async function play(schedule: Schedule, defect?: Defect): Promise<Played> {
  const clock = virtualClock({ startAt: START_AT, settle: turn });
  const seen = new Set<string>();
  let violation: string | undefined;
  let isLimitReached = false;
  let workers: Workers | undefined;
  const server: Server = createServer(clock, () => {
    workers?.wake();
    const { inFlight, most } = inFlightOf(server, schedule);
    for (const name of inFlight) seen.add(name);
    isLimitReached ||= inFlight.length > 0 && inFlight.length === most;
    const problem =
      inFlight.length > most ? `${inFlight.join(", ")} are in flight; the limit is ${most}` : ledger.look();
    if (problem === undefined || violation !== undefined) return;
    violation = `after ${(clock.now().getTime() - START_AT.getTime()) / 1_000} s: ${problem}`;
  });
  const ledger = createLedgerWatch(server, schedule);
  const random = seeded(schedule.seed, "limit-play");
  const to: Connected = { schedule, server, clock, random, defect };
  addChecks(to);
  startOutside(to);
  workers = startWorkers(to);
  workers.wake();
  for (let playedMs = 0; playedMs < PLAYED_MS && violation === undefined; playedMs += STEP_MS) {
    await clock.advance(STEP_MS);
  }
  return { violation, handedOver: seen.size, isLimitReached, errors: workers.errors };
}

const STEP_MS = 10_000;

/** Everything that a callback has started has come to rest: nothing waits for more than answers that are there. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function addChecks({ server, schedule }: Connected): void {
  const { limit, second, policy, remediator, isWatched } = schedule;
  const checkOf = (name: string, { triggerIf }: Limit, timeoutSeconds: number) => {
    const checks = {
      nodeStartupTimeoutSeconds: 600,
      unhealthyNodeConditions: [{ type: "Ready", status: "False" as const, timeoutSeconds }],
    };
    const remediation = { triggerIf, ...(remediator === "external" ? { templateRef } : {}) };
    return healthCheck({ metadata: { name, uid: `uid-${name}` }, spec: { checks, remediation } });
  };
  const metadata = { name: "t", namespace: "default", uid: "uid-t" };
  const template = { apiVersion: templateRef.apiVersion, kind: templateRef.kind, metadata };
  const objects = [
    upCluster(),
    connection(),
    checkOf("h1", limit, 0),
    ...(second === undefined ? [] : [checkOf("h2", second, 5)]),
    ...(policy === undefined ? [] : [remediationPolicy({ spec: policy })]),
    ...REMEDIATION_CRDS.map((definition) => ({ ...definition, status: { watched: isWatched } })),
    { ...template, spec: { template: { spec: {} } } },
  ];
  for (const object of objects) server.put(MANAGEMENT, object);
}

/** By what is stored, and by nothing that the functions compute. */
function inFlightOf(server: Server, { limit, second }: Schedule) {
  const machines = server.list<Machine>(MANAGEMENT, "Machine");
  const inFlight = machines
    .filter(
      (machine) =>
        isHandedToOwner(machine) ||
        server.get(MANAGEMENT, "FooRemediation", machine.metadata.name) !== undefined,
    )
    .map(({ metadata }) => metadata.name);
  const mostOf = ({ number, percent = 0 }: Limit) => number ?? Math.floor((percent * machines.length) / 100);
  // Of two checks of the same Machines, the last that hands over has counted all that are in flight.
  return { inFlight, most: Math.max(mostOf(limit), second === undefined ? 0 : mostOf(second)) };
}
