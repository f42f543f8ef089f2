import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createJsonLinesDeadLetters } from "../../../../infra/queue/letters/json-lines.ts";
import { MAX_LETTERS, ROOM } from "../../../../infra/queue/letters/limits.ts";
import type { DeadLetters } from "../../../../shared/runtime/letters/dead-letters-port.ts";
import { type VirtualClock, virtualClock } from "../../../support/clock.ts";
import { deadLetter } from "../../../support/letters.ts";
import { redisMissing, startRedis } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { testFolder } from "../../../support/test-folder.ts";
import { twoDeadLetters } from "../../../support/two-dead-letters.ts";

interface Store {
  readonly deadLetters: DeadLetters;
  readonly clock: VirtualClock;
}

/** Namespace `small` dies first, and then `a` without end. */
async function fill({ deadLetters, clock }: Store): Promise<void> {
  const small = [1, 2, 3].map((n) => deadLetter({ key: `small/b|A|small/${n}` }));
  for (const letter of small) await deadLetters.put(letter);
  await clock.advance(1);
  const most = MAX_LETTERS - small.length;
  for (let n = 0; n <= most; n += 100) {
    const count = Math.min(100, most + 1 - n);
    await Promise.all(
      Array.from({ length: count }, (_, index) =>
        deadLetters.put(deadLetter({ key: `a/b|A|a/${n + index}` })),
      ),
    );
    await clock.advance(1);
  }
  const heads = await deadLetters.list("machinepool-status");
  expect(heads).toHaveLength(MAX_LETTERS + 1 - ROOM);
  const kept = heads.map(({ key }) => key);
  for (const { key } of small) expect(kept).toContain(key);
  expect(kept).toContain(`a/b|A|a/${most}`);
}

describe("dead letters of a function in a file", () => {
  it("S-28, S-31: are at most 10,000; the oldest of the namespace with most of them make room", async () => {
    const dir = testFolder("letters");
    const clock = virtualClock();
    const file = join(dir, "dead-letters.jsonl");
    await fill({
      clock,
      deadLetters: createJsonLinesDeadLetters({ file, clock, log: silentLog, compact: true }),
    });
  });
});

describeWith(redisMissing())("dead letters of a function on Redis", () => {
  it("S-28, S-31: are at most 10,000; the oldest of the namespace with most of them make room", async () => {
    await using redis = await startRedis();
    await using store = await twoDeadLetters(redis.url);
    await fill(store);
  });
});
