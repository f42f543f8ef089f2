import { expect, it } from "vitest";
import { lookUntil } from "../../../../../infra/providers/contract/probe/look-until.ts";

/** A clock that each look moves on by a second. */
function looks(...seen: readonly number[]) {
  let count = 0;
  const look = async () => seen[Math.min(count++, seen.length - 1)] ?? 0;
  return { look, clock: { now: () => new Date(count * 1_000) } };
}

it("ends once something holds", async () => {
  const { look, clock } = looks(1, 2, 3);
  expect(await lookUntil(look, (seen) => seen === 2, { clock, limitMs: 60_000 })).toEqual({
    seen: true,
    last: 2,
  });
});

it("ends with the newest look once the limit is over, but looks at least once", async () => {
  const { look, clock } = looks(1, 2, 3);
  const never = () => false;
  expect(await lookUntil(look, never, { clock, limitMs: 2_000 })).toEqual({ seen: false, last: 2 });
  expect(await lookUntil(look, never, { clock, limitMs: 0 })).toEqual({ seen: false, last: 3 });
});

it("is ended by a signal", async () => {
  const { look, clock } = looks(1);
  const stop = new AbortController();
  const waiting = lookUntil(look, () => false, { clock, limitMs: 3_600_000, signal: stop.signal });
  stop.abort();
  await expect(waiting).rejects.toThrow("abort");
});
