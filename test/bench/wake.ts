import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { buildInto } from "../../infra/deploy/build.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { capstanCommand } from "./capstan-command.ts";
import { writeResults } from "./results.ts";

const FUNCTION = "machinepool-guard";
const ROUNDS = 30;
const GOAL_MS = 2_000;
/** KEDA asks every 5 s, and a kubelet starts a container: both come on top, and are not ours. */
const ASK_EVERY_MS = 50;

/**
 * How long a function that rests without a worker takes from the change of an object to its first write: the relay sees
 * the change, `/scale` asks for a worker, a new process starts, connects, and runs the key.
 */
export async function wakeBench(): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-wake-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  await buildInto(join(dir, "built"));
  const server = stack.use(await EMBEDDED.start());
  const redis = stack.use(await startRedis());
  const { flags } = await capstanCommand();
  const [port = 0] = await freePorts(1);
  const start = (part: string, ...more: readonly string[]) => {
    const reach = ["--kubeconfig", server.kubeconfigFile, "--queue", redis.url, "--functions", FUNCTION];
    const args = [...flags, "infra/cli/main.js", part, "--log-level", "error", ...reach, ...more];
    const env = { ...process.env, NODE_COMPILE_CACHE: join(dir, "cache") };
    return spawnChild(process.execPath, args, {
      cwd: join(dir, "built"),
      env,
      stdio: ["ignore", "pipe", "inherit"],
    });
  };
  const relay = start("relay", "--install-crds", "--metrics-address", `127.0.0.1:${port}`);
  stack.defer(() => void relay.kill());
  await once(relay.stdout, "data");
  const wantsOne = async () => {
    const answer = await fetch(`http://127.0.0.1:${port}/scale?group=${FUNCTION}`);
    return ((await answer.json()) as { readonly workers: number }).workers > 0;
  };
  const wrote = async (pool: string) =>
    (await server.requests()).some(
      ({ userAgent, verb, name }) => userAgent.endsWith(FUNCTION) && verb === "patch" && name === pool,
    );

  const kubectl = kubectlFor(server.kubeconfigFile);
  await kubectl("create -f -", simCluster("c1"));

  const totals: number[] = [];
  const asked: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const pool = `p${round}`;
    const [manifest = ""] = simPool(pool, "c1", 0).split("---");
    await kubectl("create -f -", manifest);
    const since = performance.now();
    while (!(await wantsOne())) await setTimeout(ASK_EVERY_MS);
    asked.push(performance.now() - since);
    const worker = start("worker");
    while (!(await wrote(pool))) await setTimeout(1);
    totals.push(performance.now() - since);
    worker.kill();
    await once(worker, "exit");
    while (await wantsOne()) await setTimeout(ASK_EVERY_MS);
  }
  const rows = [
    { what: "until a worker is asked for", ...sharesOf(asked) },
    { what: "until the first write", ...sharesOf(totals) },
  ];
  const cells = rows.map(({ what, p50, p99 }) => [what, String(p50), String(p99)]);
  console.log(formatTable([`${ROUNDS} ROUNDS`, "P50 ms", "P99 ms"], cells));
  console.log(`goal of the first write: ${GOAL_MS} ms`);
  await writeResults("wake", rows);
}

function sharesOf(all: readonly number[]): { readonly p50: number; readonly p99: number } {
  const sorted = all.toSorted((a, b) => a - b);
  const at = (share: number) => Math.round(sorted[Math.ceil(share * sorted.length) - 1] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}
