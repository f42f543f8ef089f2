import type { LABEL_VALUES } from "./metric-labels.ts";

/** One metric of the text that `/metrics` gives. */
export interface MetricSpec {
  readonly type: "counter" | "gauge" | "histogram";
  readonly labels: readonly LabelName[];
  readonly help: string;
  /** Upper bounds in seconds. */
  readonly buckets?: readonly number[];
}

/** The values of a label are a closed set (S-44): `createMetrics` turns every other value into `other`. */
type LabelName = "name" | "controller" | "function" | keyof typeof LABEL_VALUES;

/** The buckets of client-go: 10 ns to 1,000 s. */
const QUEUE_BUCKETS = Array.from({ length: 12 }, (_, power) => Number(`1e${power - 8}`));
/** The buckets of controller-runtime. */
const RECONCILE_BUCKETS = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5,
  1.75, 2, 2.5, 3, 3.5, 4, 4.5, 5, 6, 7, 8, 9, 10, 15, 20, 25, 30, 40, 50, 60,
];
const REVIEW_BUCKETS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** The buckets of client-go. */
const REQUEST_BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60];

const NAME = ["name", "controller"] as const;
const LOOP = ["server", "resource"] as const;

/**
 * All metrics. Names, labels and buckets of `workqueue_` and `controller_runtime_` are those of
 * controller-runtime, so that its dashboards work; both `name` and `controller` are the function.
 * Gauges of keys show the whole queue and are the same in every process: take their maximum, not their sum.
 */
export const METRICS = {
  workqueue_depth: {
    type: "gauge",
    labels: [...NAME, "priority"],
    help: "Keys that are ready to run, in the whole queue.",
  },
  workqueue_adds_total: {
    type: "counter",
    labels: NAME,
    help: "Keys that this process has enqueued, those that merged with a waiting one included.",
  },
  workqueue_queue_duration_seconds: {
    type: "histogram",
    labels: NAME,
    buckets: QUEUE_BUCKETS,
    help: "How long keys were ready before a worker took them.",
  },
  workqueue_work_duration_seconds: {
    type: "histogram",
    labels: NAME,
    buckets: QUEUE_BUCKETS,
    help: "How long runs take.",
  },
  workqueue_unfinished_work_seconds: {
    type: "gauge",
    labels: NAME,
    help: "Sum of the ages of the runs in progress. Large values mean stuck runs.",
  },
  workqueue_longest_running_processor_seconds: {
    type: "gauge",
    labels: NAME,
    help: "Age of the oldest run in progress.",
  },
  workqueue_retries_total: {
    type: "counter",
    labels: NAME,
    help: "Runs after which the queue tries again by itself.",
  },
  controller_runtime_reconcile_total: {
    type: "counter",
    labels: ["controller", "result"],
    help: "Runs by result: success, error, requeue (the snapshot was behind), requeue_after.",
  },
  controller_runtime_reconcile_errors_total: {
    type: "counter",
    labels: ["controller"],
    help: "Runs that failed.",
  },
  controller_runtime_terminal_reconcile_errors_total: {
    type: "counter",
    labels: ["controller"],
    help: "Runs that failed for good: only a change of the object helps.",
  },
  controller_runtime_reconcile_panics_total: {
    type: "counter",
    labels: ["controller"],
    help: "Runs that ended in a defect of the code: a TypeError, a broken declaration.",
  },
  controller_runtime_reconcile_time_seconds: {
    type: "histogram",
    labels: ["controller"],
    buckets: RECONCILE_BUCKETS,
    help: "How long runs take.",
  },
  controller_runtime_max_concurrent_reconciles: {
    type: "gauge",
    labels: ["controller"],
    help: "Runs that this process has at the same time at most.",
  },
  controller_runtime_active_workers: {
    type: "gauge",
    labels: ["controller"],
    help: "Runs in progress in this process.",
  },
  rest_client_requests_total: {
    type: "counter",
    labels: ["code", "method", "host"],
    help: "Requests to API servers by status, <error> without an answer. The host is management or workload.",
  },
  rest_client_request_duration_seconds: {
    type: "histogram",
    labels: ["verb", "host"],
    buckets: REQUEST_BUCKETS,
    help: "How long requests to API servers take, without watches.",
  },
  process_cpu_seconds_total: {
    type: "counter",
    labels: [],
    help: "CPU time of this process, user and system.",
  },
  process_start_time_seconds: {
    type: "gauge",
    labels: [],
    help: "When this process started, in seconds since 1970.",
  },
  process_resident_memory_bytes: { type: "gauge", labels: [], help: "Resident memory of this process." },
  process_virtual_memory_bytes: { type: "gauge", labels: [], help: "Virtual memory of this process." },
  process_open_fds: { type: "gauge", labels: [], help: "Open files and connections of this process." },
  process_max_fds: { type: "gauge", labels: [], help: "Files and connections that this process may open." },
  capstan_build_info: {
    type: "gauge",
    labels: ["version", "nodeversion"],
    help: "1; its labels are the versions of Capstan and of Node.js.",
  },
  capstan_certificate_expiration_timestamp_seconds: {
    type: "gauge",
    labels: ["certificate"],
    help: "When the first certificate ends, in seconds since 1970: of the server of the queue and its authorities, of the diagnostics listener and those of its clients, or of the webhook.",
  },
  capstan_scale_workers: {
    type: "gauge",
    labels: ["group"],
    help: "Workers that the functions of a group want now, not rounded; /scale?group=NAME gives the same number.",
  },
  capstan_queue_waiting: {
    type: "gauge",
    labels: ["function"],
    help: "Keys that wait for their time, in the whole queue.",
  },
  capstan_queue_dead_keys: {
    type: "gauge",
    labels: ["function"],
    help: "Keys that are tried again every 10 to 15 minutes, or after a change or a replay, in the whole queue.",
  },
  capstan_queue_dead_evicted_keys: {
    type: "gauge",
    labels: ["function"],
    help: "Dead keys that the queue has forgotten because there were too many; a resync finds their objects again.",
  },
  capstan_queue_paused: {
    type: "gauge",
    labels: ["function"],
    help: "1 while the function is stopped by hand, with `capstan queue pause` or BullMQ's own `queue.pause()`, else 0.",
  },
  capstan_queue_breaker_open: {
    type: "gauge",
    labels: ["function"],
    help: "1 while claims are slowed down because most runs of the function fail, else 0.",
  },
  capstan_queue_oldest_ready_seconds: {
    type: "gauge",
    labels: ["function", "class"],
    help: "How long the longest ready key has been ready.",
  },
  capstan_queue_reachable: {
    type: "gauge",
    labels: [],
    help: "1 when the queue answered this scrape for every function, else 0.",
  },
  capstan_queue_healthy: {
    type: "gauge",
    labels: [],
    help: "1 while the queue takes keys and keeps them, else 0: unreachable, full, or allowed to evict data. /readyz says which.",
  },
  capstan_queue_refused_total: {
    type: "counter",
    labels: ["function"],
    help: "Calls in which the queue did not take the keys.",
  },
  capstan_queue_barrier_waits_total: {
    type: "counter",
    labels: ["function"],
    help: "Runs postponed because the read model was behind: after an own write, a lost race, before a first list.",
  },
  capstan_queue_dead_total: {
    type: "counter",
    labels: ["function", "reason"],
    help: "Keys that died: no attempts left, failed for good, no worker survived them, or malformed.",
  },
  capstan_queue_coalesced_total: {
    type: "counter",
    labels: ["function"],
    help: "Events of this process that added no run: their key was waiting or ready, or had one pending.",
  },
  capstan_queue_revived_total: {
    type: "counter",
    labels: ["function", "class"],
    help: "Events that brought a dead key back, with all its attempts.",
  },
  capstan_queue_slow_attempts_total: {
    type: "counter",
    labels: ["function"],
    help: "Dead keys that were tried again in the slow lane, each every 10 to 15 minutes.",
  },
  capstan_queue_lease_expired_total: {
    type: "counter",
    labels: ["function"],
    help: "Leases that ran out: the worker was killed, hung or cut off from the queue.",
  },
  capstan_queue_fenced_total: {
    type: "counter",
    labels: ["function"],
    help: "Runs of this process that ended after they had lost their lease; the queue ignored them.",
  },
  capstan_queue_throttled_total: {
    type: "counter",
    labels: ["function"],
    help: "Keys that have to wait because their namespace has used up `--namespace-runs-per-second`.",
  },
  capstan_queue_stale_tokens_total: {
    type: "counter",
    labels: ["function"],
    help: "Tokens that this process received for keys that needed no run any more. Always 0 without tokens.",
  },
  capstan_queue_resent_tokens_total: {
    type: "counter",
    labels: ["function"],
    help: "Tokens that this process sent again because no worker had claimed their key. Always 0 without tokens.",
  },
  capstan_queue_tick_lag_seconds: {
    type: "gauge",
    labels: ["function"],
    help: "Time since the longest overdue key became due, or its lease ended: no process ticks, or too rarely.",
  },
  capstan_queue_resync_total: {
    type: "counter",
    labels: ["function", "cause"],
    help: "Complete resyncs by this relay: start, list (a kind came late or again), restored (the management server), period, loss (of queue data).",
  },
  capstan_worker_stray_errors_total: {
    type: "counter",
    labels: ["function"],
    help: "Errors thrown outside of every run: by a timer or a promise that a step has left behind, or of unknown origin (other).",
  },
  capstan_deletions_held_back_total: {
    type: "counter",
    labels: ["function"],
    help: "Writes that `--max-deletions-per-hour` has held back; each is tried again once a minute.",
  },
  capstan_rollouts_standing_still: {
    type: "gauge",
    labels: [],
    help: "MachineDeployments whose rollout has stood still for 10 minutes, and that no person holds, as of the last minute; absent while the read model is old. The same in every relay.",
  },
  capstan_relay_ready: {
    type: "gauge",
    labels: [],
    help: "1 once every watch of the relay has its first list, else 0. Not of relays that only share the workload clusters.",
  },
  capstan_relay_shards: {
    type: "gauge",
    labels: [],
    help: "Relays that share the workload clusters, as this one of them sees it.",
  },
  capstan_relay_loops: {
    type: "gauge",
    labels: [...LOOP, "state"],
    help: "Watch loops by state.",
  },
  capstan_relay_silent_seconds: {
    type: "gauge",
    labels: LOOP,
    help: "Time since the last byte of the loop that has been silent longest, on workload servers of the streaming one; lists count.",
  },
  capstan_relay_quiet_seconds: {
    type: "gauge",
    labels: LOOP,
    help: "Time since the last event of the streaming loop that has been without events longest.",
  },
  capstan_relay_lag_seconds: {
    type: "gauge",
    labels: LOOP,
    help: "Time from the last own write until its event was handled, of the slowest loop, in whole seconds.",
  },
  capstan_relay_pending_events: {
    type: "gauge",
    labels: LOOP,
    help: "Received events that wait for the read model or the queue; at 1,000 a loop stops reading.",
  },
  capstan_relay_lists_total: { type: "counter", labels: LOOP, help: "Complete lists." },
  capstan_relay_events_total: {
    type: "counter",
    labels: [...LOOP, "type"],
    help: "Watch events that were handled. Of waiting events of one object only the newest counts.",
  },
  capstan_relay_received_bytes_total: {
    type: "counter",
    labels: LOOP,
    help: "Bytes of watches, decompressed.",
  },
  capstan_relay_reconnects_total: {
    type: "counter",
    labels: [...LOOP, "cause"],
    help: "Watches that ended: closed by the server, or with the reason of the error (Expired is a 410).",
  },
  capstan_relay_undecodable_total: {
    type: "counter",
    labels: LOOP,
    help: "Lines of a watch that were damaged or too large.",
  },
  capstan_relay_connections: {
    type: "gauge",
    labels: ["state"],
    help: "Workload clusters by state of their connection.",
  },
  capstan_trace_dropped_spans_total: {
    type: "counter",
    labels: [],
    help: "Spans that the collector of traces did not get: it was away or slow, or has refused them. Absent where nothing is traced.",
  },
  capstan_webhook_reviews_total: {
    type: "counter",
    labels: ["resource", "result"],
    help: "Answered conversion reviews.",
  },
  capstan_webhook_review_seconds: {
    type: "histogram",
    labels: ["resource"],
    buckets: REVIEW_BUCKETS,
    help: "Their time.",
  },
  capstan_webhook_unknown_references_total: {
    type: "counter",
    labels: [],
    help: "References to kinds without a contract.",
  },
} as const satisfies { readonly [name: string]: MetricSpec };

/** Returns name with labels, type and meaning of each metric, for the list in README.md of this folder. */
export function metricRows(): readonly (readonly string[])[] {
  return Object.entries<MetricSpec>(METRICS).map(([name, { type, labels, help }]) => {
    const set = labels.length === 0 ? "" : `{${labels.join(",")}}`;
    return [`\`${name}${set}\``, type, help];
  });
}
