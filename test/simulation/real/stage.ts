import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { ServerFlavour } from "../../support/processes/api-servers.ts";
import type { AuditedRequest } from "../../support/processes/audit-log.ts";
import { type RedisServer, startRedis } from "../../support/processes/redis-server.ts";
import { startProxy, type TcpProxy } from "../../support/processes/tcp-proxy.ts";
import { type Actor, startActor } from "./actor.ts";
import { createOnlooker, type Onlooker } from "./onlooker.ts";

/**
 * Everything that plays a part, as real processes: two relays, one of them standing by, and two workers on
 * one Redis.
 */
export interface Stage extends AsyncDisposable {
  readonly relays: readonly [Placed, Placed];
  readonly workers: readonly [Placed, Placed];
  /** The provider and the API servers of its workload clusters. */
  readonly cloud: Actor;
  readonly redis: RedisServer;
  readonly onlooker: Onlooker;
  /** Of the management API server, so far. */
  requests(): Promise<readonly AuditedRequest[]>;
}

/** A process with a network of its own. */
interface Placed {
  readonly actor: Actor;
  readonly management: TcpProxy;
  readonly queue: TcpProxy;
}

export interface StageOptions {
  readonly server: ServerFlavour;
  /** Lines of redis.conf; by default Redis keeps nothing. */
  readonly redis?: readonly string[] | undefined;
  /** Time by which the clock of the first worker is ahead of all others. */
  readonly aheadMs?: number | undefined;
}

const SHIFTED_CLOCK = fileURLToPath(new URL("shifted-clock.ts", import.meta.url));

export async function setStage({ server, redis: settings = [], aheadMs }: StageOptions): Promise<Stage> {
  await using setting = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "capstan-stage-"));
  setting.defer(() => rm(folder, { recursive: true, force: true }));
  const management = setting.use(await server.start());
  const redis = setting.use(await startRedis(settings));
  const kubeconfig = await readFile(management.kubeconfigFile, "utf8");
  const address = /server: "?([^"\s,}]+)/.exec(kubeconfig)?.[1] ?? "";

  const place = async (name: string, role: "relay" | "worker", ready: string): Promise<Placed> => {
    const toManagement = setting.use(await startProxy(address));
    const toQueue = setting.use(await startProxy(redis.url));
    const file = join(folder, name);
    await writeFile(file, kubeconfig.replace(address, toManagement.url), { mode: 0o600 });
    const options = role === "relay" ? ["--leader-elect", "--leader-elect-namespace", "default"] : [];
    const args = [role, "--kubeconfig", file, "--queue", toQueue.url, "--log-level", "error", ...options];
    const isAhead = name === "worker-0" && aheadMs !== undefined;
    const env = isAhead
      ? { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CAPSTAN_TEST_AHEAD_MS: String(aheadMs) }
      : undefined;
    const actor = setting.use(await startActor({ args, env, ready }));
    return { actor, management: toManagement, queue: toQueue };
  };

  const cloudArgs = ["up", "--roles", "cloud", "--install-crds", "--empty", "--quiet"];
  const cloud = setting.use(
    await startActor({
      args: [
        ...cloudArgs,
        "--kubeconfig",
        management.kubeconfigFile,
        "--dead-letters",
        join(folder, "letters"),
      ],
      ready: "Ctrl-C stops",
    }),
  );
  const leader = await place("relay-0", "relay", "relay:");
  const [standby, first, second] = await Promise.all([
    place("relay-1", "relay", "relay:"),
    place("worker-0", "worker", "serving"),
    place("worker-1", "worker", "serving"),
  ]);
  const onlooker = setting.use(await createOnlooker(management.kubeconfigFile));
  const stage = setting.move();
  return {
    relays: [leader, standby],
    workers: [first, second],
    cloud,
    redis,
    onlooker,
    requests: () => management.requests(),
    [Symbol.asyncDispose]: () => stage.disposeAsync(),
  };
}
