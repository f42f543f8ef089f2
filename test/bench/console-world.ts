import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "../../infra/platform/clock.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { createRedisStore } from "../../infra/queue/backends/redis/store/store.ts";
import { startSigning } from "../../infra/relay/start-signing.ts";
import { Cluster } from "../../shared/api/cluster/cluster.ts";
import { FOO_CRDS } from "../support/builders.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { silentLog } from "../support/silent-log.ts";
import { capstanCommand } from "./capstan-command.ts";
import { type Usage, usageOf } from "./capstan-process.ts";
import { type ChangingFleet, fillFleet } from "./console-changes.ts";
import type { Member } from "./console-fleet.ts";

/** A console over a Redis that holds a fleet, which nothing but the bench changes. */
export interface ConsoleWorld extends AsyncDisposable {
  readonly fleet: ChangingFleet;
  readonly redisUrl: string;
  /** As the terminal shows it. */
  readonly link: string;
  /** From the start of the process until it prints its link. */
  readonly startMs: number;
  usage(): Promise<Usage>;
}

/** Fills the read model directly: no relay lists, and no provider has objects. `built`: folder of the built product. */
export async function startConsoleWorld(built: string, members: readonly Member[]): Promise<ConsoleWorld> {
  await using starting = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), "capstan-console-"));
  starting.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startApiServer({ name: "bench" });
  starting.defer(() => server.stop());
  const kubeconfig = join(dir, "kubeconfig");
  await writeFile(kubeconfig, server.kubeconfig(), { mode: 0o600 });
  const redis = starting.use(await startRedis());
  const target = { url: redis.url, log: silentLog };
  const store = starting.use(await createRedisStore(target));
  const relay = { followed: () => [Cluster] };
  starting.use(startSigning({ relay, store, clock: systemClock }));
  const fleet = starting.use(await fillFleet({ store, url: redis.url, crds: FOO_CRDS }, members));
  const startedAt = performance.now();
  const console = starting.use(
    await startBuilt(built, [
      "console",
      "--queue",
      redis.url,
      "--kubeconfig",
      kubeconfig,
      "--address",
      "127.0.0.1:0",
    ]),
  );
  const startMs = performance.now() - startedAt;
  const running = starting.move();
  return {
    fleet,
    redisUrl: redis.url,
    link: console.link,
    startMs,
    usage: () => usageOf(console.pid),
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Starts a command of the built product that serves a console. */
async function startBuilt(built: string, args: readonly string[]) {
  const { flags } = await capstanCommand();
  const child = spawnChild(
    process.execPath,
    [...flags, "infra/cli/main.js", ...args, "--log-level", "error"],
    {
      cwd: built,
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const link = await printed(child.stdout, /console: (http:\S+)/);
  return {
    link,
    pid: child.pid,
    async [Symbol.asyncDispose]() {
      child.kill("SIGTERM");
      await once(child, "exit");
    },
  };
}

/** Resolves with what a process prints; reads on afterwards. */
export function printed(stdout: NodeJS.ReadableStream, pattern: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = "";
    stdout.on("data", (chunk) => {
      text += String(chunk);
      const [, found] = pattern.exec(text) ?? [];
      if (found !== undefined) resolve(found);
    });
    stdout.once("end", () => reject(new Error(`the process has ended without printing ${pattern}`)));
  });
}
