import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { openReplayApart } from "../../../../infra/operate/replay/replay-apart.ts";
import { type Tried, tryLetters } from "../../../../infra/operate/replay/verdict.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { DeadLetter } from "../../../../shared/runtime/letters/dead-letter.ts";
import { machinePool } from "../../../support/builders.ts";
import { deadLetter } from "../../../support/letters.ts";

const functionsDir = fileURLToPath(new URL("../../../support/stubborn", import.meta.url));

/** The letter of a run that read the pool and threw. */
function letterOf(name: string): DeadLetter {
  const { group, version, kind, plural, namespaced } = MachinePool;
  const error = { name: "Error", class: "Transient", reason: "Error", message: "no" } as const;
  const question = {
    call: "get",
    cluster: MANAGEMENT,
    kind: { group, version, kind, plural, namespaced },
    key: { namespace: "default", name: "p1" },
  } as const;
  return deadLetter({
    function: name,
    run: {
      clock: "2026-01-01T12:00:00.000Z",
      reads: [{ question, source: "snapshot", answer: { type: "object", object: machinePool() }, found: [] }],
      writes: [],
      error,
      digest: "sha256:1",
    },
  });
}

async function* each(...letters: readonly DeadLetter[]): AsyncIterable<DeadLetter> {
  yield* letters;
}

describe("a replay in a process of its own", () => {
  it("that loops, eats memory or ends its process is cut, and the next ones are replayed, while this process answers", async () => {
    using apart = openReplayApart(systemClock, functionsDir);
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 20);
    const names = [
      "pool-check",
      "pool-loop",
      "pool-check",
      "pool-gulp",
      "pool-exit",
      "pool-gone",
      "pool-check",
    ];
    const tried: Tried[] = [];
    for await (const one of tryLetters(each(...names.map(letterOf)), apart)) tried.push(one);
    clearInterval(counting);
    expect(tried.map(({ function: name, verdict, why = "" }) => [name, verdict, why])).toEqual([
      ["pool-check", "succeeds", ""],
      ["pool-loop", "unknown", "it did not end within 2 s"],
      ["pool-check", "succeeds", ""],
      ["pool-gulp", "unknown", expect.stringMatching(/more than 256 MiB|within 2 s/)],
      ["pool-exit", "unknown", "it ended its process with code 3"],
      ["pool-gone", "unknown", expect.stringContaining('no function matches "pool-gone"')],
      ["pool-check", "succeeds", ""],
    ]);
    expect(turns).toBeGreaterThan(0);
  });

  it("ends early when it is stopped", async () => {
    using apart = openReplayApart(systemClock, functionsDir);
    const stop = new AbortController();
    const tried: string[] = [];
    for await (const { key } of tryLetters(
      each(letterOf("pool-check"), letterOf("pool-check")),
      apart,
      stop.signal,
    )) {
      tried.push(key);
      stop.abort();
    }
    expect(tried).toHaveLength(1);
  });
});
