import { type ChildProcess, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Redis } from "ioredis";
import { refuseLeaks } from "../canaries.ts";
import { freePorts } from "./free-ports.ts";
import { spawnChild } from "./spawn-child.ts";

const SERVER = "redis-server";

export interface RedisServer extends AsyncDisposable {
  readonly url: string;
  readonly pid: number;
  /** SIGSTOP: it does not answer until SIGCONT. */
  signal(name: NodeJS.Signals): void;
  /** Kills the server without a goodbye; connections break. */
  kill(): Promise<void>;
  /** Ends the server as a kubelet does: it writes first what its settings let it keep. */
  stop(): Promise<void>;
  /** Starts it again on the same port with what `settings` let it keep: by default nothing. */
  restart(): Promise<void>;
}

/** Binaries that `startRedis` misses, for `describeWith`. */
export function redisMissing(): string | undefined {
  const { status } = spawnSync(SERVER, ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : "no redis-server; apt-get install redis-server";
}

/**
 * A redis-server of its own on a free loopback port, without persistence, for benchmarks and tests.
 * `settings` are lines of redis.conf. `isSentinel`: a Sentinel in its place. Disposing refuses a server that holds a secret.
 */
export async function startRedis(settings: readonly string[] = [], isSentinel = false): Promise<RedisServer> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-redis-"));
  const [port = 0] = await freePorts(1);
  const launched = { dir, port, settings, isSentinel };
  let server = await launch(launched);
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const exited = once(server, "exit");
    server.kill(signal);
    await exited;
  };
  const kill = () => end("SIGKILL");
  return {
    url: `redis://127.0.0.1:${port}`,
    get pid() {
      return server.pid ?? 0;
    },
    signal: (name) => void server.kill(name),
    kill,
    stop: () => end("SIGTERM"),
    restart: async () => {
      await kill();
      server = await launch(launched);
    },
    [Symbol.asyncDispose]: async () => {
      const dump = await dumpOf(`redis://127.0.0.1:${port}`, join(dir, "dump.rdb"));
      await kill();
      await rm(dir, { recursive: true, force: true });
      refuseLeaks("Redis", dump);
    },
  };
}

/** Everything that it holds; nothing of one that was killed or stopped, or wants another user. */
async function dumpOf(url: string, file: string): Promise<Buffer> {
  const client = new Redis(url, {
    commandTimeout: 2_000,
    maxRetriesPerRequest: 0,
    retryStrategy: () => null,
  });
  client.on("error", () => undefined);
  try {
    await client.save();
  } catch {
    return Buffer.alloc(0);
  } finally {
    client.disconnect();
  }
  return existsSync(file) ? readFile(file) : Buffer.alloc(0);
}

interface Launch {
  readonly dir: string;
  readonly port: number;
  readonly settings: readonly string[];
  readonly isSentinel: boolean;
}

async function launch({ dir, port, settings, isSentinel }: Launch): Promise<ChildProcess> {
  const place = ["bind 127.0.0.1", `port ${port}`, `dir ${dir}`];
  const fixed = isSentinel ? place : [...place, 'save ""', "appendonly no", "rdbcompression no"];
  // A Sentinel keeps its state in the file.
  const file = join(dir, "redis.conf");
  await writeFile(file, [...fixed, ...settings, ""].join("\n"));
  const server = spawnChild(SERVER, [file, ...(isSentinel ? ["--sentinel"] : [])], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines: string[] = [];
  for await (const line of createInterface(server.stdout)) {
    lines.push(line);
    if (/Ready to accept connections|Sentinel ID is/.test(line)) {
      server.stdout.resume();
      return server;
    }
  }
  throw new Error(`redis-server did not start:\n${lines.join("\n")}`);
}
