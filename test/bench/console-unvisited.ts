import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { capstanCommand } from "./capstan-command.ts";
import { round, usageOf } from "./capstan-process.ts";
import { printed } from "./console-world.ts";
import { inTurn, median } from "./rounds.ts";

const REST_MS = 2_000;
/** The first starts fill the compile cache. */
const WARM_UPS = 1;

interface Start {
  /** From the start of the process until everything but the console runs. */
  readonly readyMs: number;
  /** From then until the link of the console is printed; 0 without one. */
  readonly linkMs: number;
  readonly cpuMs: number;
  readonly residentMiB: number;
}

/**
 * Measures the cost of `up --console` over `up` while no page is open: medians over the rounds, of the built product.
 * `linkMs` is from when all else runs until its link. The other figures are differences of whole starts until then; they vary
 * by tens of milliseconds.
 */
export async function unvisited(built: string, rounds: number) {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-up-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const starts: { readonly [what: string]: Start[] } = { without: [], with: [] };
  for (let at = 0; at < WARM_UPS + rounds; at += 1) {
    for (const what of inTurn(["without", "with"] as const, at)) {
      const found = await start(built, dir, what === "with");
      if (at >= WARM_UPS) starts[what]?.push(found);
    }
  }
  const middle = (what: string, of: keyof Start) => median((starts[what] ?? []).map((one) => one[of]));
  // Minutes of a machine differ more than the two do: each start is compared with its neighbour.
  const differences = (of: keyof Start) =>
    (starts["with"] ?? []).map((one, at) => one[of] - (starts["without"]?.[at]?.[of] ?? Number.NaN));
  const more = (of: keyof Start) => round(median(differences(of)), 1);
  return {
    linkMs: round(middle("with", "linkMs"), 1),
    readyMs: more("readyMs"),
    cpuMs: more("cpuMs"),
    residentMiB: more("residentMiB"),
    of: { readyMs: Math.round(middle("without", "readyMs")), residentMiB: middle("without", "residentMiB") },
  };
}

async function start(built: string, dir: string, isWith: boolean): Promise<Start> {
  const { flags } = await capstanCommand();
  const options = ["up", "--empty", "--quiet", "--write-kubeconfig", join(dir, "kubeconfig")];
  const served = isWith ? ["--console", "127.0.0.1:0"] : [];
  const startedAt = performance.now();
  const child = spawnChild(process.execPath, [...flags, "infra/cli/main.js", ...options, ...served], {
    cwd: built,
    env: { ...process.env, NODE_COMPILE_CACHE: join(dir, "cache") },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const since = async (pattern: RegExp) => {
    await printed(child.stdout, pattern);
    return performance.now() - startedAt;
  };
  const ready = since(/(Ctrl-C stops)/);
  const [readyMs, linkedMs] = await Promise.all([ready, isWith ? since(/console: (http:\S+)/) : ready]);
  await new Promise((resolve) => setTimeout(resolve, REST_MS));
  const { cpuSeconds, residentMiB } = await usageOf(child.pid);
  const ended = once(child, "exit");
  child.kill("SIGTERM");
  await ended;
  return { readyMs, linkMs: linkedMs - readyMs, cpuMs: cpuSeconds * 1_000, residentMiB };
}
