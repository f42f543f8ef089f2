import { appendFile, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { createJsonLinesDeadLetters } from "../../../../infra/queue/letters/json-lines.ts";
import { deadLettersSuite } from "../../../suites/dead-letters.ts";
import { virtualClock } from "../../../support/clock.ts";
import { deadLetter, POOL_KEY } from "../../../support/letters.ts";
import { silentLog } from "../../../support/silent-log.ts";
import { testFolder } from "../../../support/test-folder.ts";

async function create() {
  const dir = testFolder("letters");
  const file = join(dir, "sub", "dead-letters.jsonl");
  const clock = virtualClock();
  const open = (compact: boolean) => createJsonLinesDeadLetters({ file, clock, log: silentLog, compact });
  return {
    file,
    clock,
    open,
    deadLetters: open(true),
    other: open(false),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

deadLettersSuite({ name: "JSON lines", create });

const AT = { function: "machinepool-status", key: POOL_KEY };

describe("dead letters in a file", () => {
  it("are readable by their owner only, and so is the key that hides secrets", async () => {
    await using world = await create();
    await world.deadLetters.hide();
    await world.deadLetters.put(deadLetter());
    for (const file of [world.file, `${world.file}.key`]) {
      expect((await stat(file)).mode & 0o777).toBe(0o600);
    }
  });

  it("skip and count lines that are not records, and lines that are cut off", async () => {
    await using world = await create();
    await world.deadLetters.put(deadLetter());
    const whole = await readFile(world.file, "utf8");
    await writeFile(
      world.file,
      ["not json", '{"at":1}', '{"__proto__":{"at":1}}', "[]", '"x"', "x".repeat(1_000_000), whole].join(
        "\n",
      ),
    );
    await appendFile(world.file, whole.slice(0, 100));
    const opened = world.open(false);
    expect(await opened.get(AT)).toEqual(deadLetter());
    expect(await opened.corruptLines()).toBe(6);
    await appendFile(world.file, whole.slice(100));
    expect(await opened.list()).toHaveLength(1);
    expect(await opened.corruptLines()).toBe(6);
  });

  it("say which letter is damaged instead of giving half of it", async () => {
    await using world = await create();
    await world.deadLetters.put(deadLetter());
    const line = await readFile(world.file, "utf8");
    await writeFile(world.file, line.replace('\\"v\\":2', '\\"v\\":9'));
    await expect(world.open(false).get(AT)).rejects.toThrow(/field v/);
  });

  it("keep the file short: what is out of date is rewritten", async () => {
    await using world = await create();
    for (let n = 0; n < 1_100; n += 1) await world.deadLetters.put(deadLetter());
    const lines = (await readFile(world.file, "utf8")).split("\n").length;
    expect(lines).toBeLessThan(200);
    expect(await world.other.list()).toHaveLength(1);
  });

  it("stay in memory while the file cannot be written", async () => {
    const file = join(fileURLToPath(import.meta.url), "letters");
    const deadLetters = createJsonLinesDeadLetters({ file, clock: virtualClock(), log: silentLog });
    expect((await deadLetters.hide())("a")).toMatch(/^hmac/);
    await deadLetters.put(deadLetter());
    expect(await deadLetters.get(AT)).toEqual(deadLetter());
  });
});
