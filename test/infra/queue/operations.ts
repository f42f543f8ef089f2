import fc from "fast-check";
import type { Fence, Outcome, QueueEntry } from "../../../shared/runtime/queue/queue-port.ts";

/** One call of a ledger. `back` picks a claim: 0 is the latest. */
export type Operation =
  | { readonly type: "enqueue"; readonly entry: QueueEntry }
  | { readonly type: "claim" }
  | { readonly type: "release"; readonly back: number }
  | { readonly type: "pass"; readonly ms: number }
  | { readonly type: "pause"; readonly paused: boolean }
  | ({ readonly type: "finish"; readonly back: number } & End);

interface End {
  readonly how: "ok" | "retry" | "error" | "terminal";
  readonly afterMs: number | undefined;
  readonly requested: boolean;
  readonly fenced: boolean;
}

const FENCE: Fence = {
  cluster: "management",
  group: "",
  kind: "Node",
  namespace: "",
  name: "n",
  resourceVersion: "12",
  echo: "Machine a@12",
};

/** The event of the write that the fence is of. */
const ECHO = { what: "Machine a", resourceVersion: "12" };

/** Mostly the latest: what was claimed before has usually ended. */
const back = fc.constantFrom(0, 0, 0, 1, 2);

export interface Choices {
  readonly keys: readonly string[];
  /** Wishes of events. */
  readonly delays: readonly number[];
  /** Wishes of runs. */
  readonly afters: readonly (number | undefined)[];
}

export function operations({ keys, delays, afters }: Choices): fc.Arbitrary<Operation> {
  const entry = fc.record({
    key: fc.constantFrom(...keys),
    delayMs: fc.constantFrom(...delays),
    priority: fc.constantFrom("live" as const, "resync" as const),
    cause: fc.constantFrom(undefined, { what: "Machine a" }, { what: "Machine b" }, ECHO, ECHO),
  });
  const finish = fc.record({
    type: fc.constant("finish" as const),
    back,
    how: fc.constantFrom("ok" as const, "retry" as const, "error" as const, "terminal" as const),
    afterMs: fc.constantFrom(...afters),
    requested: fc.boolean(),
    fenced: fc.boolean(),
  });
  return fc.oneof(
    { weight: 4, arbitrary: entry.map((each) => ({ type: "enqueue" as const, entry: each })) },
    { weight: 4, arbitrary: fc.constant({ type: "claim" as const }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(false, false, true).map((paused) => ({ type: "pause" as const, paused })),
    },
    { weight: 3, arbitrary: finish },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("release" as const), back }) },
    {
      weight: 2,
      arbitrary: fc.record({
        type: fc.constant("pass" as const),
        ms: fc.constantFrom(10, 300, 1_500, 6_000, 40_000, 70_000, 600_000, 1_800_000),
      }),
    },
  );
}

export function outcomeOf({ how, afterMs, requested, fenced }: End): Outcome {
  const fences = fenced ? [FENCE] : [];
  if (how === "ok") return { type: "ok", afterMs, requested, fences };
  if (how === "retry") return { type: "retry", afterMs: afterMs ?? 100, fences };
  const failure = { class: "Transient", reason: "Broken", message: "no" } as const;
  return { type: "error", failure, terminal: how === "terminal", requested, fences };
}
