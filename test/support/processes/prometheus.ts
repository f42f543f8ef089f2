import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePorts } from "./free-ports.ts";
import { spawnChild } from "./spawn-child.ts";

const SERVER = "prometheus";

/** Why Prometheus cannot be started here; undefined when it can. */
export function prometheusMissing(): string | undefined {
  const { status } = spawnSync(SERVER, ["--version"], { stdio: "ignore" });
  return status === 0 ? undefined : "no prometheus; apt-get install prometheus";
}

/** One line of a graph at this moment. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: number;
}

/** A Prometheus that scrapes every second. */
export interface Prometheus extends AsyncDisposable {
  /** Throws for a malformed query, and while it does not answer. */
  query(expr: string): Promise<readonly Sample[]>;
  /** By job: `up`, or why the last scrape has failed. */
  targets(): Promise<Readonly<Record<string, string>>>;
}

/** Starts one with these `scrape_configs`; JSON is YAML. */
export async function startPrometheus(jobs: readonly object[]): Promise<Prometheus> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-prometheus-"));
  const [port = 0] = await freePorts(1);
  const config = { global: { scrape_interval: "1s", scrape_timeout: "1s" }, scrape_configs: jobs };
  await writeFile(join(dir, "prometheus.yml"), JSON.stringify(config));
  const child = spawnChild(
    SERVER,
    [
      `--config.file=${join(dir, "prometheus.yml")}`,
      `--storage.tsdb.path=${join(dir, "data")}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=warn",
    ],
    { stdio: "ignore" },
  );
  const ask = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}/api/v1/${path}`);
    const { status, error, data } = (await answer.json()) as { status: string; error?: string; data: never };
    if (status !== "success") throw new Error(error);
    return data;
  };
  return {
    async query(expr) {
      const { result } = (await ask(`query?query=${encodeURIComponent(expr)}`)) as {
        result: readonly { readonly metric: Sample["metric"]; readonly value: readonly [number, string] }[];
      };
      return result.map(({ metric, value: [, text] }) => ({ metric, value: Number(text) }));
    },
    async targets() {
      const { activeTargets } = (await ask("targets")) as {
        activeTargets: readonly {
          readonly labels: { readonly job: string };
          readonly health: string;
          readonly lastError: string;
        }[];
      };
      return Object.fromEntries(
        activeTargets.map(({ labels: { job }, health, lastError }) => [
          job,
          lastError === "" ? health : lastError,
        ]),
      );
    },
    async [Symbol.asyncDispose]() {
      const exited = once(child, "exit");
      child.kill("SIGTERM");
      await exited;
      await rm(dir, { recursive: true, force: true });
    },
  };
}
