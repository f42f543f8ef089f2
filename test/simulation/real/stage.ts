import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type ServerProcess, serverProcesses } from "../../../infra/deploy/manifests/deployments.ts";
import { OF_SIMS } from "../../support/deployed-accounts.ts";
import type { ServerFlavour } from "../../support/processes/api-servers.ts";
import type { AuditedRequest } from "../../support/processes/audit-log.ts";
import { type RedisServer, startRedis } from "../../support/processes/redis-server.ts";
import { startProxy, type TcpProxy } from "../../support/processes/tcp-proxy.ts";
import { type Actor, startActor, together } from "./actor.ts";
import { createOnlooker, type Onlooker } from "./onlooker.ts";

/**
 * Everything that plays a part, as real processes: two relays, one of them standing by, and two workers of each group
 * on one Redis, each process under its own account. The functions of the simulated provider are with the provider.
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

/** A relay, or a worker of each group, with a network of their own. */
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
  const { namespace, fileOf } = await management.accounts();
  const processes = await serverProcesses();

  const place = async (name: string, part: ServerProcess["part"]): Promise<Placed> => {
    const ofPart = processes.filter((each) => each.part === part);
    const texts = await Promise.all(ofPart.map(async (each) => readFile(await fileOf(each.name), "utf8")));
    const address = /server: "?([^"\s,}]+)/.exec(texts[0] ?? "")?.[1] ?? "";
    const toManagement = setting.use(await startProxy(address));
    const toQueue = setting.use(await startProxy(redis.url));
    const election = part === "relay" ? ["--leader-elect", "--leader-elect-namespace", namespace] : [];
    const shared = ["--queue", toQueue.url, "--log-level", "error", ...election];
    const isAhead = name === "worker-0" && aheadMs !== undefined;
    const env = isAhead
      ? { NODE_OPTIONS: `--import=${SHIFTED_CLOCK}`, CAPSTAN_TEST_AHEAD_MS: String(aheadMs) }
      : undefined;
    const start = async ({ name: account, functions }: ServerProcess, index: number): Promise<Actor> => {
      const file = join(folder, `${name}-${account}`);
      await writeFile(file, texts[index]?.replace(address, toManagement.url) ?? "", { mode: 0o600 });
      const names = functions.map(({ spec }) => spec.name);
      const args = [part, "--kubeconfig", file, ...shared, "--functions", ...names];
      return setting.use(await startActor({ args, env, ready: part === "relay" ? "relay:" : "serving" }));
    };
    return {
      actor: together(await Promise.all(ofPart.map(start))),
      management: toManagement,
      queue: toQueue,
    };
  };

  const provider = ["up", "--roles", "cloud", "relay", "worker", "--functions", ...OF_SIMS];
  const alone = ["--install-crds", "--empty", "--quiet", "--dead-letters", join(folder, "letters")];
  const cloud = setting.use(
    await startActor({
      args: [...provider, ...alone, "--kubeconfig", management.kubeconfigFile],
      ready: "Ctrl-C stops",
    }),
  );
  const leader = await place("relay-0", "relay");
  const [standby, first, second] = await Promise.all([
    place("relay-1", "relay"),
    place("worker-0", "worker"),
    place("worker-1", "worker"),
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
