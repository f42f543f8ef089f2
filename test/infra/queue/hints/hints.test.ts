import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createMemoryHints, hintingStore } from "../../../../infra/queue/backends/embedded/hints.ts";
import { createMemoryQueue } from "../../../../infra/queue/backends/embedded/queue.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { createBullmqQueue } from "../../../../infra/queue/backends/redis/bullmq/bullmq.ts";
import { openRedisHints } from "../../../../infra/queue/backends/redis/hints.ts";
import { createRedisDeadLetters } from "../../../../infra/queue/backends/redis/letters/letters.ts";
import { createRedisStore } from "../../../../infra/queue/backends/redis/store/store.ts";
import { DEFAULT_QUEUE } from "../../../../shared/function/backoff.ts";
import type { Store } from "../../../../shared/runtime/ports.ts";
import type { Hint, Hints } from "../../../../shared/runtime/queue/hints.ts";
import type { Queue } from "../../../../shared/runtime/queue/queue-port.ts";
import { live, OK } from "../../../suites/queue-world.ts";
import { eventually } from "../../../support/eventually.ts";
import { deadLetter, POOL_KEY } from "../../../support/letters.ts";
import { type RedisServer, redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";

const NAME = "machinepool-status";
const TYPE = { cluster: "default/c:1", group: "test.dev", kind: "Widget" };
const HOSTILE = 'default/c1|MachinePool|default/\n"\u2028{}:';
const widget = (resourceVersion: string) => ({
  apiVersion: "test.dev/v1",
  kind: "Widget",
  metadata: { name: 'w"\n', namespace: "default", uid: "u", resourceVersion },
});
const WITHIN = { withinMs: 20_000, stepMs: 10 };

interface HintsUnderTest extends AsyncDisposable {
  readonly hints: Hints;
  readonly queue: Queue;
  readonly store: Store;
}

function hintsSuite(name: string, create: () => Promise<HintsUnderTest>): void {
  describe(`${name} hints`, () => {
    it("name every key that moves and every snapshot that is stored or removed, and nothing else", async () => {
      await using world = await create();
      const { hints, queue, store } = world;
      const seen: Hint[] = [];
      using _following = hints.follow(
        (some) => void seen.push(...some),
        () => undefined,
      );
      const moved = () => seen.flatMap((hint) => (hint.of === "keys" ? hint.keys : []));
      await queue.pause(NAME);
      await queue.enqueue(NAME, [live(HOSTILE)]);
      await eventually(() => expect(moved()).toEqual([HOSTILE]), WITHIN);
      expect(seen[0]).toEqual({ of: "keys", function: NAME, keys: [] });
      await queue.peek(NAME);
      await queue.keys(NAME, { state: "ready", limit: 10 });
      await using _worker = await queue.work(NAME, { ...DEFAULT_QUEUE, owner: "w" }, async () => OK);
      expect(moved()).toEqual([HOSTILE]);
      await queue.resume(NAME);
      await eventually(() => expect(moved().length).toBeGreaterThanOrEqual(3), WITHIN);
      expect(new Set(moved())).toEqual(new Set([HOSTILE]));

      const snapshots = () => seen.filter(({ of }) => of === "snapshot");
      const hint = { of: "snapshot", type: TYPE, key: { namespace: "default", name: 'w"\n' } };
      await store.put(TYPE, [widget("2")]);
      await eventually(() => expect(snapshots()).toEqual([hint]), WITHIN);
      await store.advance(TYPE, { resourceVersion: "2" });
      await store.put(TYPE, [widget("1")]);
      await store.get(TYPE, hint.key);
      await store.remove(TYPE, hint.key, { uid: "u", resourceVersion: "3" });
      await eventually(() => expect(snapshots()).toEqual([hint, hint]), WITHIN);
    });

    it("reach those who follow, and no longer those who do not", async () => {
      await using world = await create();
      const counts = [0, 0];
      const follow = (at: 0 | 1) =>
        world.hints.follow(
          ({ length }) => {
            counts[at] = (counts[at] ?? 0) + length;
          },
          () => undefined,
        );
      using _first = follow(0);
      const second = follow(1);
      await world.queue.enqueue(NAME, [live(POOL_KEY, 60_000)]);
      await eventually(() => expect(counts).toEqual([1, 1]), WITHIN);
      second[Symbol.dispose]();
      await world.queue.enqueue(NAME, [live(POOL_KEY, 30_000)]);
      await eventually(() => expect(counts[0]).toBeGreaterThan(1), WITHIN);
      expect(counts[1]).toBe(1);
    });
  });
}

hintsSuite("memory", async () => {
  const hints = createMemoryHints();
  const queue = await createMemoryQueue({ clock: systemClock, noteHint: hints.note });
  const store = hintingStore(createMemoryStore(), hints.note);
  return { hints, queue, store, [Symbol.asyncDispose]: () => queue[Symbol.asyncDispose]() };
});

describe("memory hints", () => {
  it("a flood is a gap, behind which everything is read again", async () => {
    const hints = createMemoryHints();
    const seen: string[] = [];
    using _following = hints.follow(
      ({ length }) => void seen.push(`${length} hints`),
      () => void seen.push("gap"),
    );
    const hint: Hint = { of: "keys", function: NAME, keys: [POOL_KEY] };
    for (let count = 0; count < 10_001; count += 1) hints.note(hint);
    await eventually(() => expect(seen).toEqual(["gap"]), WITHIN);
    hints.note(hint);
    await eventually(() => expect(seen).toEqual(["gap", "1 hints"]), WITHIN);
  });
});

describeWith(redisMissing())("on Redis", () => {
  let server: RedisServer;
  const target = () => ({ url: server.url, log: silentLog });
  beforeAll(async () => {
    // As an installation before there were hints: its users may not publish.
    const old =
      "user old on >of-a-test resetchannels ~{cap:* -@all +@read +@write +@connection +@transaction -@dangerous +eval +evalsha +eval_ro +evalsha_ro +time +info";
    server = await startRedis([old]);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  hintsSuite("redis", async () => {
    await using stack = new AsyncDisposableStack();
    const queue = stack.use(await createBullmqQueue(target()));
    const store = stack.use(await createRedisStore(target()));
    await store.drop(TYPE);
    const hints = stack.use(await openRedisHints(target()));
    const opened = stack.move();
    return { hints, queue, store, [Symbol.asyncDispose]: () => opened.disposeAsync() };
  });

  it("name dropped letters; a user without the right to publish works all the same", async () => {
    await using hints = await openRedisHints(target());
    const seen: Hint[] = [];
    using _following = hints.follow(
      (some) => void seen.push(...some),
      () => undefined,
    );
    const old = { url: server.url.replace("redis://", "redis://old:of-a-test@"), log: silentLog };
    for (const [user, heard] of [
      [old, []],
      [target(), [{ of: "letters", function: NAME, keys: [POOL_KEY] }]],
    ] as const) {
      await using letters = await createRedisDeadLetters({ ...user, clock: systemClock });
      await letters.put(deadLetter());
      const { items } = await letters.page({ limit: 1 });
      expect(await letters.dropSeen(NAME, items)).toEqual([{ key: POOL_KEY, done: true }]);
      await using queue = await createBullmqQueue(user);
      await queue.enqueue("machinepool-old", [live(POOL_KEY, 60_000)]);
      await using store = await createRedisStore(user);
      await store.put({ ...TYPE, kind: `Of${heard.length}` }, [widget("1")]);
      await eventually(() => expect(seen.filter(({ of }) => of === "letters")).toEqual(heard), WITHIN);
    }
    expect(seen.filter(({ of }) => of === "snapshot")).toHaveLength(1);
  });

  it("an outage is a gap, and hints come again behind it", async () => {
    const own = await startRedis();
    await using stack = new AsyncDisposableStack();
    stack.use(own);
    const at = { url: own.url, log: silentLog };
    const hints = stack.use(await openRedisHints(at));
    const seen: string[] = [];
    using _following = hints.follow(
      () => void seen.push("hint"),
      () => void seen.push("gap"),
    );
    await own.restart();
    await eventually(() => expect(seen).toContain("gap"), WITHIN);
    const store = stack.use(await createRedisStore(at));
    let version = 0;
    await eventually(async () => {
      version += 1;
      await store.put(TYPE, [widget(String(version))]);
      expect(seen).toContain("hint");
    }, WITHIN);
  });
});
