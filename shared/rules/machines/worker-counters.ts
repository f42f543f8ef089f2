/** The counters of workers by which a rollout is planned. */
export const ROLLOUT_COUNTERS = [
  "status.replicas",
  "status.availableReplicas",
  "status.upToDateReplicas",
] as const;
/** All counters of workers that an owner of them sums up. */
export const WORKER_COUNTERS = [...ROLLOUT_COUNTERS, "status.readyReplicas", "status.versions"] as const;
