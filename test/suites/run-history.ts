import { describe, expect, it } from "vitest";
import type { RunEntry, RunHistory } from "../../shared/runtime/letters/run-history.ts";
import type { VirtualClock } from "../support/clock.ts";
import { runEntry, writingRun } from "../support/run-entries.ts";

interface RunHistoryUnderTest extends AsyncDisposable {
  readonly history: RunHistory;
  /** As another process sees it a second later, when what was noted has been written. */
  read(functionName: string, key: string, limit?: number): Promise<readonly RunEntry[]>;
  readonly clock: VirtualClock;
}

export interface RunHistorySuite {
  readonly name: string;
  /** They share the bound, and each keeps its newest rings. Default 1. */
  readonly slots?: number;
  readonly create: (maxBytes: number) => Promise<RunHistoryUnderTest>;
}

const PLENTY = 1_000_000;
const KEY = "default/c1|Widget|default/w";
const DAY_MS = 24 * 60 * 60_000;

/** The behaviour of every run history. */
export function runHistorySuite({ name, slots = 1, create }: RunHistorySuite): void {
  describe(`the run history ${name}`, () => {
    it("gives back the newest 20 runs of a function and a key, the newest first", async () => {
      await using world = await create(PLENTY);
      const { history, read, clock } = world;
      expect(await read("f", KEY)).toEqual([]);
      const runs = Array.from({ length: 25 }, (_, at) => writingRun(clock.now(), `r${at}`));
      for (const run of runs) history.note("f", KEY, run);
      expect(await read("f", KEY)).toEqual(runs.slice(5).reverse());
      expect(await read("f", KEY, 2)).toEqual(runs.slice(23).reverse());
      expect(await read("g", KEY)).toEqual([]);
      expect(await read("f", `${KEY}2`)).toEqual([]);
    });

    it("finds the function and the key of a run by its id", async () => {
      await using world = await create(PLENTY);
      const { history, read, clock } = world;
      for (const [at, name] of ["f", "g", "h"].entries())
        history.note(name, `${KEY}${at}`, writingRun(clock.now(), `00000000000000a${at}`));
      await read("f", KEY);
      expect(await history.find("00000000000000a1")).toEqual({ function: "g", key: `${KEY}1` });
      expect(await history.find("00000000000000a9")).toBeUndefined();
      expect(await history.find("00000000000000a")).toBeUndefined();
      expect(await history.find('"')).toBeUndefined();
    });

    it("counts equal idle runs in a row as one, also when others read in between", async () => {
      await using world = await create(PLENTY);
      const { history, read, clock } = world;
      const idle = (runId: string, waitingFor = 'Widget.spec."paused"\n') =>
        runEntry(clock.now(), { runId, waitingFor });
      const first = idle("r1");
      history.note("f", KEY, first);
      history.note("f", KEY, idle("r2"));
      expect(await read("f", KEY)).toMatchObject([{ runId: "r2", times: 2 }]);
      const third = { ...idle("r3"), times: 3, since: first.endedAt };
      history.note("f", KEY, idle("r3"));
      expect(await read("f", KEY)).toEqual([third]);
      const other = idle("r4", "Widget.status");
      const wrote = writingRun(clock.now(), "r5");
      const failed = runEntry(clock.now(), {
        runId: "r6",
        outcome: "error",
        failure: { class: "Transient", reason: "Odd", message: "it is odd" },
      });
      const after = idle("r7");
      for (const run of [other, wrote, wrote, failed, failed, after]) history.note("f", KEY, run);
      const expected = [after, failed, failed, wrote, wrote, other, third];
      expect(await read("f", KEY)).toEqual(expected);
      expect(await read("f", KEY, 1)).toEqual([after]);
      history.note("f", KEY, idle("r8"));
      const [newest, ...rest] = await read("f", KEY);
      expect(newest).toMatchObject({ runId: "r8", times: 2 });
      expect(rest).toEqual(expected.slice(1));
    });

    it("forgets runs after 24 hours", async () => {
      await using world = await create(PLENTY);
      const { history, read, clock } = world;
      history.note("f", KEY, writingRun(clock.now(), "r1"));
      expect(await read("f", KEY)).toHaveLength(1);
      await clock.advance(DAY_MS / 2);
      history.note("f", KEY, writingRun(clock.now(), "r2"));
      expect(await read("f", KEY)).toHaveLength(2);
      await clock.advance(DAY_MS / 2 + 1_000);
      expect((await read("f", KEY)).map(({ runId }) => runId)).toEqual(["r2"]);
    });

    it("stays within its bound, and the rings that were noted longest ago go first", async () => {
      const maxBytes = slots === 1 ? 100_000 : 200_000;
      await using world = await create(maxBytes);
      const { history, read, clock } = world;
      const keys = Array.from({ length: 400 }, (_, at) => `default/c1|Widget|default/w${at}`);
      for (const [at, key] of keys.entries()) {
        history.note("f", "always", writingRun(clock.now(), `r${at}`));
        history.note("f", key, writingRun(clock.now(), `r${at}`));
        if (at % 20 === 19) await read("f", key);
      }
      expect(await read("f", "always")).toHaveLength(20);
      const found = await Promise.all(keys.map(async (key) => (await read("f", key)).length > 0));
      const kept = found.filter((isKept) => isKept).length;
      // The newest ones, without a gap.
      if (slots === 1) expect(found.lastIndexOf(false)).toBe(keys.length - kept - 1);
      expect(found.slice(-10)).not.toContain(false);
      expect(found.slice(0, 200).filter((isKept) => isKept).length).toBeLessThan(kept / 2);
      expect(kept).toBeGreaterThan(10);
      expect(kept).toBeLessThan(300);
    });
  });
}
