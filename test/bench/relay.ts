import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { formatTable } from "../../infra/platform/terminal/table.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import type { Flow, Memory, Neighbour, Storm } from "./relay-contender.ts";
import { type Load, pathOfLoad } from "./relay-load.ts";
import { writeResults } from "./results.ts";

const CONTENDERS = ["capstan", "informer"] as const;
type Name = (typeof CONTENDERS)[number];

/** More objects than may wait, so that no event is merged with another. */
const POOLS: Load = { kind: "MachinePool", objects: 2_000, bytes: 4_096, events: 50_000, perSecond: 0 };
const LARGE_POOLS: Load = { ...POOLS, bytes: 20_480, events: 10_000 };
const HEARTBEATS: Load = { kind: "Node", objects: 100, bytes: 4_096, events: 1_000, perSecond: 0 };
const MANY_POOLS: Load = { ...POOLS, objects: 10_000, events: 0 };
const NODES: Load = { kind: "Node", objects: 50, bytes: 4_096, events: 0, perSecond: 0 };
const CLUSTERS = 200;
const QUIET: Load = { ...POOLS, objects: 10, events: 1_000, perSecond: 50 };
/** 10,000 small events a second, if a client reads them. */
const HOSTILE: Load = { kind: "Node", objects: 5_000, bytes: 1_000, events: 10_000_000, perSecond: 0 };

/** Best of so many rounds, in which all take part one after the other: the machine does other things, too. */
const ROUNDS = 3;

interface Row {
  readonly name: Name;
  /** Events of 4 KB and of 20 KB: parsed, stored, compared, decided (KR-03). */
  readonly pools: Flow;
  readonly largePools: Flow;
  /** Of 1,000 heartbeats. */
  readonly heartbeatJobs: number;
  readonly memory: Memory;
  readonly storm: Storm & Reopened;
  readonly alone: Neighbour;
  readonly besideHostile: Neighbour;
}

interface Reopened {
  readonly watches: number;
  readonly again: number;
  readonly ms: number;
  readonly lists: number;
}

/**
 * The relay beside the stock informer of the Kubernetes client library: events per second, event loop lag, memory per
 * watched object, a storm of reconnects, heartbeats, and a quiet cluster beside a hostile one (KR-02, KR-03, KR-20).
 */
export async function relayBench(): Promise<void> {
  const server = start("relay-server.ts", []);
  const { port } = await answerOf<{ readonly port: number }>(server);
  const urlOf = (load: Load) => `http://127.0.0.1:${port}/${pathOfLoad(load)}`;
  const flows: Flows[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const name of CONTENDERS) {
      const pools = await result<Flow>([name, "flow", urlOf(POOLS)]);
      flows.push({ name, pools, largePools: await result<Flow>([name, "flow", urlOf(LARGE_POOLS)]) });
    }
  }
  const rows: Row[] = [];
  for (const name of CONTENDERS) {
    const own = flows.filter((each) => each.name === name);
    const pools = bestOf(own.map((each) => each.pools));
    const largePools = bestOf(own.map((each) => each.largePools));
    rows.push({ name, pools, largePools, ...(await measure(name, server, urlOf)) });
  }
  server.disconnect();
  console.log(formatTable(HEADER, rows.map(cellsOf)));
  await writeResults("relay", rows);
}

type Flows = Pick<Row, "name" | "pools" | "largePools">;

function bestOf(flows: readonly Flow[]): Flow {
  const [best] = flows.toSorted((a, b) => b.perSecond - a.perSecond);
  if (best === undefined) throw new Error("bug: no round");
  return best;
}

async function measure(
  name: Name,
  server: ChildProcess,
  urlOf: (load: Load) => string,
): Promise<Omit<Row, keyof Flows>> {
  await using redis = await startRedis();
  const heartbeats = await result<Flow>([name, "flow", urlOf(HEARTBEATS)]);
  const memory = await result<Memory>([name, "memory", urlOf(MANY_POOLS), redis.url]);
  const storm = await stormOf([name, "storm", urlOf(NODES), String(CLUSTERS)], server);
  const alone = await result<Neighbour>([name, "neighbour", urlOf(QUIET)]);
  const besideHostile = await result<Neighbour>([name, "neighbour", urlOf(QUIET), urlOf(HOSTILE)]);
  return { heartbeatJobs: heartbeats.jobs, memory, storm, alone, besideHostile };
}

async function stormOf(task: readonly string[], server: ChildProcess): Promise<Storm & Reopened> {
  const contender = start("relay-contender.ts", task);
  await answerOf(contender);
  server.send("break");
  const reopened = await answerOf<Reopened>(server);
  contender.send("back");
  return { ...reopened, ...(await answerOf<Storm>(contender)) };
}

function result<T>(task: readonly string[]): Promise<T> {
  return answerOf<T>(start("relay-contender.ts", task));
}

function start(file: string, task: readonly string[]): ChildProcess {
  const path = fileURLToPath(new URL(file, import.meta.url));
  return fork(path, task, { execArgv: ["--expose-gc"] });
}

/** The next message of a process. */
async function answerOf<T>(child: ChildProcess): Promise<T> {
  const abort = new AbortController();
  const { signal } = abort;
  const ended = once(child, "exit", { signal }).then(([code]) => {
    throw new Error(`a process of the bench ended with ${code}`);
  });
  try {
    const [message] = await Promise.race([once(child, "message", { signal }), ended]);
    return message as T;
  } finally {
    ended.catch(() => undefined);
    abort.abort();
  }
}

const HEADER = [
  "WATCHER",
  "4 KB/s",
  "PER CPU s",
  "LAG p99 ms",
  "20 KB/s",
  "PER CPU s",
  "LAG p99 ms",
  "JOBS OF 1,000 BEATS",
  "BYTES/OBJECT",
  "STORM ms",
  "LISTS",
  "CPU s",
  "QUIET p99 ms",
  "BESIDE HOSTILE",
];

function cellsOf(row: Row): readonly string[] {
  return [
    row.name,
    row.pools.perSecond,
    row.pools.perCpuSecond,
    row.pools.lagP99Ms,
    row.largePools.perSecond,
    row.largePools.perCpuSecond,
    row.largePools.lagP99Ms,
    row.heartbeatJobs,
    row.memory.bytesPerObject,
    row.storm.ms,
    row.storm.lists,
    row.storm.cpuSeconds,
    row.alone.p99Ms,
    row.besideHostile.p99Ms,
  ].map(String);
}
