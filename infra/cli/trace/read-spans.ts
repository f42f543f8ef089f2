import { open } from "node:fs/promises";
import { createInterface } from "node:readline";
import * as z from "zod";
import { fileProblem } from "../../platform/file-problem.ts";

/** The parts of a span of OTLP that the tree shows. */
export interface ReadSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly links: readonly string[];
  readonly error: string | undefined;
  /** Texts; numbers as texts. */
  readonly attributes: Readonly<Record<string, string>>;
}

const MAX_FILE_BYTES = 256 * 1024 * 1024;
const MAX_SPANS = 200_000;

const nanos = z.string().regex(/^\d{1,19}$/);
const valueSchema = z.object({
  stringValue: z.string().optional(),
  intValue: z.union([z.string(), z.number()]).optional(),
});
const attributesSchema = z
  .array(z.object({ key: z.string(), value: valueSchema }))
  .default([])
  .transform((all) =>
    Object.fromEntries(
      all.flatMap(({ key, value: { stringValue, intValue } }) => {
        const value = stringValue ?? intValue;
        return value === undefined ? [] : [[key, String(value)]];
      }),
    ),
  );
const spanSchema = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  startTimeUnixNano: nanos,
  endTimeUnixNano: nanos,
  attributes: attributesSchema,
  links: z.array(z.object({ spanId: z.string() })).default([]),
  status: z.object({ code: z.number().optional(), message: z.string().optional() }).default({}),
});
const lineSchema = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(spanSchema) })) })),
});

const STATUS_ERROR = 2;

/**
 * Reads spans from a file with one request of OTLP in JSON in each line. A last line that is cut off is left out. Throws
 * with the line that is malformed, for a file of more than 256 MiB, for more than 200,000 spans, and with the reason why
 * the file cannot be read.
 */
export async function readSpans(file: string): Promise<readonly ReadSpan[]> {
  const spans: ReadSpan[] = [];
  await using opened = await open(file).catch((error: unknown) => {
    throw new Error(`${file}: ${fileProblem(error)}`);
  });
  if ((await opened.stat()).isDirectory()) throw new Error(`${file}: it is a folder`);
  const input = opened.createReadStream({ encoding: "utf8", end: MAX_FILE_BYTES, autoClose: false });
  let number = 0;
  let problem: string | undefined;
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    // Only the last line may be cut off.
    if (problem !== undefined) throw new Error(problem);
    number += 1;
    const read = spansIn(line);
    if (read === undefined) problem = `${file}: line ${number} is not a request of OTLP in JSON`;
    else for (const span of read) spans.push(span);
    if (spans.length > MAX_SPANS) throw new Error(`${file}: it holds more than ${MAX_SPANS} spans`);
  }
  if (input.bytesRead > MAX_FILE_BYTES) throw new Error(`${file}: it is larger than 256 MiB`);
  if (problem !== undefined && spans.length === 0) throw new Error(problem);
  return spans;
}

function spansIn(line: string): readonly ReadSpan[] | undefined {
  const { success, data } = lineSchema.safeParse(parse(line));
  if (!success) return undefined;
  const scopes = data.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans);
  return scopes.flatMap(({ spans }) => spans.map(spanOf));
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

function spanOf({
  startTimeUnixNano,
  endTimeUnixNano,
  links,
  status,
  ...span
}: z.infer<typeof spanSchema>): ReadSpan {
  return {
    ...span,
    parentSpanId: span.parentSpanId === "" ? undefined : span.parentSpanId,
    startMs: Number(startTimeUnixNano) / 1e6,
    endMs: Number(endTimeUnixNano) / 1e6,
    links: links.map(({ spanId }) => spanId),
    error: status.code === STATUS_ERROR ? (status.message ?? "") : undefined,
  };
}
