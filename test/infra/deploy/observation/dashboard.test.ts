import { describe, expect, it } from "vitest";
import { ALERTS } from "../../../../infra/deploy/observation/alerts.ts";
import { ROWS } from "../../../../infra/deploy/observation/dashboard.ts";
import { writeYaml } from "../../../../infra/platform/yaml/write-yaml.ts";
import { METRICS } from "../../../../infra/worker/telemetry/metric-specs.ts";
import { promtool, promtoolMissing } from "../../../support/promtool.ts";
import { describeWith } from "../../../support/requires.ts";

const QUERIES = ROWS.flatMap(({ panels }) => panels.flatMap(({ queries }) => queries.map(([expr]) => expr)));

/** Names of metrics in a query: words with a prefix of ours, without the suffix of a histogram. */
function metricsIn(expr: string): readonly string[] {
  const names = expr.match(/\b(?:capstan|workqueue|controller_runtime|rest_client|process)_\w+/g) ?? [];
  return names.map((name) => (name in METRICS ? name : name.replace(/_(?:bucket|sum|count)$/, "")));
}

describe("the dashboard", () => {
  it("asks for metrics that exist, as alerts do", () => {
    const asked = [...QUERIES, ...Object.values(ALERTS).map(({ expr }) => expr)].flatMap(metricsIn);
    expect(asked.length).toBeGreaterThan(QUERIES.length);
    expect(asked.filter((name) => !(name in METRICS))).toEqual([]);
  });

  it("has graphs with different titles", () => {
    const titles = ROWS.flatMap(({ panels }) => panels.map(({ title }) => title));
    expect(new Set(titles).size).toBe(titles.length);
  });
});

describeWith(promtoolMissing())("queries of the dashboard", () => {
  it("are valid for Prometheus", () => {
    const rules = QUERIES.map((expr, at) => ({
      record: `query_${at}`,
      expr: expr.replaceAll("$__rate_interval", "5m"),
    }));
    const text = writeYaml({ groups: [{ name: "queries", rules }] });
    const { status, output } = promtool(["check", "rules", "queries.yaml"], { "queries.yaml": text });
    expect(output).toContain(`${QUERIES.length} rules found`);
    expect(status).toBe(0);
  });
});
