import type { Counter, Gauge, Histogram } from "prom-client";
import { LABEL_VALUES } from "./metric-labels.ts";
import { METRICS, type MetricSpec } from "./metric-specs.ts";

type Specs = typeof METRICS;
type NameOf<Type extends MetricSpec["type"]> = {
  [Name in keyof Specs]: Specs[Name]["type"] extends Type ? Name : never;
}[keyof Specs];
type CounterName = NameOf<"counter">;
type GaugeName = NameOf<"gauge">;
type HistogramName = NameOf<"histogram">;
/** Exactly the labels of a metric. */
export type LabelsOf<Name extends keyof Specs> = {
  readonly [Label in Specs[Name]["labels"][number]]: string;
};

/** The numbers of one process. Label values outside the closed sets are counted as `other` (S-44). */
export interface Metrics {
  add<Name extends CounterName>(name: Name, labels: LabelsOf<Name>, by?: number): void;
  set<Name extends GaugeName>(name: Name, labels: LabelsOf<Name>, value: number): void;
  /** Removes all values of a gauge: a value that is no longer known must not look like a fact. */
  clear(name: GaugeName): void;
  observe<Name extends HistogramName>(name: Name, labels: LabelsOf<Name>, seconds: number): void;
  /** `refresh` is called, and waited for, before each text. It must not throw. */
  onScrape(refresh: () => void | Promise<void>): void;
  /** Prometheus text format 0.0.4. Calls at the same time share one reading. */
  text(): Promise<string>;
  readonly contentType: string;
}

/** Loads prom-client. `functions` are the names that may appear in labels. */
export async function createMetrics(functions: readonly string[]): Promise<Metrics> {
  const prom = await import("prom-client");
  const registry = new prom.Registry();
  const counters = new Map<string, Counter>();
  const gauges = new Map<string, Gauge>();
  const histograms = new Map<string, Histogram>();
  for (const [name, { type, labels, help, buckets }] of Object.entries<MetricSpec>(METRICS)) {
    const common = { name, help, labelNames: labels, registers: [registry] };
    if (type === "counter") counters.set(name, new prom.Counter(common));
    else if (type === "histogram")
      histograms.set(name, new prom.Histogram({ ...common, buckets: [...(buckets ?? [])] }));
    else gauges.set(name, new prom.Gauge(common));
    // A metric without labels starts at 0, which would look like a fact.
    if (labels.length === 0) (counters.get(name) ?? gauges.get(name))?.remove();
  }
  const closed = labelCloser(functions);
  const refreshers: (() => void | Promise<void>)[] = [];
  const look = async (): Promise<string> => {
    await Promise.all(refreshers.map((refresh) => refresh()));
    return registry.metrics();
  };
  let looking: Promise<string> | undefined;
  return {
    add: (name, labels, by = 1) => counters.get(name)?.inc(closed(labels), by),
    set: (name, labels, value) => gauges.get(name)?.set(closed(labels), value),
    clear: (name) => {
      // Without labels a reset would show 0.
      if (METRICS[name].labels.length === 0) gauges.get(name)?.remove();
      else gauges.get(name)?.reset();
    },
    observe: (name, labels, seconds) => histograms.get(name)?.observe(closed(labels), seconds),
    onScrape: (refresh) => refreshers.push(refresh),
    text: () => {
      looking ??= look().finally(() => {
        looking = undefined;
      });
      return looking;
    },
    contentType: registry.contentType,
  };
}

type Labels = { readonly [label: string]: string };

/** Returns what turns label values outside the closed sets into `other` (S-44). */
export function labelCloser(functions: readonly string[]): (labels: Labels) => Labels {
  const names = new Set(functions);
  const known: { readonly [label: string]: ReadonlySet<string> } = {
    ...Object.fromEntries(Object.entries(LABEL_VALUES).map(([label, values]) => [label, new Set(values)])),
    name: names,
    controller: names,
    function: names,
  };
  const isKnown = ([label, value]: readonly [string, string]) => known[label]?.has(value) === true;
  return (labels) => {
    const entries = Object.entries(labels);
    // The usual case: every count passes here.
    if (entries.every(isKnown)) return labels;
    return Object.fromEntries(entries.map((entry) => [entry[0], isKnown(entry) ? entry[1] : "other"]));
  };
}

/** Shows when a certificate that this process depends on ends: of the server of the queue, or of a listener of its own. */
export function showCertificateEnd(
  metrics: Metrics,
  certificate: (typeof LABEL_VALUES.certificate)[number],
  endsAt: Date,
): void {
  metrics.set("capstan_certificate_expiration_timestamp_seconds", { certificate }, endsAt.getTime() / 1_000);
}
