import { describe, expect, it } from "vitest";
import { textsOf } from "../../support/sources.ts";

describe("the code of traces", () => {
  it("is loaded by the process that has an endpoint, and by no other", async () => {
    const texts = await textsOf("{functions,shared,infra}/**/*.ts");
    const importers = texts
      .filter(({ path }) => !path.startsWith("infra/worker/telemetry/traces/"))
      .flatMap(({ path, text }) =>
        (text.match(/^.*telemetry\/traces\/.*$/gm) ?? []).map((line) => `${path}: ${line.trim()}`),
      );
    expect(importers).toEqual([
      'infra/cli/compose.ts: const { openTraces } = await import("../worker/telemetry/traces/traces.ts");',
    ]);
  });
});
