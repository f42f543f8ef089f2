import { describe, expect, it } from "vitest";
import { RETENTION_MS } from "../../infra/queue/letters/limits.ts";
import type {
  DeadLetters,
  LetterPage,
  LetterSelection,
} from "../../shared/runtime/letters/dead-letters-port.ts";
import type { VirtualClock } from "../support/clock.ts";
import { attempt, deadLetter, POOL_KEY } from "../support/letters.ts";

interface DeadLettersUnderTest extends AsyncDisposable {
  readonly deadLetters: DeadLetters;
  /** Another process that looks at the same letters. */
  readonly other: DeadLetters;
  readonly clock: VirtualClock;
}

export interface DeadLettersSuite {
  readonly name: string;
  readonly create: () => Promise<DeadLettersUnderTest>;
}

const AT = { function: "machinepool-status", key: POOL_KEY };

/** The behaviour of every store of dead letters. */
export function deadLettersSuite({ name, create }: DeadLettersSuite): void {
  describe(`${name} dead letters`, () => {
    it("gives back what was stored, to every process", async () => {
      await using world = await create();
      await world.deadLetters.put(deadLetter());
      expect(await world.deadLetters.get(AT)).toEqual(deadLetter());
      expect(await world.other.get(AT)).toEqual(deadLetter());
      expect(await world.other.list()).toEqual([
        expect.objectContaining({ ...AT, reason: "MaxAttempts", times: 1, tenant: "default/c1" }),
      ]);
      expect(await world.other.get({ ...AT, key: "default/c1|MachinePool|default/p2" })).toBeUndefined();
      expect(await world.other.get({ ...AT, function: "machinepool-sync" })).toBeUndefined();
    });

    it("keeps one letter per key, the newest, and counts the deaths", async () => {
      await using world = await create();
      const later = deadLetter({ deadSince: "2026-01-01T13:00:00.000Z", reason: "Terminal" });
      await world.deadLetters.put(deadLetter());
      await world.other.put(later);
      expect(await world.deadLetters.get(AT)).toEqual({ ...later, times: 2 });
      expect(await world.deadLetters.list()).toHaveLength(1);
    });

    it("Q-10: does not count a failure in the slow lane as a death of its own", async () => {
      await using world = await create();
      await world.deadLetters.put(deadLetter());
      await world.deadLetters.put(deadLetter({ attempts: [attempt({ failures: 17 })] }));
      expect(await world.deadLetters.get(AT)).toMatchObject({ times: 1, attempts: [{ failures: 17 }] });
    });

    it("lists the longest dead first, of all functions or of one", async () => {
      await using world = await create();
      const at = (hour: number) => `2026-01-01T0${hour}:00:00.000Z`;
      await world.deadLetters.put(deadLetter({ key: "b/c|A|b/2", deadSince: at(2) }));
      await world.deadLetters.put(deadLetter({ key: "b/c|A|b/1", deadSince: at(1) }));
      await world.deadLetters.put(deadLetter({ function: "machinepool-sync", deadSince: at(3) }));
      const keys = async (name?: string) => (await world.other.list(name)).map(({ key }) => key);
      expect(await keys()).toEqual(["b/c|A|b/1", "b/c|A|b/2", POOL_KEY]);
      expect(await keys("machinepool-status")).toEqual(["b/c|A|b/1", "b/c|A|b/2"]);
      expect(await keys("machinepool-guard")).toEqual([]);
    });

    it("drops a letter once, for every process", async () => {
      await using world = await create();
      await world.deadLetters.put(deadLetter());
      expect(await world.other.drop(AT.function, [AT.key, AT.key, "none"])).toBe(1);
      expect(await world.other.drop(AT.function, [AT.key])).toBe(0);
      expect(await world.other.drop(AT.function, [])).toBe(0);
      expect(await world.deadLetters.get(AT)).toBeUndefined();
      expect(await world.deadLetters.list()).toEqual([]);
    });

    it("reads and drops many letters, those left out that are gone", async () => {
      await using world = await create();
      const keys = Array.from({ length: 120 }, (_, n) => `a/b|A|a/${n}`);
      for (const key of keys) await world.deadLetters.put(deadLetter({ key }));
      await world.deadLetters.put(deadLetter({ function: "machinepool-sync", key: keys[0] ?? "" }));
      const all = (await world.other.list()).map(({ function: name, key }) => ({ function: name, key }));
      const read: string[] = [];
      for await (const { key } of world.other.read([...all, { ...AT, key: "none" }])) read.push(key);
      expect(new Set(read)).toEqual(new Set(keys));
      expect(read).toHaveLength(121);
      expect(await world.other.drop(AT.function, keys.slice(20))).toBe(100);
      expect(await world.deadLetters.list(AT.function)).toHaveLength(20);
    });

    it("Q-41: pages hold every letter once, function by function, the longest stored first", async () => {
      await using world = await create();
      const keys = Array.from({ length: 25 }, (_, n) => `a/b|A|a/${String(n).padStart(2, "0")}`);
      for (const key of keys) await world.deadLetters.put(deadLetter({ key }));
      await world.clock.advance(1_000);
      await world.deadLetters.put(deadLetter({ key: keys[3] ?? "", deadSince: "2026-01-01T13:00:00.000Z" }));
      await world.deadLetters.put(deadLetter({ function: "machinepool-adopt" }));
      const read = async (selection: Omit<LetterSelection, "after">) => {
        const found: (readonly string[])[] = [];
        let page: LetterPage | undefined;
        do {
          page = await world.other.page({ ...selection, after: page?.next });
          found.push(page.items.map((head) => `${head.function} ${head.key}`));
        } while (page.next !== undefined);
        return found;
      };
      const own = [...keys.filter((_, n) => n !== 3), keys[3]].map((key) => `${AT.function} ${key}`);
      expect((await read({ limit: 4 })).flat()).toEqual([`machinepool-adopt ${POOL_KEY}`, ...own]);
      expect((await read({ limit: 10, function: AT.function })).map(({ length }) => length)).toEqual([
        10, 10, 5,
      ]);
      expect(await read({ limit: 10, function: "machinepool-guard" })).toEqual([[]]);
      const [again] = (await world.other.page({ limit: 1_000 })).items.filter(({ key }) => key === keys[3]);
      expect(again).toMatchObject({ times: 2, deadSince: "2026-01-01T13:00:00.000Z" });
      for (const after of ["x", "", "machinepool-status.x", "a.b.c"]) {
        await expect(world.other.page({ limit: 4, after })).rejects.toThrow("leave it out to start");
      }
      await expect(world.other.page({ limit: 1_001 })).rejects.toThrow("1 to 1000 items, not 1001");
      await world.clock.advance(RETENTION_MS + 1);
      expect(await read({ limit: 10 })).toEqual([[]]);
    });

    it("Q-41: drops a letter only while it is as it was seen", async () => {
      await using world = await create();
      await world.deadLetters.put(deadLetter());
      const [seen] = (await world.other.page({ limit: 1 })).items;
      if (seen === undefined) throw new Error("there is no letter");
      const again = { deadSince: "2026-01-01T13:00:00.000Z" };
      await world.deadLetters.put(deadLetter(again));
      const gone = { ...seen, key: "none" };
      expect(await world.other.dropSeen(AT.function, [seen, gone])).toEqual([
        { key: AT.key, done: false, head: { ...seen, ...again, times: 2 } },
        { key: "none", done: false },
      ]);
      const now = { ...seen, ...again, times: 2 };
      expect(await world.other.dropSeen(AT.function, [now, now])).toEqual([
        { key: AT.key, done: true },
        { key: AT.key, done: false },
      ]);
      expect(await world.deadLetters.get(AT)).toBeUndefined();
      expect(await world.deadLetters.list()).toEqual([]);
      expect(await world.other.dropSeen(AT.function, [])).toEqual([]);
      await expect(world.other.dropSeen(AT.function, Array(501).fill(now))).rejects.toThrow("at most 500");
    });

    it("S-28: lets letters expire 14 days after the last death of their key", async () => {
      await using world = await create();
      await world.deadLetters.put(deadLetter({ key: "a/b|A|a/old" }));
      await world.clock.advance(RETENTION_MS / 2);
      await world.deadLetters.put(deadLetter());
      await world.clock.advance(RETENTION_MS / 2);
      expect(await world.deadLetters.expire()).toBe(1);
      expect((await world.other.list()).map(({ key }) => key)).toEqual([POOL_KEY]);
    });

    it("keeps the last five attempts in a row and when they began", async () => {
      await using world = await create();
      const note = (failures: number) =>
        world.deadLetters.noteAttempt(AT, attempt({ failures, start: `2026-01-01T12:00:0${failures}.000Z` }));
      for (let failures = 1; failures < 7; failures += 1) await note(failures);
      const history = await note(7);
      expect(history.firstFailureAt).toBe("2026-01-01T12:00:01.000Z");
      expect(history.attempts.map(({ failures }) => failures)).toEqual([3, 4, 5, 6, 7]);
      expect((await note(1)).attempts).toHaveLength(1);
    });

    it("stores a letter of a MiB, and names with separators, quotes and line breaks", async () => {
      await using world = await create();
      const key = 'a/b|A|{}:\n"\u2028';
      const decision = { result: Array.from({ length: 50_000 }, (_, n) => `text ${n}`) };
      const large = deadLetter({ key, run: { reads: [], writes: [], digest: "", decision } });
      await world.deadLetters.put(large);
      expect(await world.other.get({ ...AT, key })).toEqual(large);
    });

    it("hides equal secrets equally in every process, and says nothing about them", async () => {
      await using world = await create();
      const [hide, again] = [await world.deadLetters.hide(), await world.other.hide()];
      expect(hide("a")).toMatch(/^hmac-sha256:[0-9a-f]{16}$/);
      expect(again("a")).toBe(hide("a"));
      expect(hide("b")).not.toBe(hide("a"));
    });
  });
}
