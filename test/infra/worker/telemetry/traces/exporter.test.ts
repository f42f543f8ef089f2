import { describe, expect, it } from "vitest";
import {
  createExporter,
  type Delivered,
  otlpText,
} from "../../../../../infra/worker/telemetry/traces/exporter.ts";
import type { Span } from "../../../../../infra/worker/telemetry/traces/trace-ids.ts";
import { virtualClock } from "../../../../support/clock.ts";
import { recordingLog } from "../../../../support/recording-log.ts";

const spanOf = (name: string): Span => ({
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name,
  kind: "internal",
  startMs: 1_000.25,
  endMs: 1_001,
  attributes: {},
});

function openExporter(answer: (call: number) => Promise<Delivered>) {
  const clock = virtualClock();
  const { log, lines } = recordingLog();
  const sent: string[][] = [];
  const destination = {
    send: (text: string) => {
      const { resourceSpans } = JSON.parse(text);
      sent.push(resourceSpans[0].scopeSpans[0].spans.map(({ name }: Span) => name));
      return answer(sent.length);
    },
    [Symbol.dispose]: () => undefined,
  };
  const exporter = createExporter({ destination, resource: { "service.name": "capstan" }, clock, log });
  return { clock, lines, sent, exporter };
}

describe("the exporter of spans", () => {
  it("sends after 5 s, and a full batch of 512 without waiting for them", async () => {
    const { clock, sent, exporter } = openExporter(async () => "sent");
    exporter.add(spanOf("first"));
    await clock.advance(4_999);
    expect(sent).toEqual([]);
    await clock.advance(1);
    expect(sent).toEqual([["first"]]);
    for (let count = 0; count < 512; count += 1) exporter.add(spanOf(`s${count}`));
    expect(sent.length).toBe(1);
    await clock.advance(0);
    expect(sent[1]?.length).toBe(512);
    await exporter[Symbol.asyncDispose]();
    expect(clock.pending).toBe(0);
  });

  it("keeps 2,048 spans while the collector is away, drops and counts the others, and says so once", async () => {
    const { clock, lines, sent, exporter } = openExporter(async (call) => {
      if (call < 4) throw new Error("connect ECONNREFUSED");
      return "sent";
    });
    for (let count = 0; count < 3_000; count += 1) exporter.add(spanOf(`s${count}`));
    expect(exporter.dropped()).toBe(3_000 - 2_048);
    await clock.advance(120_000);
    expect(sent.slice(3).flat()).toEqual(Array.from({ length: 2_048 }, (_, at) => `s${at}`));
    expect(lines.map(({ level, message }) => [level, message])).toEqual([
      ["warn", "traces: the collector does not take spans; runs continue without it"],
      ["info", "traces: the collector takes spans again"],
    ]);
    await exporter[Symbol.asyncDispose]();
  });

  it("does not send refused spans again", async () => {
    const { clock, sent, exporter } = openExporter(async () => "refused");
    exporter.add(spanOf("odd"));
    await clock.advance(60_000);
    expect(sent).toEqual([["odd"]]);
    expect(exporter.dropped()).toBe(1);
    await exporter[Symbol.asyncDispose]();
  });

  it("has one request under way, however slow the collector is, and ends within 2 s", async () => {
    const { clock, lines, sent, exporter } = openExporter(() => new Promise(() => undefined));
    for (let count = 0; count < 2_000; count += 1) exporter.add(spanOf(`s${count}`));
    await clock.advance(60_000);
    expect(sent.length).toBe(1);
    const ended = exporter[Symbol.asyncDispose]();
    await clock.advance(2_000);
    await ended;
    expect(lines).toEqual([
      { level: "warn", fields: { spans: 2_000 }, message: "traces: spans were not delivered" },
    ]);
    expect(clock.pending).toBe(0);
  });

  it("sends the rest at its end", async () => {
    const { sent, exporter } = openExporter(async () => "sent");
    exporter.add(spanOf("last"));
    await exporter[Symbol.asyncDispose]();
    await exporter[Symbol.asyncDispose]();
    expect(sent).toEqual([["last"]]);
  });
});

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
