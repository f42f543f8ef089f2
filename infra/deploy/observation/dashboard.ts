/** A graph with its queries; each draws a line per value of its labels. */
interface Panel {
  readonly title: string;
  /** Unit of Grafana: `s`, `ops`, `short`. */
  readonly unit: string;
  /** Query and the name of its lines. */
  readonly queries: readonly (readonly [expr: string, legend: string])[];
}

interface Row {
  readonly title: string;
  readonly panels: readonly Panel[];
}

/** Picks the processes of Capstan among those whose metrics have the same names. */
const OURS = "* on (job, instance) group_left () capstan_build_info";
const quantile = (of: string, by: string, metric: string) =>
  `histogram_quantile(${of}, sum by (${by}, le) (rate(${metric}_bucket[$__rate_interval]) ${OURS}))`;

/** The dashboard, from what users notice to the processes. */
export const ROWS: readonly Row[] = [
  {
    title: "Is work done in time?",
    panels: [
      {
        title: "Longest wait for a run",
        unit: "s",
        queries: [
          ["max by (function, class) (capstan_queue_oldest_ready_seconds)", "{{function}} {{class}}"],
        ],
      },
      {
        title: "Wait for a run, 99th percentile",
        unit: "s",
        queries: [[quantile("0.99", "name", "workqueue_queue_duration_seconds"), "{{name}}"]],
      },
      {
        title: "Ready keys",
        unit: "short",
        queries: [[`max by (name, priority) (workqueue_depth ${OURS})`, "{{name}} {{priority}}"]],
      },
      {
        title: "Dead keys",
        unit: "short",
        queries: [["max by (function) (capstan_queue_dead_keys)", "{{function}}"]],
      },
    ],
  },
  {
    title: "Workers",
    panels: [
      {
        title: "Wanted and running workers",
        unit: "short",
        queries: [
          ["max by (group) (capstan_scale_workers)", "{{group}} wanted"],
          [
            `count by (controller) (controller_runtime_max_concurrent_reconciles ${OURS})`,
            "{{controller}} running",
          ],
        ],
      },
      {
        title: "Runs",
        unit: "ops",
        queries: [
          [
            `sum by (controller, result) (rate(controller_runtime_reconcile_total[$__rate_interval]) ${OURS})`,
            "{{controller}} {{result}}",
          ],
        ],
      },
      {
        title: "Duration of runs, 99th percentile",
        unit: "s",
        queries: [
          [quantile("0.99", "controller", "controller_runtime_reconcile_time_seconds"), "{{controller}}"],
        ],
      },
      {
        title: "Runs in progress",
        unit: "short",
        queries: [[`sum by (controller) (controller_runtime_active_workers ${OURS})`, "{{controller}}"]],
      },
      {
        title: "Paused functions and open breakers",
        unit: "short",
        queries: [
          ["max by (function) (capstan_queue_paused)", "{{function}} paused"],
          ["max by (function) (capstan_queue_breaker_open)", "{{function}} breaker"],
        ],
      },
    ],
  },
  {
    title: "API servers",
    panels: [
      {
        title: "Requests",
        unit: "ops",
        queries: [
          [
            `sum by (host, method, code) (rate(rest_client_requests_total[$__rate_interval]) ${OURS})`,
            "{{host}} {{method}} {{code}}",
          ],
        ],
      },
      {
        title: "Duration of requests, 99th percentile",
        unit: "s",
        queries: [
          [quantile("0.99", "host, verb", "rest_client_request_duration_seconds"), "{{host}} {{verb}}"],
        ],
      },
      {
        title: "Events of watches",
        unit: "ops",
        queries: [
          [
            "sum by (server, resource) (rate(capstan_relay_events_total[$__rate_interval]))",
            "{{server}} {{resource}}",
          ],
        ],
      },
      {
        title: "Workload clusters",
        unit: "short",
        queries: [["sum by (state) (capstan_relay_connections)", "{{state}}"]],
      },
      {
        title: "Silence of watches",
        unit: "s",
        queries: [["max by (server, resource) (capstan_relay_silent_seconds)", "{{server}} {{resource}}"]],
      },
    ],
  },
  {
    title: "Queue and processes",
    panels: [
      {
        title: "Leases that ran out, fenced runs, tokens sent again",
        unit: "ops",
        queries: [
          ["sum(rate(capstan_queue_lease_expired_total[$__rate_interval]))", "leases"],
          ["sum(rate(capstan_queue_fenced_total[$__rate_interval]))", "fenced"],
          ["sum(rate(capstan_queue_resent_tokens_total[$__rate_interval]))", "tokens"],
        ],
      },
      {
        title: "Queue reachable and healthy",
        unit: "short",
        queries: [
          ["min(capstan_queue_reachable)", "reachable"],
          ["min(capstan_queue_healthy)", "healthy"],
        ],
      },
      {
        title: "CPU, in cores",
        unit: "short",
        queries: [[`rate(process_cpu_seconds_total[$__rate_interval]) ${OURS}`, "{{instance}}"]],
      },
      {
        title: "Resident memory",
        unit: "bytes",
        queries: [[`process_resident_memory_bytes ${OURS}`, "{{instance}}"]],
      },
      {
        title: "Open files and connections",
        unit: "short",
        queries: [[`process_open_fds ${OURS}`, "{{instance}}"]],
      },
      {
        title: "Versions",
        unit: "short",
        queries: [
          ["count by (version, nodeversion) (capstan_build_info)", "{{version}}, Node.js {{nodeversion}}"],
        ],
      },
    ],
  },
];

const WIDTH = 24;
const PANEL = { w: 8, h: 8 };
const DATASOURCE = { type: "prometheus", uid: "${datasource}" };

/** Returns the dashboard as Grafana 9 and later import it. */
export function dashboard(): object {
  return {
    uid: "capstan",
    title: "Capstan",
    tags: ["capstan", "cluster-api"],
    timezone: "browser",
    schemaVersion: 37,
    refresh: "30s",
    time: { from: "now-1h", to: "now" },
    templating: { list: [{ name: "datasource", type: "datasource", query: "prometheus" }] },
    panels: placed(),
  };
}

/** Returns three graphs beside each other, each row of them below its title. */
function placed(): readonly object[] {
  const panels: object[] = [];
  let y = 0;
  for (const { title, panels: graphs } of ROWS) {
    panels.push({ id: panels.length + 1, type: "row", title, gridPos: { x: 0, y, w: WIDTH, h: 1 } });
    y += 1;
    for (const [at, panel] of graphs.entries()) {
      const x = (at * PANEL.w) % WIDTH;
      panels.push(
        graph(panels.length + 1, panel, { ...PANEL, x, y: y + Math.floor((at * PANEL.w) / WIDTH) * PANEL.h }),
      );
    }
    y += Math.ceil((graphs.length * PANEL.w) / WIDTH) * PANEL.h;
  }
  return panels;
}

function graph(id: number, { title, unit, queries }: Panel, gridPos: object): object {
  return {
    id,
    type: "timeseries",
    title,
    gridPos,
    datasource: DATASOURCE,
    fieldConfig: { defaults: { unit, min: 0 } },
    options: { legend: { displayMode: "list", placement: "bottom" }, tooltip: { mode: "multi" } },
    targets: queries.map(([expr, legendFormat], at) => ({
      refId: String.fromCharCode("A".charCodeAt(0) + at),
      datasource: DATASOURCE,
      expr,
      legendFormat,
    })),
  };
}
