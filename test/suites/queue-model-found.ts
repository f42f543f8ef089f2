import type { Operation } from "../infra/queue/operations.ts";

interface FoundSequence {
  readonly what: string;
  readonly sequence: readonly Operation[];
}

const live = (key: string, delayMs = 0): Operation => ({
  type: "enqueue",
  entry: { key, delayMs, priority: "live" },
});

const pass = (ms: number): Operation => ({ type: "pass", ms });

/** Sequences in which a driver once differed from the model, shrunk; every driver plays them. */
export const FOUND_SEQUENCES: readonly FoundSequence[] = [
  {
    // The model was wrong: it had t|c dead at once, so that t|b had room and came before v. A key that has failed for
    // good holds its tenant's slot until its letter is written, on every driver; meanwhile v, of another tenant, runs.
    what: "a dying key holds the slot of its tenant until it is marked dead",
    sequence: [
      { type: "enqueue", entry: { key: "t|c", delayMs: 0, priority: "resync" } },
      live("u|a"),
      { type: "release", back: 0 },
      pass(6_000),
      live("t|c"),
      { type: "pause", paused: true },
      live("t|b", 2_000),
      { type: "release", back: 1 },
      live("v"),
      live("t|a"),
      { type: "pause", paused: false },
      live("v"),
      pass(17_500),
    ],
  },
  {
    // The memory driver was wrong: the breaker counted an attempt that had found no key with room as its claim of this
    // second, so that the keys that had room a moment later waited for the next.
    what: "while the breaker is open, an attempt that finds no key with room costs no turn",
    sequence: [
      live("u|a"),
      live("t|a"),
      live("v"),
      live("t|b"),
      pass(40_000),
      live("t|c"),
      live("u|a"),
      live("v"),
      live("t|b"),
      pass(6_000),
      live("v"),
      pass(1_000),
      live("t|a"),
      pass(6_000),
      pass(1_000),
      { type: "release", back: 0 },
    ],
  },
];
