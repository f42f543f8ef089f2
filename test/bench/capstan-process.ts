import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../infra/platform/clock.ts";
import { readEnvironment } from "../../infra/platform/config.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import type { ServerClient } from "../../infra/platform/kube/verbs.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { realServerMissing, startRealServer } from "../support/processes/real-server.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { capstanCommand } from "./capstan-command.ts";

const ROOT = new URL("../../", import.meta.url);
/** Of /proc, per second. */
const TICKS = 100;
/** Of the API server: none that it reaches. */
const MEMORY_LIMIT = "12GiB";
/** User-Agent of the client that prepares the world. */
export const SETUP = "bench";

/** A management API server and a way to it that is not limited. */
export interface World extends AsyncDisposable {
  readonly name: "kube-apiserver" | "embedded";
  readonly kubeconfig: string;
  readonly kubeconfigFile: string;
  /** Of the real one. */
  readonly auditLog: string | undefined;
  readonly pids: readonly number[];
  readonly client: ServerClient;
}

/**
 * The management API server: a real one when its binaries are there. A real one keeps its objects in `folder`, and begins
 * with what is there.
 */
export async function startWorld(folder?: string): Promise<World> {
  const stack = new AsyncDisposableStack();
  const assets = readEnvironment().KUBEBUILDER_ASSETS;
  const dir = await mkdtemp(join(tmpdir(), "capstan-bench-"));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  let kubeconfigFile = join(dir, "kubeconfig");
  let auditLog: string | undefined;
  let pids: readonly number[] = [];
  if (assets !== undefined && realServerMissing(assets) === undefined) {
    ({ kubeconfigFile, auditLog, pids } = stack.use(
      await startRealServer(assets, { folder, memoryLimit: MEMORY_LIMIT }),
    ));
  } else {
    const embedded = await startApiServer({ name: "bench" });
    stack.defer(() => embedded.stop());
    await writeFile(kubeconfigFile, embedded.kubeconfig(), { mode: 0o600 });
  }
  const access = await loadKubeconfig({ file: kubeconfigFile, env: {} });
  const rate = { requestsPerSecond: 10_000, burst: 10_000 };
  const server = stack.use(createServer(access, { clock: systemClock, rate }));
  return {
    name: auditLog === undefined ? "embedded" : "kube-apiserver",
    kubeconfig: await readFile(kubeconfigFile, "utf8"),
    kubeconfigFile,
    auditLog,
    pids,
    client: server.as(SETUP),
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

/** Since the start of a process. */
export interface Usage {
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  readonly peakMiB: number;
  /** Read and written by system calls: sockets, with what TLS adds, and the few files that were read. */
  readonly receivedBytes: number;
  readonly sentBytes: number;
}

/** Capstan as users start it. */
export interface CapstanProcess extends AsyncDisposable {
  usage(): Promise<Usage>;
  /** Runs of every function so far. */
  jobs(): Promise<ReadonlyMap<string, number>>;
  /** Seconds that the runs of every function have taken so far. */
  runSeconds(): Promise<ReadonlyMap<string, number>>;
}

/**
 * `npm run capstan -- up` of this checkout with the functions of these patterns, without npm and without anything that is
 * simulated. `options` are further ones of `up`.
 */
export async function startCapstan(
  kubeconfigFile: string,
  functionPatterns: readonly string[] = ["cluster-*", "machinepool-*"],
  env: { readonly [name: string]: string } = {},
  options: readonly string[] = [],
): Promise<CapstanProcess> {
  const roles = ["--roles", "relay", "worker", "--empty", "--quiet", "--log-level", "error"];
  const functions = ["--functions", ...functionPatterns];
  const { flags, main } = await capstanCommand();
  const [port = 0] = await freePorts(1);
  const address = `127.0.0.1:${port}`;
  const seen = ["--metrics-address", address];
  const args = [
    ...flags,
    main,
    "up",
    "--kubeconfig",
    kubeconfigFile,
    ...roles,
    ...functions,
    ...seen,
    ...options,
  ];
  const child = spawnChild(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "exit").then(([code]) => {
    throw new Error(`capstan ended with ${code} instead of starting`);
  });
  await Promise.race([once(child.stdout, "data"), ended]);
  ended.catch(() => undefined);
  child.stdout.resume();
  return {
    usage: () => usageOf(child.pid),
    jobs: () => sumsAt(`http://${address}/metrics`, RUNS),
    runSeconds: () => sumsAt(`http://${address}/metrics`, RUN_SECONDS),
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Reads what the kernel counts of a process. */
export async function usageOf(pid: number | undefined): Promise<Usage> {
  const [status, stat, io] = await Promise.all(
    ["status", "stat", "io"].map((file) => readFile(`/proc/${pid}/${file}`, "utf8")),
  );
  const number = (text: string | undefined, name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+)`, "m").exec(text ?? "")?.[1]);
  const [utime = 0, stime = 0] = (stat ?? "")
    .slice((stat ?? "").lastIndexOf(")") + 2)
    .split(" ")
    .slice(11, 13)
    .map(Number);
  return {
    cpuSeconds: (utime + stime) / TICKS,
    residentMiB: Math.round(number(status, "VmRSS") / 1_024),
    peakMiB: Math.round(number(status, "VmHWM") / 1_024),
    receivedBytes: number(io, "rchar"),
    sentBytes: number(io, "wchar"),
  };
}

const RUNS = /^controller_runtime_reconcile_total\{.*controller="([^"]+)".*\} (\d+)$/gm;
const RUN_SECONDS = /^controller_runtime_reconcile_time_seconds_sum\{.*controller="([^"]+)".*\} (\S+)$/gm;

/** By function. */
async function sumsAt(url: string, pattern: RegExp): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(url)).text();
  const sums = new Map<string, number>();
  for (const [, name = "", value] of text.matchAll(pattern))
    sums.set(name, (sums.get(name) ?? 0) + Number(value));
  return sums;
}

/** Of a measured value. */
export function round(value: number, digits = 3): number {
  return Math.round(value * 10 ** digits) / 10 ** digits;
}
