import { describe, expect, it } from "vitest";
import { applyManifests, readManifests } from "../../../infra/cli/up/apply-manifests.ts";
import { unreadyAmong } from "../../../infra/cli/up/readiness.ts";
import { startCapstan } from "../../support/capstan.ts";
import { eventually } from "../../support/eventually.ts";
import { EMBEDDED } from "../../support/processes/api-servers.ts";
import { redisMissing, startRedis } from "../../support/processes/redis-server.ts";
import { describeWith } from "../../support/requires.ts";

const EXAMPLE = new URL("../../../infra/playground/sim/example.yaml", import.meta.url).pathname;
const WITHIN = { withinMs: 25_000, stepMs: 100 };

/** A process of one function, with its metrics. */
const onRedis = (queue: string) => ({
  queue,
  functions: ["cluster-guard"],
  metricsAddress: { host: "127.0.0.1", port: 0 },
  logLevel: "silent" as const,
});

/** Series of a text in Prometheus' format: name with labels → value. */
function seriesOf(text: string): ReadonlyMap<string, number> {
  const lines = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
}

describe("looking at everything in one process", () => {
  it("shows the example become ready, in numbers without names", async () => {
    await using server = await EMBEDDED.start();
    await using capstan = await startCapstan(server.kubeconfigFile, {
      metricsAddress: { host: "127.0.0.1", port: 0 },
    });
    const ask = async (path: string) => fetch(`${capstan.metricsUrl}${path}`);
    const scrape = async () => seriesOf(await (await ask("/metrics")).text());
    await eventually(async () => expect((await ask("/readyz")).status).toBe(200), WITHIN);
    const before = await scrape();

    const manifests = await readManifests(EXAMPLE);
    const objects = manifests.map(({ object }) => object);
    await applyManifests(capstan.server.as("up"), manifests);
    await eventually(async () => expect(await unreadyAmong(capstan.store, objects)).toEqual([]), WITHIN);

    const after = await scrape();
    const success = 'controller_runtime_reconcile_total{controller="machinepool-status",result="success"}';
    expect(before.get(success)).toBe(0);
    expect(after.get(success)).toBeGreaterThan(0);
    expect(
      after.get('workqueue_adds_total{name="machinepool-status",controller="machinepool-status"}'),
    ).toBeGreaterThan(0);
    expect(
      after.get(
        'workqueue_queue_duration_seconds_count{name="machinepool-status",controller="machinepool-status"}',
      ),
    ).toBeGreaterThan(0);
    expect(after.get('capstan_relay_connections{state="connected"}')).toBe(1);
    expect(after.get('capstan_relay_loops{server="workload",resource="nodes",state="streaming"}')).toBe(1);
    expect(after.get("capstan_relay_ready")).toBe(1);
    expect(after.get("capstan_queue_reachable")).toBe(1);

    const names = objects.map(({ metadata }) => metadata.name);
    const status = (await (await ask("/status")).json()) as { relay: { connections: readonly object[] } };
    expect(status.relay.connections).toMatchObject([{ cluster: "default/demo", state: "connected" }]);
    // Errors that belong to no function are counted as those of "other"; elsewhere it is a value that was unknown.
    const stray = 'capstan_worker_stray_errors_total{function="other"}';
    const labels = [...after.keys()]
      .filter((series) => series !== stray)
      .flatMap((series) => [...series.matchAll(/="([^"]*)"/g)].map(([, value]) => value));
    expect(
      labels.filter((value) => value === "other" || names.some((name) => value?.includes(name))),
    ).toEqual([]);
  });
});

describeWith(redisMissing())("looking at a process on Redis", () => {
  it("says that Redis is away, continues to answer, and says when it can work again", async () => {
    await using redis = await startRedis();
    await using server = await EMBEDDED.start();
    await using capstan = await startCapstan(server.kubeconfigFile, onRedis(redis.url));
    const readyz = async () => {
      const response = await fetch(`${capstan.metricsUrl}/readyz`);
      return `${response.status} ${await response.text()}`;
    };
    await eventually(async () => expect(await readyz()).toBe("200 ok\n"), WITHIN);

    await redis.kill();
    await eventually(async () => expect(await readyz()).toMatch(/^503 not ready\n- queue: /), WITHIN);
    expect((await fetch(`${capstan.metricsUrl}/healthz`)).status).toBe(200);
    const metrics = await (await fetch(`${capstan.metricsUrl}/metrics`)).text();
    expect(metrics).toContain("capstan_queue_reachable 0");

    await redis.restart();
    await eventually(async () => expect(await readyz()).toBe("200 ok\n"), WITHIN);
  });

  it("is not ready while Redis has no memory left for keys", async () => {
    await using redis = await startRedis();
    const { Redis } = await import("ioredis");
    const admin = new Redis(redis.url);
    await using server = await EMBEDDED.start();
    await using capstan = await startCapstan(server.kubeconfigFile, onRedis(redis.url));
    const readyz = async () => (await fetch(`${capstan.metricsUrl}/readyz`)).status;
    const enqueue = () =>
      capstan.queue.enqueue("cluster-guard", [{ key: "default/-|Cluster|default/a", priority: "live" }]);
    await eventually(async () => expect(await readyz()).toBe(200), WITHIN);

    await admin.config("SET", "maxmemory", "1");
    await expect(enqueue()).rejects.toThrow("OOM");
    expect(await readyz()).toBe(503);

    await admin.config("SET", "maxmemory", "0");
    await enqueue();
    await eventually(async () => expect(await readyz()).toBe(200), WITHIN);
    admin.disconnect();
  });

  it("is not ready, and shows it in a metric, while Redis is allowed to evict data", async () => {
    await using redis = await startRedis();
    const { Redis } = await import("ioredis");
    const admin = new Redis(redis.url);
    await using server = await EMBEDDED.start();
    await using capstan = await startCapstan(server.kubeconfigFile, onRedis(redis.url));
    const shown = async () => {
      const [ready, metrics] = await Promise.all(
        ["readyz", "metrics"].map(async (page) => {
          const answer = await fetch(`${capstan.metricsUrl}/${page}`);
          return { status: answer.status, text: await answer.text() };
        }),
      );
      const evicts = ready?.text.includes("maxmemory-policy allkeys-lru") === true;
      return [ready?.status, evicts, /^capstan_queue_healthy (\d)$/m.exec(metrics?.text ?? "")?.[1]];
    };
    await eventually(async () => expect(await shown()).toEqual([200, false, "1"]), WITHIN);

    // Looked at every 5 s, and on every new connection.
    await admin.config("SET", "maxmemory-policy", "allkeys-lru");
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await eventually(async () => expect(await shown()).toEqual([503, true, "0"]), WITHIN);

    await admin.config("SET", "maxmemory-policy", "noeviction");
    await admin.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
    await eventually(async () => expect(await shown()).toEqual([200, false, "1"]), WITHIN);
    admin.disconnect();
  });
});
