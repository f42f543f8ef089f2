import { describe, expect, it } from "vitest";
import { ALERTS, alertGroups } from "../../../../infra/deploy/observation/alerts.ts";
import { writeYaml } from "../../../../infra/platform/yaml/write-yaml.ts";
import { promtool, promtoolMissing } from "../../../support/promtool.ts";
import { describeWith } from "../../../support/requires.ts";

type Name = keyof typeof ALERTS;
/** Values of a series, one per minute, as promtool writes them: `0+3x120` begins at 0 and grows by 3. */
type Series = Readonly<Record<string, string>>;

const always = (value: number) => `${value}x120`;
const grows = (perMinute: number) => `0+${perMinute}x120`;
const KEY = 'function="f"';
const RUNS = "controller_runtime_reconcile_total";
const REQUESTS = "rest_client_requests_total";
const GET = 'method="GET",host="management"';

/** Per alert the case in which it fires, and a neighbouring one in which it is silent. */
const CASES: Readonly<Record<Name, readonly [fires: Series, silent: Series]>> = {
  CapstanNoRelay: [{ "capstan_relay_ready{}": always(0) }, { "capstan_relay_ready{}": always(1) }],
  CapstanQueueUnreachable: [
    { "capstan_queue_reachable{}": always(0) },
    { "capstan_queue_reachable{}": always(1) },
  ],
  CapstanQueueUnhealthy: [{ "capstan_queue_healthy{}": always(0) }, { "capstan_queue_healthy{}": always(1) }],
  CapstanRelaySilent: [
    { 'capstan_relay_silent_seconds{server="management",resource="provider"}': always(181) },
    { 'capstan_relay_silent_seconds{server="management",resource="provider"}': always(180) },
  ],
  CapstanKeysLate: [
    { [`capstan_queue_oldest_ready_seconds{${KEY},class="live"}`]: always(31) },
    { [`capstan_queue_oldest_ready_seconds{${KEY},class="resync"}`]: always(200) },
  ],
  CapstanWorkersAtLimit: [
    { 'capstan_scale_workers{group="core"}': always(20.1) },
    { 'capstan_scale_workers{group="core"}': always(20) },
  ],
  CapstanKeysDead: [
    { [`capstan_queue_dead_keys{${KEY}}`]: always(1) },
    { [`capstan_queue_dead_keys{${KEY}}`]: always(0) },
  ],
  CapstanDeletionsHeldBack: [
    { [`capstan_deletions_held_back_total{${KEY}}`]: grows(1) },
    { [`capstan_deletions_held_back_total{${KEY}}`]: always(7) },
  ],
  CapstanRolloutsStandStill: [
    { "capstan_rollouts_standing_still{}": always(1) },
    { "capstan_rollouts_standing_still{}": always(0) },
  ],
  CapstanBreakerOpen: [
    { [`capstan_queue_breaker_open{${KEY}}`]: always(1) },
    { [`capstan_queue_breaker_open{${KEY}}`]: always(0) },
  ],
  CapstanRunsFail: [
    {
      'controller_runtime_reconcile_errors_total{controller="f"}': grows(30),
      [`${RUNS}{controller="f",result="success"}`]: grows(70),
      [`${RUNS}{controller="f",result="error"}`]: grows(30),
    },
    {
      'controller_runtime_reconcile_errors_total{controller="f"}': grows(10),
      [`${RUNS}{controller="f",result="success"}`]: grows(90),
      [`${RUNS}{controller="f",result="error"}`]: grows(10),
    },
  ],
  CapstanDefect: [
    { 'controller_runtime_reconcile_panics_total{controller="f"}': grows(1) },
    { 'controller_runtime_reconcile_panics_total{controller="f"}': always(3) },
  ],
  CapstanStrayError: [
    { [`capstan_worker_stray_errors_total{${KEY}}`]: grows(1) },
    { [`capstan_worker_stray_errors_total{${KEY}}`]: always(3) },
  ],
  CapstanTickLate: [
    { [`capstan_queue_tick_lag_seconds{${KEY}}`]: always(2.1) },
    { [`capstan_queue_tick_lag_seconds{${KEY}}`]: always(1) },
  ],
  CapstanRunsFenced: [
    { [`capstan_queue_fenced_total{${KEY}}`]: grows(1) },
    { [`capstan_queue_fenced_total{${KEY}}`]: always(3) },
  ],
  CapstanTokensLost: [
    { [`capstan_queue_resent_tokens_total{${KEY}}`]: grows(2), 'workqueue_adds_total{name="f"}': grows(100) },
    { [`capstan_queue_resent_tokens_total{${KEY}}`]: grows(1), 'workqueue_adds_total{name="f"}': grows(200) },
  ],
  CapstanPaused: [
    { [`capstan_queue_paused{${KEY}}`]: always(1) },
    { [`capstan_queue_paused{${KEY}}`]: "0x80 1x40" },
  ],
  CapstanForbidden: [
    { [`${REQUESTS}{code="403",${GET}}`]: grows(1) },
    { [`${REQUESTS}{code="404",${GET}}`]: grows(1) },
  ],
  CapstanThrottled: [
    { [`${REQUESTS}{code="429",${GET}}`]: grows(61) },
    { [`${REQUESTS}{code="429",${GET}}`]: grows(59) },
  ],
  CapstanNoAnswer: [
    { [`${REQUESTS}{code="<error>",${GET}}`]: grows(20), [`${REQUESTS}{code="200",${GET}}`]: grows(100) },
    { [`${REQUESTS}{code="<error>",${GET}}`]: grows(10), [`${REQUESTS}{code="200",${GET}}`]: grows(100) },
  ],
  CapstanWorkloadsUnreachable: [
    {
      'capstan_relay_connections{state="unreachable"}': always(12),
      'capstan_relay_connections{state="connected"}': always(100),
    },
    {
      'capstan_relay_connections{state="unreachable"}': always(11),
      'capstan_relay_connections{state="connected"}': always(100),
    },
  ],
  CapstanSpansDropped: [
    { "capstan_trace_dropped_spans_total{}": grows(1) },
    { "capstan_trace_dropped_spans_total{}": always(952) },
  ],
  CapstanConversionsFail: [
    { 'capstan_webhook_reviews_total{resource="clusters.cluster.x-k8s.io",result="error"}': grows(1) },
    { 'capstan_webhook_reviews_total{resource="clusters.cluster.x-k8s.io",result="success"}': grows(1) },
  ],
  CapstanBusy: [{ "process_cpu_seconds_total{}": grows(55) }, { "process_cpu_seconds_total{}": grows(53) }],
  CapstanRestarts: [
    { "process_start_time_seconds{}": "1x100 2 3 4 5 5x15" },
    { "process_start_time_seconds{}": "1x100 2 3 4x17" },
  ],
  CapstanFilesShort: [
    { "process_open_fds{}": always(801), "process_max_fds{}": always(1_000) },
    { "process_open_fds{}": always(800), "process_max_fds{}": always(1_000) },
  ],
  // Time begins at 1970. The alert is looked at after 115 minutes, and has to last for an hour.
  CapstanCertificateEnds: [
    {
      'capstan_certificate_expiration_timestamp_seconds{certificate="queue"}': always(
        21 * 86_400 + 55 * 60 - 1,
      ),
    },
    {
      'capstan_certificate_expiration_timestamp_seconds{certificate="queue"}': always(21 * 86_400 + 115 * 60),
    },
  ],
};

/** The instance of every series, and a process of another program with the same names. */
const HEALTHY: Series = { "capstan_relay_ready{}": always(1), "capstan_build_info{}": always(1) };
const labelled = (series: Series, more: string): readonly object[] =>
  Object.entries(series).map(([name, values]) => ({
    series: name.replace("{", `{${more},`).replace(",}", "}"),
    values,
  }));

function unitTest(series: Series, firing: readonly string[]): object {
  return {
    interval: "1m",
    input_series: [
      ...labelled({ ...HEALTHY, ...series }, 'job="capstan",instance="a"'),
      ...labelled(withoutOurs(series), 'job="another",instance="b"'),
    ],
    promql_expr_test: [
      {
        expr: 'count by (alertname) (ALERTS{alertstate="firing"})',
        eval_time: "115m",
        exp_samples: firing.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
      },
    ],
  };
}

/** Other programs have metrics of these names, too. */
function withoutOurs(series: Series): Series {
  return Object.fromEntries(Object.entries(series).filter(([name]) => !name.startsWith("capstan_")));
}

describe("alerts", () => {
  it("have a summary and a line of the runbook each", () => {
    for (const [name, { summary, runbook }] of Object.entries(ALERTS)) {
      expect([name, summary.length > 20, runbook.length > 20]).toEqual([name, true, true]);
    }
  });
});

describeWith(promtoolMissing())("alerts in Prometheus", () => {
  const rules = writeYaml(alertGroups());

  it("are valid rules", () => {
    const { status, output } = promtool(["check", "rules", "rules.yaml"], { "rules.yaml": rules });
    expect(output).toContain(`${Object.keys(ALERTS).length} rules found`);
    expect(status).toBe(0);
  });

  it("each fires in its case alone, and is silent in a neighbouring one", () => {
    const tests = Object.entries(CASES).flatMap(([name, [fires, silent]]) => [
      unitTest(fires, [name]),
      unitTest(silent, []),
    ]);
    const text = writeYaml({ rule_files: ["rules.yaml"], evaluation_interval: "5m", tests });
    const files = { "rules.yaml": rules, "tests.yaml": text };
    const { status, output } = promtool(["test", "rules", "tests.yaml"], files);
    expect(output).not.toContain("FAILED");
    expect(status).toBe(0);
  });
});
