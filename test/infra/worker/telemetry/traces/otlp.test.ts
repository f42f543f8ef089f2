import { describe, expect, it } from "vitest";
import { otlpText } from "../../../../../infra/worker/telemetry/traces/otlp.ts";

describe("a request of OTLP in JSON", () => {
  it("has ids in hexadecimal, times in nanoseconds as text, and integers as text", () => {
    const span = {
      traceId: "0af7651916cd43dd8448eb211c80319c",
      spanId: "b7ad6b7169203331",
      name: "apply MachinePool/status",
      kind: "client",
      startMs: 1_795_425_600_123.0625,
      endMs: 1_795_425_600_124,
      attributes: { text: "x".repeat(600), code: 200, share: 0.5, ok: true, absent: undefined },
      links: [{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "00f067aa0ba902b7" }],
      error: "Forbidden: no",
    } as const;
    expect(JSON.parse(otlpText([span], { "service.name": "capstan" }))).toEqual({
      resourceSpans: [
        {
          resource: { attributes: [{ key: "service.name", value: { stringValue: "capstan" } }] },
          scopeSpans: [
            {
              scope: { name: "capstan" },
              spans: [
                {
                  traceId: "0af7651916cd43dd8448eb211c80319c",
                  spanId: "b7ad6b7169203331",
                  name: "apply MachinePool/status",
                  kind: 3,
                  startTimeUnixNano: "1795425600123062500",
                  endTimeUnixNano: "1795425600124000000",
                  attributes: [
                    { key: "text", value: { stringValue: "x".repeat(512) } },
                    { key: "code", value: { intValue: "200" } },
                    { key: "share", value: { doubleValue: 0.5 } },
                    { key: "ok", value: { boolValue: true } },
                  ],
                  links: [{ traceId: "0af7651916cd43dd8448eb211c80319c", spanId: "00f067aa0ba902b7" }],
                  status: { code: 2, message: "Forbidden: no" },
                },
              ],
            },
          ],
        },
      ],
    });
  });
});
