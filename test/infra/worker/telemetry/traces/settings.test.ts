import { describe, expect, it } from "vitest";
import { readTraceVariables } from "../../../../../infra/platform/config.ts";
import { traceSettings } from "../../../../../infra/worker/telemetry/traces/settings.ts";

const ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT";
const HERE = { [ENDPOINT]: "http://127.0.0.1:4318" };

describe("the variables of traces", () => {
  it("are not looked at without an endpoint", () => {
    expect(readTraceVariables({ OTEL_TRACES_SAMPLER: "nonsense" })).toBeUndefined();
    expect(readTraceVariables({ [ENDPOINT]: "" })).toBeUndefined();
  });

  it("name a collector, of which 1 % of the traces are for, or a file", () => {
    const settings = traceSettings(HERE);
    expect(settings).toMatchObject({ to: { type: "collector", headers: {} }, ratio: 0.01 });
    expect(traceSettings({ [ENDPOINT]: "file:///tmp/spans.jsonl" })?.to).toEqual({
      type: "file",
      file: "/tmp/spans.jsonl",
    });
  });

  it.each([
    ["always_on", undefined, 1],
    ["parentbased_always_on", undefined, 1],
    ["traceidratio", "0.25", 0.25],
    ["parentbased_traceidratio", "0", 0],
    ["", "", 0.01],
  ])("sampler %j with %j takes this ratio: %d", (sampler, arg, ratio) => {
    const variables = { ...HERE, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: arg };
    expect(traceSettings(variables)?.ratio).toBe(ratio);
  });

  it.each([[{ OTEL_TRACES_SAMPLER: "always_off" }], [{ OTEL_SDK_DISABLED: "TRUE" }]])(
    "record nothing with %j",
    (more) => {
      expect(traceSettings({ ...HERE, ...more })).toBeUndefined();
    },
  );

  it("take headers, percent-encoded, by https or on loopback", () => {
    const variables = {
      [ENDPOINT]: "https://collector.example/otlp",
      OTEL_EXPORTER_OTLP_HEADERS: "Authorization=Bearer%20abc, x-tenant=a=b",
    };
    expect(traceSettings(variables)?.to).toMatchObject({
      headers: { Authorization: "Bearer abc", "x-tenant": "a=b" },
    });
  });

  const secret = "s3cr3t";
  it.each([
    [{ [ENDPOINT]: `grpc://${secret}` }, "OTEL_EXPORTER_OTLP_ENDPOINT: write the base URL"],
    [{ [ENDPOINT]: `collector:4317/${secret}` }, "OTEL_EXPORTER_OTLP_ENDPOINT: write the base URL"],
    [{ [ENDPOINT]: `https://u:${secret}@c` }, "OTEL_EXPORTER_OTLP_ENDPOINT: it holds a user or password"],
    [{ [ENDPOINT]: `https://c/?key=${secret}` }, "OTEL_EXPORTER_OTLP_ENDPOINT: write the base URL"],
    [
      { [ENDPOINT]: "http://collector:4318", OTEL_EXPORTER_OTLP_HEADERS: `a=${secret}` },
      "OTEL_EXPORTER_OTLP_ENDPOINT: headers are sent by https only",
    ],
    [{ ...HERE, OTEL_EXPORTER_OTLP_HEADERS: secret }, "OTEL_EXPORTER_OTLP_HEADERS: write NAME=VALUE"],
    [{ ...HERE, OTEL_EXPORTER_OTLP_HEADERS: `a=${secret}%0a` }, "OTEL_EXPORTER_OTLP_HEADERS: write"],
    [{ ...HERE, OTEL_EXPORTER_OTLP_HEADERS: `a=${secret}%zz` }, "OTEL_EXPORTER_OTLP_HEADERS: write"],
    [{ ...HERE, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }, "OTEL_EXPORTER_OTLP_PROTOCOL: spans are sent as"],
    [{ ...HERE, OTEL_TRACES_SAMPLER: "xray" }, "OTEL_TRACES_SAMPLER: write always_on"],
    [{ ...HERE, OTEL_TRACES_SAMPLER_ARG: "2" }, "OTEL_TRACES_SAMPLER_ARG: write a number"],
    [{ ...HERE, OTEL_TRACES_SAMPLER_ARG: "1%" }, "OTEL_TRACES_SAMPLER_ARG: write a number"],
    [{ ...HERE, OTEL_EXPORTER_OTLP_CERTIFICATE: "/nowhere/ca.crt" }, "/nowhere/ca.crt: the file is missing"],
  ])("are refused by name, without a secret in them: case %#", (variables, problem) => {
    const open = () => traceSettings(variables);
    expect(open).toThrow(problem);
    expect(open).not.toThrow(secret);
  });
});
