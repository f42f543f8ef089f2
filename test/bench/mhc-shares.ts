import { round } from "./capstan-process.ts";
import type { LargeCheck } from "./large-check.ts";
import type { RunsPerEvent } from "./machine-events.ts";
import type { PhaseRow } from "./mhc-phases.ts";
import { limit, type Share, share } from "./shares.ts";

/** Shares of what Cluster API's manager needs. */
const SECONDS = 1 / 3;
const CPU = 1;
/** Figures as they stand. */
const REQUESTS: { readonly [phase: string]: number } = {
  "checks appear": 1.1,
  "failing, no limit": 3.5,
  "failing, 40%": 4.5,
  "recovered, no limit": 2.5,
  "recovered, 40%": 2.5,
};
/** With a limit a hand-over waits for 5 s of calm, so that no share of Cluster API's seconds can be asked for. */
const CALM_SECONDS: { readonly [phase: string]: number } = { "failing, 40%": 10 };
const BLOCKED = new Set(["gone, 20%", "returned, 20%"]);
const AT_REST = "heartbeats";
const RESIDENT_MIB = 220;
/** "1.x, not 10": one run for each event, and some for what the run itself has changed. */
const RUNS_PER_EVENT = 1.9;
const RUNS_PER_HEARTBEAT = 0.01;
const LARGE = { idleRunSeconds: 2, peakMiB: 400 };

/** The figures that are judged. */
export function sharesOfChecks(
  rows: readonly PhaseRow[],
  runs: RunsPerEvent,
  large: LargeCheck,
): readonly Share[] {
  const own = rows.filter(({ manager }) => manager === "capstan");
  const others = rows.filter(({ manager }) => manager === "cluster-api");
  const residents = (of: readonly PhaseRow[]) =>
    of.map((row) => row.residentMiB).reduce((a, b) => Math.max(a, b), 0);
  const resident = [residents(own), others.length === 0 ? undefined : residents(others)] as const;
  const largest = `${large.machines} Machines in one check`;
  return [
    ...own.flatMap((row) =>
      sharesOfPhase(
        row,
        others.find(({ phase }) => phase === row.phase),
      ),
    ),
    limit("all phases", "resident MiB", resident, RESIDENT_MIB),
    limit(
      "event of a Machine",
      "runs of mhc-machines",
      [runs["mhc-machines"] ?? Number.NaN, undefined],
      RUNS_PER_EVENT,
    ),
    limit(largest, "run without writes, s", [large.idleRunSeconds, undefined], LARGE.idleRunSeconds),
    limit(largest, "peak MiB", [large.peakMiB, undefined], LARGE.peakMiB),
    limit(largest, "at rest, requests", [large.requestsAtRest, undefined], 0),
    limit(largest, "runs per heartbeat", [large.runsPerHeartbeat, undefined], RUNS_PER_HEARTBEAT),
  ];
}

function sharesOfPhase(row: PhaseRow, other: PhaseRow | undefined): readonly Share[] {
  const { phase } = row;
  if (phase === AT_REST) return sharesAtRest(row, other);
  const figures = (of: (each: PhaseRow) => number | undefined) =>
    [of(row) ?? Number.NaN, other === undefined ? undefined : of(other)] as const;
  const requests = REQUESTS[phase];
  const calmSeconds = CALM_SECONDS[phase];
  const handOver = figures(({ handOverSeconds }) => handOverSeconds);
  return [
    share(
      phase,
      "verdict, s",
      figures(({ verdictSeconds }) => verdictSeconds),
      SECONDS,
    ),
    ...(row.handOverSeconds === undefined
      ? []
      : [
          calmSeconds === undefined
            ? share(phase, "hand-over, s", handOver, SECONDS)
            : limit(phase, "hand-over, s", handOver, calmSeconds),
        ]),
    share(
      phase,
      "CPU s",
      figures(({ cpuSeconds }) => cpuSeconds),
      CPU,
    ),
    ...(requests === undefined
      ? []
      : [
          limit(
            phase,
            "requests each",
            figures(({ cost }) => cost.requestsEach),
            requests,
          ),
        ]),
    ...(BLOCKED.has(phase)
      ? [
          limit(
            phase,
            "handed over",
            figures(({ handedOver }) => handedOver),
            0,
          ),
        ]
      : []),
  ];
}

/** The other functions look at their objects from time to time, whatever Nodes say. */
function sharesAtRest(row: PhaseRow, other: PhaseRow | undefined): readonly Share[] {
  const sum = (counts: readonly number[]) => counts.reduce((a, b) => a + b, 0);
  const requestsOf = ({ requestsByVerb }: PhaseRow) => sum(Object.values(requestsByVerb));
  const ofChecks = Object.entries(row.runs).filter(([name]) => name.startsWith("mhc-"));
  const runs = sum(ofChecks.map(([, count]) => count)) / row.machines;
  const requests = [requestsOf(row), other === undefined ? undefined : requestsOf(other)] as const;
  return [
    limit(row.phase, "requests", requests, 0),
    limit(row.phase, "runs per heartbeat", [round(runs, 3), undefined], RUNS_PER_HEARTBEAT),
    share(row.phase, "CPU s", [row.cpuSeconds, other?.cpuSeconds], CPU),
  ];
}
