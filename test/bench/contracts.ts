import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildInto } from "../../infra/deploy/build.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { inShared } from "../support/shared.ts";
import { movedPoolsBench } from "./moved-pools.ts";
import { preparePlannedMove } from "./planned-move.ts";
import { writeResults } from "./results.ts";

const ROUNDS = 7;
const DATA = inShared("data");

interface Subject {
  readonly what: string;
  readonly args: readonly string[];
  readonly goalSeconds: number;
  readonly goalMiB?: number;
}

interface Row {
  readonly what: string;
  /** Median, from the start of the process to its end. */
  readonly seconds: number;
  /** Median of user and system time. */
  readonly cpuSeconds: number;
  /** The most that any round held. */
  readonly peakMiB: number;
  readonly goalSeconds: number;
  readonly goalMiB?: number | undefined;
}

const SUBJECTS: readonly Subject[] = [
  {
    what: "check of all provider CRDs, 2.6 MB",
    args: ["contract", "check", `${DATA}/provider-crds`],
    goalSeconds: 3,
    goalMiB: 250,
  },
  {
    what: "check of a release, 0.5 MB",
    args: ["contract", "check", `${DATA}/provider-releases/infrastructure-vsphere/v1.17.0`],
    goalSeconds: 1,
  },
  { what: "contract list", args: ["contract", "list"], goalSeconds: 0.3 },
];

/** Measures the contract checker and a move; `contracts move` only the move. */
export async function contractsBench(): Promise<void> {
  if (process.argv[3] !== "move") await measureCommands();
  await movedPoolsBench();
}

/** Measures `capstan contract` as it is installed: built, and a process of its own for each round. */
async function measureCommands(): Promise<void> {
  if (!existsSync(DATA)) throw new Error(`${DATA} is missing; put the published CRDs of providers there`);
  await using stack = new AsyncDisposableStack();
  const built = await mkdtemp(join(tmpdir(), "capstan-contracts-"));
  stack.defer(() => rm(built, { recursive: true, force: true }));
  await buildInto(built);
  const rows: Row[] = [];
  const planned = stack.use(await preparePlannedMove());
  for (const subject of [...SUBJECTS, { ...planned, goalSeconds: 2 }]) {
    rows.push(await measure(subject, join(built, "infra/cli/main.js")));
  }
  const cells = rows.map(({ what, seconds, cpuSeconds, peakMiB, goalSeconds, goalMiB }) => [
    what,
    `${seconds} (goal ${goalSeconds})`,
    String(cpuSeconds),
    goalMiB === undefined ? String(peakMiB) : `${peakMiB} (goal ${goalMiB})`,
  ]);
  console.log(formatTable(["COMMAND", "SECONDS", "CPU SECONDS", "PEAK MiB"], cells));
  await writeResults("contracts", rows);
}

interface Round {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMiB: number;
}

async function measure({ what, args, goalSeconds, goalMiB }: Subject, main: string): Promise<Row> {
  // Fills the compile cache.
  await run([main, ...args]);
  const rounds: Round[] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await run([main, ...args]));
  return {
    what,
    seconds: medianOf(rounds.map(({ seconds }) => seconds)),
    cpuSeconds: medianOf(rounds.map(({ cpuSeconds }) => cpuSeconds)),
    peakMiB: Math.max(...rounds.map(({ peakMiB }) => peakMiB)),
    goalSeconds,
    goalMiB,
  };
}

/**
 * Prints the use of a process at its end. The peak is that of Linux: the one of `resourceUsage` counts the process that
 * forked it, too.
 */
const REPORTER = `data:text/javascript,${encodeURIComponent(
  `import { readFileSync } from "node:fs";
   process.once("exit", () => {
     const { userCPUTime, systemCPUTime } = process.resourceUsage();
     const [, peak] = /VmHWM:\\s*(\\d+) kB/.exec(readFileSync("/proc/self/status", "utf8"));
     const used = { cpu: (userCPUTime + systemCPUTime) / 1e6, peakMiB: Number(peak) / 1024 };
     process.stderr.write("\\nUSED " + JSON.stringify(used) + "\\n");
   });`,
)}`;

async function run(args: readonly string[]): Promise<Round> {
  const startedAt = performance.now();
  const child = spawnChild(process.execPath, ["--import", REPORTER, ...args], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr?.on("data", (chunk: Buffer) => {
    errors += chunk.toString();
  });
  const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
  const seconds = (performance.now() - startedAt) / 1_000;
  const [, used] = /USED (\{.*\})\n$/.exec(errors) ?? [];
  if (code === 2 || code === null || used === undefined)
    throw new Error(`capstan ${args.join(" ")}: ${errors}`);
  const { cpu, peakMiB } = JSON.parse(used) as { readonly cpu: number; readonly peakMiB: number };
  return { seconds, cpuSeconds: cpu, peakMiB: Math.round(peakMiB) };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return Number((sorted[Math.floor(sorted.length / 2)] ?? 0).toFixed(2));
}
