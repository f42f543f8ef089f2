import { describe, expect, it } from "vitest";
import {
  formatTraceparent,
  parseTraceparent,
} from "../../../../../infra/worker/telemetry/traces/traceparent.ts";

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
