import { describe, expect, it } from "vitest";
import {
  createTraceOf,
  formatTraceparent,
  parseTraceparent,
  versionIds,
} from "../../../../../infra/worker/telemetry/traces/trace-ids.ts";

const HOUR_MS = 3_600_000;

describe("the trace of a tenant", () => {
  it("is the same in two processes within an hour, and another one in the next", () => {
    let nowMs = 10 * HOUR_MS;
    const relay = createTraceOf(1, () => nowMs);
    const worker = createTraceOf(1, () => nowMs);
    const first = relay("default/c1");
    expect(first.traceId).toMatch(/^[0-9a-f]{32}$/);
    nowMs += HOUR_MS - 1;
    expect(worker("default/c1")).toEqual(first);
    expect(worker("default/c2").traceId).not.toBe(first.traceId);
    nowMs += 1;
    expect(relay("default/c1").traceId).not.toBe(first.traceId);
  });

  it("is sampled as often as the ratio says", () => {
    const sampledOf = (ratio: number) => {
      const traceOf = createTraceOf(ratio, () => 0);
      return Array.from({ length: 20_000 }, (_, at) => traceOf(`default/c${at}`)).filter(
        ({ sampled }) => sampled,
      ).length;
    };
    expect(sampledOf(1)).toBe(20_000);
    expect(sampledOf(0)).toBe(0);
    expect(sampledOf(0.01)).toBeGreaterThan(150);
    expect(sampledOf(0.01)).toBeLessThan(250);
  });
});

describe("the spans of a version", () => {
  it("have ids that follow from uid and resourceVersion", () => {
    const ids = versionIds("u1", "7");
    expect(ids.write).toMatch(/^[0-9a-f]{16}$/);
    expect(versionIds("u1", "7")).toEqual(ids);
    expect(
      new Set([ids.write, ids.event, versionIds("u1", "8").write, versionIds("u2", "7").write]).size,
    ).toBe(4);
  });
});

const CONTEXT = { traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "b7ad6b7169203331" };

describe("a traceparent", () => {
  it("comes back as it was", () => {
    const text = formatTraceparent(CONTEXT);
    expect(text).toBe("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01");
    expect(parseTraceparent(text)).toEqual(CONTEXT);
  });

  it.each([
    undefined,
    "",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00",
    "00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01",
    "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01-",
    `00-${"0".repeat(1_000_000)}`,
  ])("of any other form counts as absent: case %#", (text) => {
    expect(parseTraceparent(text)).toBeUndefined();
  });
});
