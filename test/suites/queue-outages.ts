import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import { describe, expect, it } from "vitest";
import type { LeaseTiming } from "../../infra/queue/run-lease.ts";
import { DEFAULT_QUEUE, SECOND } from "../../shared/function/backoff.ts";
import type { Log } from "../../shared/runtime/ports.ts";
import type { Outcome, Queue, QueueEntry } from "../../shared/runtime/queue/queue-port.ts";
import { eventually } from "../support/eventually.ts";
import { startRedis } from "../support/processes/redis-server.ts";
import { startProxy } from "../support/processes/tcp-proxy.ts";
import { type LogLine, recordingLog } from "../support/recording-log.ts";
import { silentLog } from "../support/silent-log.ts";

export interface QueueOutageSuite {
  readonly name: string;
  readonly create: (options: OutageOptions) => Promise<Queue>;
}

interface OutageOptions {
  /** Of the Redis that holds the ledger. */
  readonly url: string;
  readonly log: Log;
  readonly resendMs?: number;
  readonly timing?: Partial<LeaseTiming>;
}

const OK: Outcome = { type: "ok", requested: false, fences: [] };
const WORK = { ...DEFAULT_QUEUE, owner: "w" };
const WITHIN = { withinMs: 30_000 };
const CUT_MS = 30 * SECOND;

const entries = (count: number): readonly QueueEntry[] =>
  Array.from({ length: count }, (_, n) => ({ key: `t${n}/-|Machine|default/m${n}`, priority: "live" }));

function connection(url: string): AsyncDisposable & { readonly redis: Redis } {
  const redis = new Redis(url);
  return { redis, [Symbol.asyncDispose]: async () => redis.disconnect() };
}

const said = (lines: readonly LogLine[]): readonly string[] =>
  lines.map(({ level, message }) => `${level} ${message}`);

/** Outages of the Redis of a ledger: shown in the log and by `healthy`, then repaired without help. */
export function queueOutageSuite({ name, create }: QueueOutageSuite): void {
  const open = (options: Omit<OutageOptions, "log"> & { readonly log?: Log }): Promise<Queue> =>
    create({ log: silentLog, ...options });

  describe(`${name} queue without its Redis`, { concurrent: true }, () => {
    for (const [how, what] of [
      ["refused", "a connection that is cut"],
      ["silent", "a network that swallows everything"],
    ] as const) {
      it(`Q-15: ${what} for 30 s is said and made up for without help`, async () => {
        await using redis = await startRedis();
        await using proxy = await startProxy(redis.url);
        const { log, lines } = recordingLog();
        // Events may be accepted by a call whose answer is lost; then their tokens come with the resend.
        await using queue = await open({ url: proxy.url, log, resendMs: 5 * SECOND });
        const [first, ...others] = entries(30);
        if (first === undefined) throw new Error("bug: no entries");
        const seen = new Set<string>();
        const started = Promise.withResolvers<void>();
        const end = Promise.withResolvers<Outcome>();
        await using _worker = await queue.work("f", WORK, ({ key }) => {
          seen.add(key);
          started.resolve();
          return key === first.key ? end.promise : Promise.resolve(OK);
        });
        const epoch = await queue.epoch("f");
        await queue.enqueue("f", [first]);
        await started.promise;
        // Due in the middle of the outage.
        await queue.enqueue("f", [
          { key: "late/-|Machine|default/m", priority: "live", delayMs: CUT_MS / 2 },
        ]);
        await proxy.cut(how);
        // As the relay does: what is refused is kept and sent again.
        const sent = eventually(() => queue.enqueue("f", others), { withinMs: 5 * CUT_MS, stepMs: 500 });
        const over = setTimeout(CUT_MS);
        await eventually(() => expect(queue.healthy()).toMatchObject({ ok: false }), WITHIN);
        await over;
        expect(queue.healthy()).toEqual({ ok: false, message: "Redis is unreachable" });
        expect(said(lines)).toContain("warn Redis is unreachable; work waits");
        await proxy.mend();
        end.resolve(OK);
        await sent;
        await eventually(async () => {
          const { ready, running, waiting, dead } = await queue.depth("f");
          expect({ ready, running, waiting, dead }).toEqual({ ready: 0, running: 0, waiting: 0, dead: 0 });
        }, WITHIN);
        expect(seen.size).toBe(31);
        expect(queue.healthy()).toEqual({ ok: true });
        expect(said(lines).filter((line) => /unreachable|is back/.test(line))).toEqual([
          "warn Redis is unreachable; work waits",
          "info Redis is back",
        ]);
        expect(await queue.epoch("f")).not.toBe(epoch);
      });

      it("Q-15: rejects events while Redis is away, and works on when it is back", async () => {
        await using redis = await startRedis();
        await using queue = await open({ url: redis.url });
        const keys: string[] = [];
        await using _worker = await queue.work("f", WORK, async ({ key }) => {
          keys.push(key);
          return OK;
        });
        await queue.enqueue("f", entries(1));
        await eventually(() => keys.length === 1, WITHIN);
        const epoch = await queue.epoch("f");
        await redis.kill();
        await eventually(
          () =>
            queue.enqueue("f", entries(1)).then(
              () => false,
              () => true,
            ),
          WITHIN,
        );
        await redis.restart();
        await eventually(() => queue.enqueue("f", entries(3)), WITHIN);
        await eventually(() => expect(new Set(keys).size).toBe(3), WITHIN);
        expect(await queue.epoch("f")).not.toBe(epoch);
      });
    }

    it("Q-15: a full Redis refuses events, says so, and everything runs when there is room again", async () => {
      await using redis = await startRedis();
      const { log, lines } = recordingLog();
      await using queue = await open({ url: redis.url, log, resendMs: 100 });
      const keys = new Set<string>();
      await using _worker = await queue.work("f", WORK, async ({ key }) => {
        keys.add(key);
        return OK;
      });
      await queue.enqueue("f", entries(5));
      await eventually(() => keys.size === 5, WITHIN);
      const epoch = await queue.epoch("f");
      await using admin = connection(redis.url);
      await admin.redis.config("SET", "maxmemory", "1");
      // Nothing was sent.
      await eventually(() => expect(queue.healthy()).toMatchObject({ ok: false }), WITHIN);
      await expect(queue.enqueue("f", entries(20))).rejects.toThrow("OOM");
      expect(queue.healthy()).toEqual({ ok: false, message: expect.stringContaining("OOM") });
      expect(said(lines).filter((line) => line.startsWith("error Redis refuses events"))).toHaveLength(1);
      await admin.redis.config("SET", "maxmemory", "0");
      await queue.enqueue("f", entries(20));
      await eventually(() => keys.size === 20, WITHIN);
      await eventually(() => expect(queue.healthy()).toEqual({ ok: true }), WITHIN);
      expect(said(lines)).toContain("info Redis accepts events again");
      expect(await queue.epoch("f")).not.toBe(epoch);
    });

    for (const [what, says, turn] of [
      ["became a replica", "read-only replica", (was: Redis, to: URL) => was.replicaof(to.hostname, to.port)],
      ["is full", "OOM", (was: Redis) => was.config("SET", "maxmemory", "1")],
      ["lost its replicas", "NOREPLICAS", (was: Redis) => was.config("SET", "min-replicas-to-write", "1")],
    ] as const) {
      it(`Q-15: a primary that ${what} and keeps its connections is noticed, and left for one that takes writes`, async () => {
        await using redis = await startRedis();
        await using other = await startRedis();
        await using proxy = await startProxy(redis.url);
        await using queue = await open({ url: proxy.url, resendMs: 100 });
        const keys = new Set<string>();
        await using _worker = await queue.work("f", WORK, async ({ key }) => {
          keys.add(key);
          return OK;
        });
        await queue.enqueue("f", entries(1));
        await eventually(() => keys.size === 1, WITHIN);
        const epoch = await queue.epoch("f");
        await using was = connection(redis.url);
        await turn(was.redis, new URL(other.url));
        // Nothing is sent meanwhile.
        const message = expect.stringContaining(says);
        await eventually(() => expect(queue.healthy()).toEqual({ ok: false, message }), WITHIN);
        proxy.lead(other.url);
        await eventually(() => queue.enqueue("f", entries(20)), WITHIN);
        await eventually(() => expect(keys.size).toBe(20), WITHIN);
        await eventually(() => expect(queue.healthy()).toEqual({ ok: true }), WITHIN);
        expect(await queue.epoch("f")).not.toBe(epoch);
      });
    }

    it("Q-15: what runs while Redis is full can end, and is not run again", async () => {
      await using redis = await startRedis();
      await using queue = await open({ url: redis.url });
      const end = Promise.withResolvers<Outcome>();
      let runs = 0;
      await using _worker = await queue.work("f", WORK, () => {
        runs += 1;
        return end.promise;
      });
      await queue.enqueue("f", entries(1));
      await eventually(() => runs === 1, WITHIN);
      await using admin = connection(redis.url);
      await admin.redis.config("SET", "maxmemory", "1");
      end.resolve({ type: "ok", requested: false, fences: [], afterMs: 3_600_000 });
      await eventually(async () => (await queue.depth("f")).waiting === 1, WITHIN);
      await admin.redis.config("SET", "maxmemory", "0");
      expect(runs).toBe(1);
    });

    it("Q-15: a flushed Redis shows another epoch, and a resync repairs it", async () => {
      await using redis = await startRedis();
      await using queue = await open({ url: redis.url, resendMs: 100 });
      const keys: string[] = [];
      await using _worker = await queue.work("f", WORK, async ({ key }) => {
        keys.push(key);
        return OK;
      });
      await queue.enqueue(
        "f",
        entries(10).map((each) => ({ ...each, delayMs: 3_600_000 })),
      );
      const epoch = await queue.epoch("f");
      await using admin = connection(redis.url);
      await admin.redis.flushall();
      expect(await queue.epoch("f")).not.toBe(epoch);
      await queue.enqueue(
        "f",
        entries(10).map((each) => ({ ...each, priority: "resync" as const })),
      );
      await eventually(() => keys.length === 10, WITHIN);
      await eventually(async () => (await queue.depth("f")).running === 0, WITHIN);
    });

    it("Q-15: a Redis that restarts with its data continues, and may have lost the last of it", async () => {
      await using redis = await startRedis(["appendonly yes", "appendfsync always"]);
      const { log, lines } = recordingLog();
      await using queue = await open({ url: redis.url, log, resendMs: 100 });
      await queue.enqueue("f", entries(10));
      const epoch = await queue.epoch("f");
      await redis.kill();
      await eventually(() => !queue.healthy().ok, WITHIN);
      expect(queue.healthy()).toEqual({ ok: false, message: "Redis is unreachable" });
      await redis.restart();
      await eventually(() => queue.healthy().ok, WITHIN);
      expect(said(lines)).toContain("warn Redis is unreachable; work waits");
      const keys = new Set<string>();
      await using _worker = await queue.work("f", WORK, async ({ key }) => {
        keys.add(key);
        return OK;
      });
      await eventually(() => keys.size === 10, WITHIN);
      expect(await queue.epoch("f")).not.toBe(epoch);
    });

    it("Q-15: connections that are cut for a moment lose nothing", async () => {
      await using redis = await startRedis();
      await using queue = await open({ url: redis.url, resendMs: 100 });
      const keys = new Set<string>();
      await using _worker = await queue.work("f", WORK, async ({ key }) => {
        keys.add(key);
        return OK;
      });
      await using admin = connection(redis.url);
      const epoch = await queue.epoch("f");
      for (let cut = 0; cut < 5; cut += 1) {
        await eventually(() => queue.enqueue("f", entries(10 * (cut + 1))), WITHIN);
        await admin.redis.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes");
      }
      await eventually(async () => {
        const { ready, running } = await queue.depth("f");
        return keys.size === 50 && ready + running === 0;
      }, WITHIN);
      expect((await queue.epoch("f")).split(".").slice(0, 2)).toEqual(epoch.split(".").slice(0, 2));
    });

    it("Q-14: closes although Redis is away and a run never ends", async () => {
      await using redis = await startRedis();
      const timing = { drainMs: 50, leaseMs: 500 };
      const queue = await open({ url: redis.url, timing });
      const started = Promise.withResolvers<void>();
      await queue.work("f", WORK, () => {
        started.resolve();
        return new Promise(() => undefined);
      });
      await queue.enqueue("f", entries(1));
      await started.promise;
      await redis.kill();
      await queue[Symbol.asyncDispose]();
      await expect(queue.enqueue("f", entries(1))).rejects.toThrow("closed");
    });
  });
}
