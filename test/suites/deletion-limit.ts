import { describe, expect, it } from "vitest";
import type { DeletionLimit, LimitedWrite } from "../../shared/runtime/write/deletion-limit.ts";
import { type VirtualClock, virtualClock } from "../support/clock.ts";

interface DeletionLimitSuite {
  readonly name: string;
  /** Limits of processes that count together. */
  readonly create: (
    perHour: number,
    clock: VirtualClock,
  ) => Promise<readonly [DeletionLimit, DeletionLimit, ...DeletionLimit[]]>;
}

const MINUTES = 60_000;
const of = (id: string, more: Partial<LimitedWrite> = {}): LimitedWrite => ({
  cluster: "default/c1",
  kind: "Node",
  id,
  ...more,
});

/** The behaviour of every limit of deletions (S-33). */
export function deletionLimitSuite({ name, create }: DeletionLimitSuite): void {
  describe(`the limit of deletions ${name}`, () => {
    it("S-33: admits as many of a kind and a Cluster within an hour, however they come", async () => {
      const clock = virtualClock();
      const [one, other] = await create(3, clock);
      const asked = ["a", "b", "c", "d", "e"].map((id, at) => (at % 2 === 0 ? one : other).admit(of(id)));
      expect((await Promise.all(asked)).filter(Boolean)).toHaveLength(3);
      expect(await one.admit(of("f"))).toBe(false);
      expect(await one.admit(of("f", { kind: "Machine" }))).toBe(true);
      expect(await other.admit(of("f", { cluster: "default/c2" }))).toBe(true);
      expect(await other.admit(of("f", { cluster: "default:c1%3A/Node" }))).toBe(true);
    });

    it("S-33: counts an object once, and no longer after an hour", async () => {
      const clock = virtualClock();
      const [one, other] = await create(2, clock);
      expect([await one.admit(of("a")), await other.admit(of("a"))]).toEqual([true, true]);
      await clock.advance(30 * MINUTES);
      expect([await one.admit(of("b")), await one.admit(of("c"))]).toEqual([true, false]);
      // Tried again, for an hour in vain: it holds no place.
      expect([await other.admit(of("a")), await other.admit(of("c"))]).toEqual([true, false]);
      await clock.advance(30 * MINUTES);
      expect([await other.admit(of("c")), await other.admit(of("d"))]).toEqual([true, false]);
    });

    it("S-33: admits nothing where the limit is 0", async () => {
      const [limit] = await create(0, virtualClock());
      expect([limit.perHour, await limit.admit(of("a"))]).toEqual([0, false]);
    });
  });
}
