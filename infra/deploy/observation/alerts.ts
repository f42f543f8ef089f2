/** An alert of Prometheus with its line of the runbook. */
interface Alert {
  readonly severity: "critical" | "warning" | "info";
  readonly expr: string;
  /** How long the expression must hold. */
  readonly for: string;
  /** Shows which one it is; `{{ $labels.function }}` and `{{ $value }}` are replaced. */
  readonly summary: string;
  /** The next step of the person who is on duty. */
  readonly runbook: string;
}

/** Picks the processes of Capstan among those whose metrics have the same names. */
const OURS = "* on (job, instance) group_left () capstan_build_info";

/** Every alert, by its name. Gauges of keys are the same in every process, so they are aggregated by `max`. */
export const ALERTS = {
  CapstanNoRelay: {
    severity: "critical",
    expr: "absent(capstan_relay_ready == 1)",
    for: "5m",
    summary: "No relay has its first lists: no change of the management cluster reaches a function",
    runbook:
      "Look at the relay's Pods, then at `/readyz` of one: it names what it waits for. Without any Pod nothing is lost: the next relay lists everything.",
  },
  CapstanQueueUnreachable: {
    severity: "critical",
    expr: "capstan_queue_reachable == 0",
    for: "2m",
    summary: "{{ $labels.instance }} does not reach the queue",
    runbook:
      "Look at Redis (Pod, network policy, password, certificate) and at `/readyz`, which says why. Events wait with their senders; after more than 5 s the relay resyncs by itself.",
  },
  CapstanQueueUnhealthy: {
    severity: "critical",
    expr: "capstan_queue_healthy == 0",
    for: "2m",
    summary: "The queue refuses keys, or may lose them, as {{ $labels.instance }} sees it",
    runbook:
      "`/readyz` names it: a full Redis needs more memory (`maxmemory`), and `maxmemory-policy` must be `noeviction`.",
  },
  CapstanRelaySilent: {
    severity: "warning",
    expr: "max by (server, resource) (capstan_relay_silent_seconds) > 180",
    for: "1m",
    summary:
      "A watch of {{ $labels.resource }} on a {{ $labels.server }} server has been silent for {{ $value }} s",
    runbook:
      "`/status` of the relay names the server. A watch is replaced after 90 s, so look at load and network of that API server.",
  },
  CapstanKeysLate: {
    severity: "warning",
    expr: 'max by (function) (capstan_queue_oldest_ready_seconds{class="live"}) > 30',
    for: "5m",
    summary: "Changes wait {{ $value }} s for a run of {{ $labels.function }}",
    runbook:
      "`capstan queue` shows the backlog and `capstan queue -o wide` whose it is. With fewer workers than `capstan_scale_workers` look at the autoscaler; otherwise runs are slow: look at request durations.",
  },
  CapstanWorkersAtLimit: {
    severity: "warning",
    expr: "max by (group) (capstan_scale_workers) > 20",
    for: "15m",
    summary: "Group {{ $labels.group }} wants {{ $value }} workers, more than the 20 that it may have",
    runbook:
      "Raise `maxReplicaCount` of its ScaledObject, if the API server and Redis have room, or find why runs take so long.",
  },
  CapstanKeysDead: {
    severity: "warning",
    expr: "max by (function) (capstan_queue_dead_keys) > 0",
    for: "5m",
    summary:
      "{{ $value }} keys of {{ $labels.function }} are dead: each is tried again every 10 to 15 minutes, and when its object changes",
    runbook:
      "`capstan dlq list` and `capstan dlq show` say why; repair the cause, then `capstan dlq replay`.",
  },
  CapstanDeletionsHeldBack: {
    severity: "critical",
    expr: "sum by (function) (increase(capstan_deletions_held_back_total[10m])) > 0",
    for: "0m",
    summary: "{{ $labels.function }} may delete nothing more in a Cluster within this hour",
    runbook:
      "`kubectl get events -A --field-selector reason=DeletionsHeldBack` names the Cluster. Find out why so much is to go (health checks, a workload server that lost its Nodes, an edit); then raise `--max-deletions-per-hour`, or wait.",
  },
  CapstanRolloutsStandStill: {
    severity: "warning",
    expr: "max(capstan_rollouts_standing_still) > 0",
    for: "1m",
    summary: "{{ $value }} rollouts of MachineDeployments have stood still for ten minutes",
    runbook:
      "`capstan problems` names them, `capstan explain machinedeployment` says in its first line why: mostly a new Machine does not become available. Going back is writing the former template; `capstan rollout plan` shows it first.",
  },
  CapstanBreakerOpen: {
    severity: "critical",
    expr: "max by (function) (capstan_queue_breaker_open) == 1",
    for: "5m",
    summary: "More than half of the runs of {{ $labels.function }} fail, so one key starts per second",
    runbook:
      "`capstan dlq list` and the log name the error. After a deployment: go back to the version before.",
  },
  CapstanRunsFail: {
    severity: "warning",
    expr: `sum by (controller) (rate(controller_runtime_reconcile_errors_total[10m]) ${OURS}) / sum by (controller) (rate(controller_runtime_reconcile_total[10m]) ${OURS}) > 0.2`,
    for: "15m",
    summary: "{{ $value | humanizePercentage }} of the runs of {{ $labels.controller }} fail",
    runbook:
      "The log has one line per failed run with its reason; `capstan explain` shows one object with its last error.",
  },
  CapstanDefect: {
    severity: "warning",
    expr: `sum by (controller) (increase(controller_runtime_reconcile_panics_total[15m]) ${OURS}) > 0`,
    for: "0m",
    summary: "Runs of {{ $labels.controller }} end in a defect of the code",
    runbook: "Report it with `capstan dlq show`; `capstan replay` runs the letter again, without a cluster.",
  },
  CapstanStrayError: {
    severity: "warning",
    expr: "sum by (function) (increase(capstan_worker_stray_errors_total[15m])) > 0",
    for: "0m",
    summary: "Code of {{ $labels.function }} has thrown outside of its run",
    runbook: "The log has the stack. Report it: a timer or a promise was left behind.",
  },
  CapstanTickLate: {
    severity: "warning",
    expr: "max by (function) (capstan_queue_tick_lag_seconds) > 2",
    for: "2m",
    summary: "Keys of {{ $labels.function }} that are due become ready {{ $value }} s late",
    runbook:
      "Every relay and worker ticks: either none serves this function, or Redis is slow (`redis-cli --latency`).",
  },
  CapstanRunsFenced: {
    severity: "warning",
    expr: "sum by (function) (increase(capstan_queue_fenced_total[10m])) > 0",
    for: "10m",
    summary: "Runs of {{ $labels.function }} end after they have lost their lease",
    runbook: "Workers stand still for more than 30 s: look at their CPU limit, memory and Node pressure.",
  },
  CapstanTokensLost: {
    severity: "warning",
    expr: `sum(rate(capstan_queue_resent_tokens_total[10m])) > 0.01 * sum(rate(workqueue_adds_total[10m]) ${OURS})`,
    for: "10m",
    summary: "More than 1 % of the tokens are sent again",
    runbook:
      "No worker serves a function that has keys (`capstan queue`), or the transport loses messages: look at Redis or SQS.",
  },
  CapstanPaused: {
    severity: "info",
    expr: "max by (function) (capstan_queue_paused) == 1",
    for: "1h",
    summary: "{{ $labels.function }} has been paused for an hour",
    runbook:
      "It was stopped by hand; events are kept. Resume it when the reason is gone: `capstan queue` says whether in Capstan or in BullMQ.",
  },
  CapstanForbidden: {
    severity: "warning",
    expr: `sum by (method, host) (increase(rest_client_requests_total{code="403"}[10m]) ${OURS}) > 0`,
    for: "10m",
    summary: "A {{ $labels.host }} API server refuses {{ $labels.method }} requests: a right is missing",
    runbook:
      "The Event on the object and the log name account, verb and resource. Apply the roles of this version again.",
  },
  CapstanThrottled: {
    severity: "warning",
    expr: `sum by (host) (rate(rest_client_requests_total{code="429"}[5m]) ${OURS}) > 1`,
    for: "10m",
    summary: "A {{ $labels.host }} API server asks to wait {{ $value }} times a second",
    runbook:
      "Lower `--kube-api-qps` (or `--workload-api-qps`), or give Capstan's accounts a priority level of their own.",
  },
  CapstanNoAnswer: {
    severity: "warning",
    expr: `sum by (host) (rate(rest_client_requests_total{code="<error>"}[5m]) ${OURS}) > 0.1 * sum by (host) (rate(rest_client_requests_total[5m]) ${OURS})`,
    for: "10m",
    summary: "More than a tenth of the requests to {{ $labels.host }} API servers get no answer",
    runbook:
      "For management: its API server or the network to it. For workload: `/status` of the relay names the clusters that are not reached.",
  },
  CapstanWorkloadsUnreachable: {
    severity: "warning",
    expr: 'sum(capstan_relay_connections{state="unreachable"}) > 0.1 * sum(capstan_relay_connections)',
    for: "15m",
    summary: "{{ $value }} workload clusters are not reached, more than a tenth of all",
    runbook:
      "One cluster is its owner's concern: condition RemoteConnectionProbe says why. Many at once are the network or the egress policy.",
  },
  CapstanSpansDropped: {
    severity: "info",
    expr: "sum by (instance) (increase(capstan_trace_dropped_spans_total[15m])) > 0",
    for: "10m",
    summary: "{{ $labels.instance }} drops spans: traces of this time have gaps",
    runbook:
      "The log says why: the collector is away, slow, or refuses spans. Runs do not wait for it. Mend the collector, or trace less with `OTEL_TRACES_SAMPLER_ARG`.",
  },
  CapstanConversionsFail: {
    severity: "warning",
    expr: 'sum by (resource) (rate(capstan_webhook_reviews_total{result="error"}[10m])) > 0',
    for: "10m",
    summary: "Conversions of {{ $labels.resource }} fail",
    runbook: "The 500 that clients get names object and field.",
  },
  CapstanBusy: {
    severity: "warning",
    expr: `rate(process_cpu_seconds_total[5m]) ${OURS} > 0.9`,
    for: "15m",
    summary: "{{ $labels.instance }} uses {{ $value }} of the one core that a process can use",
    runbook:
      "A worker: more of them (autoscaler). A relay: component `workload-relays`, or a Redis for each part of the fleet (`--namespace`, `--watch-filter`).",
  },
  CapstanRestarts: {
    severity: "warning",
    expr: `changes(process_start_time_seconds[1h]) ${OURS} > 3`,
    for: "0m",
    summary: "{{ $labels.instance }} has started {{ $value }} times within an hour",
    runbook:
      "`kubectl logs --previous` and the reason of the last state: OOMKilled needs a higher memory limit.",
  },
  CapstanFilesShort: {
    severity: "warning",
    expr: `process_open_fds ${OURS} > 0.8 * process_max_fds`,
    for: "5m",
    summary:
      "{{ $labels.instance }} has {{ $value }} files and connections open, more than 80 % of its limit",
    runbook:
      "Raise the limit of open files of the container runtime; each workload cluster takes a few connections.",
  },
  CapstanCertificateEnds: {
    severity: "warning",
    expr: "min by (certificate) (capstan_certificate_expiration_timestamp_seconds) - time() < 21 * 86400",
    for: "1h",
    summary: "The first certificate of the {{ $labels.certificate }} ends in {{ $value | humanizeDuration }}",
    runbook:
      "Renew all Secrets at once: `capstan secrets` piped into `kubectl apply --server-side -f -`, then restart Redis, as the chapter on it in `infra/deploy/kustomize/README.md` says. For a certificate of your own look at what renews it.",
  },
} as const satisfies { readonly [name: string]: Alert };

/** Rows of the runbook: alert, severity, what to do. */
export function runbookRows(): readonly (readonly string[])[] {
  return Object.entries<Alert>(ALERTS).map(([name, { severity, runbook }]) => [
    `\`${name}\``,
    severity,
    runbook,
  ]);
}

/** The groups of a Prometheus rule file; a PrometheusRule has the same in its spec. */
export function alertGroups(): object {
  const rules = Object.entries<Alert>(ALERTS).map(
    ([alert, { expr, severity, summary, runbook, ...rest }]) => ({
      alert,
      expr,
      for: rest.for,
      labels: { severity },
      annotations: { summary, runbook },
    }),
  );
  return { groups: [{ name: "capstan", rules }] };
}
