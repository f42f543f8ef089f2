import { expect, it } from "vitest";
import { letterStateOf } from "../../../../infra/queue/letters/letter-state.ts";
import type { KeyState } from "../../../../shared/runtime/queue/queue-state.ts";

const state = (more: Partial<KeyState>): KeyState => ({ state: "ready", causes: [], failures: 0, ...more });

it.each<readonly [string, string, KeyState | undefined]>([
  ["dead", "MaxAttempts", state({ state: "dead", failures: 3 })],
  ["dead", "MaxAttempts", state({ state: "running", failures: 3, deadSince: new Date(0) })],
  ["dead", "Malformed", undefined],
  ["revived", "MaxAttempts", state({ state: "ready" })],
  ["revived", "MaxAttempts", state({ state: "running" })],
  ["revived", "MaxAttempts", state({ state: "waiting", failures: 1 })],
  ["resolved", "MaxAttempts", state({ state: "waiting" })],
  ["resolved", "MaxAttempts", undefined],
])("a letter is %s after %s while its key stands so: %j", (expected, reason, found) => {
  expect(letterStateOf({ reason } as Parameters<typeof letterStateOf>[0], found)).toBe(expected);
});
