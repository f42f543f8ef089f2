import type { Clock } from "../../../shared/runtime/ports.ts";
import { labelCloser, type Metrics } from "./metrics.ts";

/** Values that one line may hold of a metric. */
const MAX_VALUES = 100;
const NAMESPACE = "capstan";

/** Counts and durations since the last text, of one metric with its labels. */
interface Measured {
  readonly name: string;
  readonly labels: { readonly [label: string]: string };
  readonly unit: "Count" | "Seconds";
  values: number[];
}

/**
 * Returns metrics for a log: `text` gives what has happened since it was last called, one JSON line per set of labels
 * in CloudWatch's embedded metric format, under the names of `/metrics`. Counters are increases and histograms their
 * values. Gauges are left out: they describe the whole queue, and a relay serves them. Source:
 * https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html
 */
export function createEmbeddedMetrics(functions: readonly string[], clock: Clock): Metrics {
  const measured = new Map<string, Measured>();
  const closed = labelCloser(functions);
  const of = (name: string, given: Measured["labels"], unit: Measured["unit"]): Measured => {
    const labels = closed(given);
    const id = `${name} ${JSON.stringify(labels)}`;
    const known = measured.get(id) ?? { name, labels, unit, values: [] };
    measured.set(id, known);
    return known;
  };
  return {
    add(name, labels, by = 1) {
      if (by === 0) return;
      const counter = of(name, labels, "Count");
      counter.values = [(counter.values[0] ?? 0) + by];
    },
    observe: (name, labels, seconds) => void of(name, labels, "Seconds").values.push(seconds),
    set: () => undefined,
    clear: () => undefined,
    onScrape: () => undefined,
    async text() {
      const byLabels = Map.groupBy(measured.values(), ({ labels }) => JSON.stringify(labels));
      measured.clear();
      const timestamp = clock.now().getTime();
      return [...byLabels.values()].flatMap((same) => linesOf(same, timestamp)).join("");
    },
    contentType: "application/x-ndjson",
  };
}

function linesOf(metrics: readonly Measured[], timestamp: number): readonly string[] {
  const longest = Math.max(...metrics.map(({ values }) => values.length));
  const lines = Math.ceil(longest / MAX_VALUES);
  return Array.from({ length: lines }, (_, line) => {
    const parts = metrics
      .map(({ values, ...rest }) => ({
        ...rest,
        values: values.slice(line * MAX_VALUES, (line + 1) * MAX_VALUES),
      }))
      .filter(({ values }) => values.length > 0);
    return `${JSON.stringify(embedded(parts, timestamp))}\n`;
  });
}

function embedded(metrics: readonly Measured[], Timestamp: number): object {
  const labels = metrics[0]?.labels ?? {};
  const Metrics = metrics.map(({ name, unit }) => ({ Name: name, Unit: unit }));
  return {
    _aws: {
      Timestamp,
      CloudWatchMetrics: [{ Namespace: NAMESPACE, Dimensions: [Object.keys(labels)], Metrics }],
    },
    ...labels,
    ...Object.fromEntries(
      metrics.map(({ name, values }) => [name, values.length === 1 ? values[0] : values]),
    ),
  };
}
