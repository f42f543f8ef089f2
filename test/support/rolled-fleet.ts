import { expect } from "vitest";
import type { DeadLetterHead } from "../../shared/runtime/letters/dead-letter.ts";
import { eventually } from "./eventually.ts";
import { type Objects, objectsOf } from "./objects.ts";
import type { TestServer } from "./processes/api-servers.ts";
import { type CliProcess, runCli, startCli } from "./processes/cli.ts";
import type { Version } from "./processes/former-version.ts";

const WITHIN = { withinMs: 180_000, stepMs: 200 };
const WISH = "test.capstan.dev/poison";
const DONE = "test.capstan.dev/checked";
const PARTS = ["relay", "worker", "worker"] as const;

export interface RolledFleet extends AsyncDisposable {
  readonly objects: Objects;
  /** Creates pools, and one whose key dies; ends with its letter. */
  create(pools: number): Promise<void>;
  /** Changes every pool whenever its last change has had its effect, until the result is called, which awaits the last effects. */
  change(): () => Promise<void>;
  /** Replaces the processes one by one, the relay first: the new one is there before the old one is asked to stop. */
  roll(version: Version): Promise<void>;
  /** How often each pool was changed. */
  readonly changes: ReadonlyMap<string, number>;
  /** How often the function wrote to each pool. */
  effects(): Promise<ReadonlyMap<string, number>>;
  /** How often the function ran; each run asks once for the Cluster of its pool. */
  runs(): Promise<number>;
  letters(): Promise<readonly DeadLetterHead[]>;
  /** `capstan queue WORDS`. */
  queue(...words: readonly string[]): Promise<string>;
}

/** A relay and two workers with the function `pool-check`, which writes to a pool once for each change. */
export async function startRolledFleet(
  server: TestServer,
  redisUrl: string,
  version: Version,
): Promise<RolledFleet> {
  await using starting = new AsyncDisposableStack();
  const processes = starting.use(new AsyncDisposableStack());
  const objects = objectsOf(server.kubeconfigFile);
  const changes = new Map<string, number>();
  const running: CliProcess[] = [];
  const start = async (part: (typeof PARTS)[number], { main, functions }: Version, ...more: string[]) => {
    const reach = ["--kubeconfig", server.kubeconfigFile, "--queue", redisUrl, "--functions-dir", functions];
    const started = processes.use(startCli([part, ...reach, ...more], {}, main));
    const ready = part === "relay" ? "first list" : "serving";
    await Promise.race([
      eventually(() => expect(started.output()).toContain(ready), WITHIN),
      started.ended.then((code) => {
        throw new Error(`${part} ended with ${code}: ${started.output()}`);
      }),
    ]);
    return started;
  };
  running.push(await start("relay", version, "--install-crds"));
  running.push(...(await Promise.all([start("worker", version), start("worker", version)])));
  const sent = async () =>
    (await server.requests()).filter(({ userAgent }) => userAgent.endsWith(" pool-check"));
  const letters = async (): Promise<readonly DeadLetterHead[]> => {
    const { output } = await runCli("dlq", "list", "--queue", redisUrl, "-o", "json");
    return JSON.parse(output) as DeadLetterHead[];
  };
  const wish = async (name: string, wished: string): Promise<void> => {
    changes.set(name, (changes.get(name) ?? 0) + 1);
    const metadata = { annotations: { [WISH]: wished, [DONE]: null } };
    await objects.change("machinepools", name, { metadata });
  };
  /** Changes those that have had their effect. Returns how many have not. */
  const changeSettled = async (changesMore: boolean): Promise<number> => {
    let open = 0;
    for (const { metadata } of await objects.list("machinepools")) {
      const { name, annotations = {} } = metadata;
      if (name === "bad") continue;
      if (annotations[DONE]?.startsWith(`${annotations[WISH] ?? "none"} `) !== true) open += 1;
      else if (changesMore) await wish(name, String(changes.get(name) ?? 0));
    }
    return open;
  };
  const stack = starting.move();
  return {
    objects,
    changes,
    letters,
    async create(pools) {
      for (let at = 0; at < pools; at += 1) {
        changes.set(`p${at}`, 1);
        await objects.create("machinepools", poolNamed(`p${at}`));
      }
      await objects.create("machinepools", poolNamed("bad", { [WISH]: "malformed" }));
      await eventually(async () => expect(await letters()).toHaveLength(1), WITHIN);
    },
    change() {
      let changesMore = true;
      const changing = (async () => {
        while (changesMore) await changeSettled(true);
      })();
      return async () => {
        changesMore = false;
        await changing;
        await eventually(async () => expect(await changeSettled(false)).toBe(0), WITHIN);
      };
    },
    async roll(to) {
      for (const [at, part] of PARTS.entries()) {
        const started = await start(part, to);
        const [old] = running.splice(at, 1, started);
        old?.child.kill("SIGTERM");
        expect(await old?.ended).toBe(0);
      }
    },
    effects: async () => {
      const written = (await sent()).filter(({ verb, code }) => verb === "patch" && code === 200);
      const byPool = Map.groupBy(written, ({ name = "" }) => name);
      return new Map([...byPool].map(([name, of]) => [name, of.length]));
    },
    runs: async () => (await sent()).filter(({ resource }) => resource === "clusters").length,
    queue: async (...words) => (await runCli("queue", ...words, "--queue", redisUrl)).output,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
}

function poolNamed(name: string, annotations: { readonly [name: string]: string } = {}): object {
  return {
    apiVersion: "cluster.x-k8s.io/v1beta2",
    kind: "MachinePool",
    metadata: { name, namespace: "default", annotations },
    spec: {
      clusterName: `c${name.at(-1)}`,
      replicas: 0,
      template: {
        spec: {
          clusterName: `c${name.at(-1)}`,
          bootstrap: { dataSecretName: "none" },
          infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachinePool", name },
        },
      },
    },
  };
}
