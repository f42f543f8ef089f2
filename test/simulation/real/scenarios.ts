import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { Redis } from "ioredis";
import type { User } from "../play/user.ts";
import { pool } from "../workloads/pools.ts";
import type { Actor } from "./actor.ts";
import type { Scenario } from "./scenario.ts";
import type { Stage } from "./stage.ts";

const SECOND = 1_000;

/** Longer than any lease. */
const FROZEN_MS = 60 * SECOND;

const CUT_MS = 30 * SECOND;

/** Of one clock against the others. */
const AHEAD_MS = 30 * SECOND;

/** Every write is on the disk before it is answered. */
const DURABLE = ["appendonly yes", "appendfsync always"];

/** Refuses writes while it cannot save; lets a test move the folder. */
const SAVING = ["save 3600 1", "enable-protected-configs yes"];

/** Nothing is done yet. */
function isCreated(user: User): boolean {
  return pool(user) !== undefined;
}

/** Some Nodes are known. */
function isGrowing(user: User): boolean {
  return (pool(user)?.status?.nodeRefs?.length ?? 0) > 0;
}

/** More instances are wanted than the workload began with. */
function isScaledUp(user: User): boolean {
  return (pool(user)?.spec.replicas ?? 0) > 3;
}

/** W-02 has got its ten and wants two. */
function isScaledDown(user: User): boolean {
  return pool(user)?.spec.replicas === 2;
}

function isRollingOut(user: User): boolean {
  return pool(user)?.spec.template.spec.bootstrap.configRef?.name === "p1-next";
}

function isDeleting(user: User): boolean {
  return pool(user)?.metadata.deletionTimestamp !== undefined;
}

/** Scenarios for real processes. */
export const SCENARIOS: readonly Scenario[] = [
  {
    title: "a worker is killed while a pool is created",
    workload: "W-01",
    when: isCreated,
    strike: ({ workers: [victim] }) => restart(victim.actor),
  },
  {
    title: "a worker is killed while a pool grows",
    workload: "W-02",
    when: isScaledUp,
    strike: ({ workers: [victim] }) => restart(victim.actor),
  },
  {
    title: "a worker is killed while Nodes are retired",
    workload: "W-02",
    when: isScaledDown,
    strike: ({ workers: [victim] }) => restart(victim.actor),
  },
  {
    title: "a worker is killed while a pool is deleted",
    workload: "W-04",
    when: isDeleting,
    strike: ({ workers: [victim] }) => restart(victim.actor),
  },
  {
    title: "a worker is killed while Machines are made, and stays away",
    workload: "W-05",
    when: isCreated,
    strike: ({ workers: [victim] }) => victim.actor.kill(),
  },
  {
    title: "both workers are killed during a rollout",
    workload: "W-03",
    when: isRollingOut,
    strike: async ({ workers: [one, other] }) => {
      await Promise.all([one.actor.kill(), other.actor.kill()]);
      await Promise.all([one.actor.start(), other.actor.start()]);
    },
  },
  {
    title: "the leading relay is killed while a pool is created",
    workload: "W-01",
    when: isGrowing,
    strike: ({ relays: [leader] }) => restart(leader.actor),
  },
  {
    title: "the leading relay is killed while a pool grows, and stays away",
    workload: "W-02",
    when: isScaledUp,
    strike: ({ relays: [leader] }) => leader.actor.kill(),
  },
  {
    title: "both relays are killed while a pool is deleted",
    workload: "W-04",
    when: isDeleting,
    strike: async ({ relays: [leader, standby] }) => {
      await Promise.all([leader.actor.kill(), standby.actor.kill()]);
      await Promise.all([leader.actor.start(), standby.actor.start()]);
    },
  },
  {
    title: "a worker is frozen for a minute while Nodes are retired",
    workload: "W-02",
    when: isScaledDown,
    strike: ({ workers: [victim] }) => freeze(victim.actor),
  },
  {
    title: "the leading relay is frozen for a minute while Machines are made",
    workload: "W-05",
    when: isScaledUp,
    strike: ({ relays: [leader] }) => freeze(leader.actor),
  },
  {
    title: "Redis is frozen for 20 s while a pool grows",
    workload: "W-02",
    when: isScaledUp,
    async strike({ redis }) {
      redis.signal("SIGSTOP");
      await setTimeout(20 * SECOND);
      redis.signal("SIGCONT");
    },
  },
  {
    title: "Redis is killed and comes back with everything while a pool grows",
    workload: "W-02",
    stage: { redis: DURABLE },
    when: isScaledUp,
    strike: ({ redis }) => redis.restart(),
  },
  {
    title: "Redis comes back empty while a pool is deleted",
    workload: "W-04",
    when: isDeleting,
    strike: ({ redis }) => redis.restart(),
  },
  {
    title: "Redis fails over and has lost the newest seconds while Nodes are retired",
    workload: "W-02",
    when: isScaledUp,
    async strike({ redis }) {
      await command(redis.url, "SAVE");
      await setTimeout(2 * SECOND);
      await redis.restart();
    },
  },
  {
    title: "the disk of Redis is full for 20 s while Machines are made",
    workload: "W-05",
    stage: { redis: SAVING },
    when: isScaledUp,
    strike: ({ redis }) => fillDisk(redis.url),
  },
  {
    title: "a worker loses its way to the management cluster during a rollout",
    workload: "W-03",
    when: isRollingOut,
    async strike({ workers: [victim] }) {
      await victim.management.cut("silent");
      await setTimeout(CUT_MS);
      await victim.management.mend();
    },
  },
  {
    title: "the workload cluster does not answer for 30 s while Nodes are retired",
    workload: "W-02",
    when: isScaledDown,
    async strike({ cloud }) {
      cloud.freeze();
      await setTimeout(CUT_MS);
      cloud.proceed();
    },
  },
  {
    title: "the clock of a worker is 30 s ahead, and the other worker is killed",
    workload: "W-02",
    stage: { aheadMs: AHEAD_MS },
    when: isScaledUp,
    strike: ({ workers: [, other] }) => restart(other.actor),
  },
  {
    title: "everything is updated one by one under load",
    workload: "W-02",
    when: isScaledUp,
    strike: rollOut,
  },
];

async function restart(actor: Actor): Promise<void> {
  await actor.kill();
  await actor.start();
}

async function freeze(actor: Actor): Promise<void> {
  actor.freeze();
  await setTimeout(FROZEN_MS);
  actor.proceed();
}

async function rollOut({ relays, workers }: Stage): Promise<void> {
  for (const { actor } of [...workers, ...relays]) {
    await actor.end();
    await actor.start();
  }
}

/** Redis refuses writes once it could not save (MISCONF), until it can again. */
async function fillDisk(url: string): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-full-disk-"));
  const [, before] = (await command(url, "CONFIG", "GET", "dir")) as readonly [string, string];
  await command(url, "CONFIG", "SET", "dir", folder);
  await rm(folder, { recursive: true });
  await command(url, "BGSAVE");
  await setTimeout(20 * SECOND);
  await command(url, "CONFIG", "SET", "dir", before);
  await command(url, "BGSAVE");
}

async function command(url: string, name: string, ...args: readonly string[]): Promise<unknown> {
  const redis = new Redis(url);
  try {
    return await redis.call(name, ...args);
  } finally {
    redis.disconnect();
  }
}
