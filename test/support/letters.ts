import type { AttemptSummary, DeadLetter } from "../../shared/runtime/letters/dead-letter.ts";

export const POOL_KEY = "default/c1|MachinePool|default/p1";

export function attempt(overrides: Partial<AttemptSummary> = {}): AttemptSummary {
  return {
    start: "2026-01-01T12:00:00.000Z",
    durationMs: 7,
    owner: "worker-1/0",
    failures: 1,
    again: 0,
    error: {
      name: "Error",
      class: "Transient",
      reason: "Error",
      message: "bug: no",
      stack: "Error: bug: no",
    },
    ...overrides,
  };
}

/** The letter of `machinepool-status` about pool p1 that died at noon. */
export function deadLetter(overrides: Partial<DeadLetter> = {}): DeadLetter {
  return {
    v: 2,
    function: "machinepool-status",
    key: POOL_KEY,
    tenant: "default/c1",
    class: "live",
    reason: "MaxAttempts",
    deadSince: "2026-01-01T12:00:00.000Z",
    firstFailureAt: "2026-01-01T11:40:00.000Z",
    times: 1,
    build: { version: "0.1.0", configDigest: "sha256:0" },
    attempts: [attempt({ failures: 16 })],
    causes: [{ what: "MachinePool default/p1", resourceVersion: "20" }],
    run: { clock: "2026-01-01T12:00:00.000Z", reads: [], writes: [], digest: "sha256:1" },
    truncated: [],
    ...overrides,
  };
}
