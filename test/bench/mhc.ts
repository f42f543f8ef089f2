import { formatTable } from "../../infra/platform/terminal/table.ts";
import { fleetOf } from "./checked-fleet.ts";
import { type LargeCheck, measureLargeCheck } from "./large-check.ts";
import { type RunsPerEvent, runsPerEvent } from "./machine-events.ts";
import { availableManagers } from "./machine-managers.ts";
import {
  appear,
  beat,
  type Contender,
  failAndRecover,
  type PhaseRow,
  startContender,
  vanishAndReturn,
} from "./mhc-phases.ts";
import { sharesOfChecks } from "./mhc-shares.ts";
import { writeResults } from "./results.ts";
import { inTurn, progress } from "./rounds.ts";
import { formatShares } from "./shares.ts";

const MACHINES = 1_000;
const CHECKS = 10;
const LARGE = 10_000;

/** Work of both managers, one after the other. Each block fails other Machines. */
const BLOCKS: readonly ((contender: Contender) => Promise<readonly PhaseRow[]>)[] = [
  appear,
  (contender) => failAndRecover(contender, { nth: 0, limit: undefined }),
  (contender) => failAndRecover(contender, { nth: 1, limit: "40%" }),
  (contender) => vanishAndReturn(contender, { nth: 2, limit: "20%" }),
  beat,
];

/**
 * 1,000 Machines of one Cluster in 10 health checks, on a real kube-apiserver that is their workload server, too: the
 * checks appear; the Nodes of 300 Machines fail and recover, without limit and with one of 40 %; 300 are deleted and
 * return, above a limit of 20 %; every Node beats. Capstan and Cluster API's manager run on servers of their own, one of
 * them at rest while the other one works, their order alternated. Then runs per event of a Machine, and one check of
 * 10,000 Machines, of Capstan alone. Goals: those of mhc-shares.ts. `MACHINES CHECKS LARGE`: other sizes, no results file.
 */
export async function mhcBench(): Promise<void> {
  const sizes = process.argv.slice(3).map(Number);
  const [machines = MACHINES, checks = CHECKS, largest = LARGE] = sizes;
  const { rows, runs } = await compare(machines, checks);
  progress(`Capstan: ${largest} Machines in one check`);
  const large = await measureLargeCheck(largest);
  const shares = sharesOfChecks(rows, runs, large);
  print(rows, runs, large);
  console.log(formatShares(shares));
  if (sizes.length === 0) await writeResults("mhc", { machines, checks, rows, runs, large, shares });
}

async function compare(machines: number, checks: number) {
  const fleet = fleetOf(machines, checks);
  await using stack = new AsyncDisposableStack();
  const contenders: Contender[] = [];
  for (const name of availableManagers()) {
    progress(`${name}: ${machines} Machines become Running`);
    const contender = await startContender(name, fleet);
    stack.use(contender.managed);
    contenders.push(contender);
  }
  const rows: PhaseRow[] = [];
  for (const [round, block] of BLOCKS.entries()) {
    for (const contender of inTurn(contenders, round)) {
      const found = await block(contender);
      rows.push(...found);
      progress(contender.name);
      console.log(formatTable(HEADER, found.map(cellsOf)));
    }
  }
  progress("runs per event of a Machine");
  const capstan = contenders.find(({ name }) => name === "capstan");
  return { rows, runs: capstan === undefined ? {} : await runsPerEvent(capstan) };
}

function print(rows: readonly PhaseRow[], runs: RunsPerEvent, large: LargeCheck): void {
  for (const row of rows) console.log(`${row.manager}, ${row.phase}:`, row.requestsByVerb, row.runs);
  console.log(formatTable(HEADER, rows.map(cellsOf)));
  console.log("runs per event of a Machine:", runs);
  console.log("one check:", large);
}

const HEADER = [
  ...["MANAGER", "PHASE", "MACHINES", "VERDICT s", "HAND-OVER s", "HANDED OVER", "REQUESTS", "WRITES"],
  ...["EVENTS", "CPU s", "RSS MiB", "PEAK MiB", "LOAD"],
];

function cellsOf({ cost, ...row }: PhaseRow): readonly string[] {
  return [
    ...[row.manager, row.phase, row.machines, row.verdictSeconds, row.handOverSeconds ?? "", row.handedOver],
    ...[cost.requestsEach, cost.writesEach, cost.eventsEach, row.cpuSeconds],
    ...[row.residentMiB, row.peakMiB, row.load],
  ].map(String);
}
