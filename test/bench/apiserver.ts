import { readdir, readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { readEnvironment } from "../../infra/platform/config.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { realServerMissing, startRealServer } from "../support/processes/real-server.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { type Address, Load } from "./apiserver-loads.ts";
import { capstanCommand } from "./capstan-command.ts";
import { writeResults } from "./results.ts";

const OBJECTS = 10_000;
const OBJECT_BYTES = 4_000;
const CHANGES = 20_000;
const WATCHES = 100;
const FAN_OUT = { writes: 500, perSecond: 100 };

const COMPILE_CACHE = join(tmpdir(), "capstan-bench-compiled");

/** 150 MB are 10^6 bytes each. */
const GOALS = "start 150 ms, 143 MiB, 2,000 changes/s, p99 20 ms";

/** A server that is measured. */
interface Candidate extends AsyncDisposable {
  readonly name: string;
  readonly address: Address;
  /** From the call to the first possible request. */
  readonly startMs: number;
  readonly pids: readonly number[];
}

interface Row {
  readonly name: string;
  readonly startMs: number;
  readonly residentMiB: number;
  /** Of that, what the objects made it grow by. */
  readonly grownMiB: number;
  readonly createsPerSecond: number;
  readonly changesPerSecond: number;
  readonly listMs: number;
  readonly fanOutP50Ms: number;
  readonly fanOutP99Ms: number;
}

/**
 * Start, memory with 10,000 objects of 4 KB, writes per second and delay of events to 100 watches: the embedded API
 * server beside a real kube-apiserver with its etcd, when KUBEBUILDER_ASSETS has one.
 */
export async function apiserverBench(): Promise<void> {
  // The first start fills the compile cache: images have built JavaScript, which needs no stripping of types.
  await (await startEmbedded())[Symbol.asyncDispose]();
  const rows = [await measure(startEmbedded)];
  const assets = readEnvironment().KUBEBUILDER_ASSETS;
  const missing = realServerMissing(assets);
  if (missing === undefined && assets !== undefined) rows.push(await measure(() => startReal(assets)));
  else console.log(`no real API server beside it: ${missing}`);
  const header = [
    "SERVER",
    "START ms",
    "RSS MiB",
    "GROWN MiB",
    "CREATES/s",
    "CHANGES/s",
    "LIST ms",
    `FAN-OUT TO ${WATCHES} p50 ms`,
    "p99 ms",
  ];
  console.log(
    formatTable(
      header,
      rows.map((row) => Object.values(row).map(String)),
    ),
  );
  console.log(`goals: ${GOALS}`);
  await writeResults("apiserver", rows);
}

async function measure(start: () => Promise<Candidate>): Promise<Row> {
  await using candidate = await start();
  using load = new Load(candidate.address);
  const before = await residentMiB(candidate.pids);
  const createsPerSecond = await load.fill(OBJECTS, OBJECT_BYTES);
  const after = await residentMiB(candidate.pids);
  const changesPerSecond = await load.change(CHANGES, OBJECTS);
  const listMs = await load.list();
  const { p50Ms, p99Ms } = await load.fanOut(WATCHES, FAN_OUT.writes, FAN_OUT.perSecond);
  return {
    name: candidate.name,
    startMs: Math.round(candidate.startMs),
    residentMiB: Math.round(after),
    grownMiB: Math.round(after - before),
    createsPerSecond: Math.round(createsPerSecond),
    changesPerSecond: Math.round(changesPerSecond),
    listMs: Math.round(listMs),
    fanOutP50Ms: round(p50Ms),
    fanOutP99Ms: round(p99Ms),
  };
}

async function startEmbedded(): Promise<Candidate> {
  const file = fileURLToPath(new URL("apiserver-process.ts", import.meta.url));
  const { flags } = await capstanCommand();
  const child = spawnChild(process.execPath, [...flags, file], {
    env: { NODE_COMPILE_CACHE: COMPILE_CACHE },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const line = await firstLine(child.stdout);
  const { url, token, startMs } = JSON.parse(line) as Address & { readonly startMs: number };
  return {
    name: "embedded",
    address: { url, token },
    startMs,
    pids: child.pid === undefined ? [] : [child.pid],
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await new Promise((resolve) => child.once("exit", resolve));
    },
  };
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error("the embedded API server ended before it was ready");
}

async function startReal(assets: string): Promise<Candidate> {
  const startedAt = performance.now();
  const real = await startRealServer(assets);
  const startMs = performance.now() - startedAt;
  const access = await loadKubeconfig({ file: real.kubeconfigFile, env: {} });
  return {
    name: "kube-apiserver and etcd",
    address: { url: access.server.origin, token: tokenIn(real.kubeconfig) },
    startMs,
    pids: await childrenNamed(["kube-apiserver", "etcd"]),
    [Symbol.asyncDispose]: () => real[Symbol.asyncDispose](),
  };
}

function tokenIn(kubeconfig: string): string {
  return /token: (\S+?) /.exec(kubeconfig)?.[1] ?? "";
}

/** Direct children of this process, by command. */
async function childrenNamed(commands: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const status = await readFile(`/proc/${pid}/status`, "utf8").catch(() => "");
    const command = /^Name:\t(.*)$/m.exec(status)?.[1] ?? "";
    const parent = Number(/^PPid:\t(\d+)$/m.exec(status)?.[1]);
    if (parent === process.pid && commands.includes(command)) found.push(Number(pid));
  }
  return found;
}

async function residentMiB(pids: readonly number[]): Promise<number> {
  let kibibytes = 0;
  for (const pid of pids) {
    const status = await readFile(`/proc/${pid}/status`, "utf8");
    kibibytes += Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0);
  }
  return kibibytes / 1_024;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
