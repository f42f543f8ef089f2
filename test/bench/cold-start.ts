import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInto } from "../../infra/deploy/build.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { capstanCommand } from "./capstan-command.ts";
import { writeResults } from "./results.ts";

/** Goals of KC-04. */
const GOAL_MS = 150;
const GOAL_RSS_MIB = 80;
const ROUNDS = 9;
/** The first rounds fill the compile cache and end by themselves, which writes it. */
const WARM_UPS = 2;
const IDLE_MS = 1_000;
const TICKS_PER_SECOND = 100;
const ROOT = fileURLToPath(new URL("../../", import.meta.url));

interface Row {
  readonly what: string;
  /** From the start of the process until it is ready for its first job. */
  readonly readyMs: number;
  /** CPU time of the process in this: other load on the machine does not count. */
  readonly cpuMs: number;
  /** One second later. */
  readonly rssMiB: number;
}

/**
 * How long a function process takes from its start to its first job, and what it holds then: one function, queue in
 * memory, a kubeconfig with a token, the options of V8 as in the image. Medians. Goals: KC-04.
 */
export async function coldStartBench(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-cold-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, KUBECONFIG);
  const built = join(dir, "built");
  await buildInto(built);

  const bare = { what: "bare Node.js", main: ["-e", "console.log(); setInterval(() => 0, 1000)"], cwd: ROOT };
  const { flags } = await capstanCommand();
  const worker = (main: string) => [
    ...flags,
    join("infra/cli", main),
    ...["up", "--roles", "worker", "--functions", "machinepool-status"],
    ...["--kubeconfig", kubeconfig, "--empty", "--quiet"],
  ];
  const rows = [
    await measure({ ...bare, cache: join(dir, "cache-bare") }),
    await measure({ what: "sources", main: worker("main.ts"), cwd: ROOT, cache: join(dir, "cache-ts") }),
    await measure({ what: "built", main: worker("main.js"), cwd: built, cache: join(dir, "cache-js") }),
  ];
  const cells = rows.map(({ what, readyMs, cpuMs, rssMiB }) => [
    what,
    ...[readyMs, cpuMs, rssMiB].map(String),
  ]);
  console.log(formatTable(["PROCESS", "READY ms", "CPU ms", "RSS MiB"], cells));
  console.log(`goal of the built one: ${GOAL_MS} ms, ${GOAL_RSS_MIB} MiB`);
  await writeResults("cold-start", rows);
}

interface Subject {
  readonly what: string;
  readonly main: readonly string[];
  readonly cwd: string;
  readonly cache: string;
}

async function measure({ what, main, cwd, cache }: Subject): Promise<Row> {
  const rounds: Omit<Row, "what">[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAt = performance.now();
    const child = spawnChild(process.execPath, main, {
      cwd,
      env: { NODE_COMPILE_CACHE: cache },
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    const readyMs = performance.now() - startedAt;
    const cpuMs = await cpuMsOf(child.pid);
    await new Promise((resolve) => setTimeout(resolve, IDLE_MS));
    const rssMiB = await rssMiBOf(child.pid);
    const ended = once(child, "exit");
    child.kill(round < WARM_UPS ? "SIGTERM" : "SIGKILL");
    await ended;
    if (round >= WARM_UPS) rounds.push({ readyMs, cpuMs, rssMiB });
  }
  const median = (of: keyof Omit<Row, "what">) =>
    Math.round(rounds.map((round) => round[of]).sort((a, b) => a - b)[rounds.length >> 1] ?? 0);
  return { what, readyMs: median("readyMs"), cpuMs: median("cpuMs"), rssMiB: median("rssMiB") };
}

/** User and system time of all threads so far, with a resolution of 10 ms. */
async function cpuMsOf(pid: number | undefined): Promise<number> {
  const fields = (await readFile(`/proc/${pid}/stat`, "utf8")).split(") ")[1]?.split(" ") ?? [];
  return ((Number(fields[11]) + Number(fields[12])) * 1_000) / TICKS_PER_SECOND;
}

/** Resident memory of a process. */
export async function rssMiBOf(pid: number | undefined): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, "utf8");
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024;
}

/** Of a management cluster that does not answer. */
export const KUBECONFIG = `clusters: [{ name: c, cluster: { server: "http://127.0.0.1:1" } }]
users: [{ name: u, user: { token: t } }]
contexts: [{ name: x, context: { cluster: c, user: u } }]
`;
