import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readSpans } from "../../../../infra/cli/trace/read-spans.ts";
import { otlpText } from "../../../../infra/worker/telemetry/traces/otlp.ts";

const SPAN = {
  traceId: "0af7651916cd43dd8448eb211c80319c",
  spanId: "b7ad6b7169203331",
  name: "apply MachinePool/status",
  kind: "client",
  startMs: 1_795_425_600_123.5,
  endMs: 1_795_425_600_124,
  attributes: { "capstan.object": "MachinePool default/p1", code: 200 },
  error: "HTTP 409",
} as const;

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "capstan-read-spans-"));
});
afterAll(() => rm(dir, { recursive: true }));

async function read(text: string) {
  const file = join(dir, "spans.jsonl");
  await writeFile(file, text);
  return readSpans(file);
}

describe("a file of spans", () => {
  it("is read as it was written", async () => {
    const line = otlpText([SPAN, SPAN], {});
    const spans = await read(`${line}\n${line}\n`);
    expect(spans.length).toBe(4);
    expect(spans[0]).toEqual({
      traceId: SPAN.traceId,
      spanId: SPAN.spanId,
      parentSpanId: undefined,
      name: SPAN.name,
      startMs: SPAN.startMs,
      endMs: SPAN.endMs,
      links: [],
      error: "HTTP 409",
      attributes: { "capstan.object": "MachinePool default/p1", code: "200" },
    });
  });

  it("that is not there, or a folder, is said in words", async () => {
    const missing = join(dir, "missing.jsonl");
    await expect(readSpans(missing)).rejects.toThrow(`${missing}: the file is missing`);
    await expect(readSpans(dir)).rejects.toThrow(`${dir}: it is a folder`);
  });

  it("whose last line was cut off has the lines before it", async () => {
    const line = otlpText([SPAN], {});
    expect((await read(`${line}\n${line.slice(0, 60)}`)).length).toBe(1);
  });

  it.each([
    ["not JSON\n", "line 1 is not a request of OTLP"],
    [
      '{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":7}]}]}]}\n{}\n',
      "line 1 is not a request of OTLP",
    ],
    [`${"[".repeat(100_000)}\n`, "line 1 is not a request of OTLP"],
  ])("that is malformed is refused with its line: case %#", async (text, problem) => {
    await expect(read(text)).rejects.toThrow(problem);
  });

  it("that is missing is named", async () => {
    await expect(readSpans(join(dir, "gone"))).rejects.toThrow("gone");
  });
});
