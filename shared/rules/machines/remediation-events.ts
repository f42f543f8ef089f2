/** Reason of the Event of a hand-over, in the words of Cluster API. */
export const MARK_REASON = "MachineMarkedUnhealthy";
/** Reason of the Event of a Machine that was handed over and is healthy again. Once it is gone, nothing else says so. */
export const RECOVERY_REASON = "MachineRecovered";

/** The annotation on the Event of a hand-over: when and why the health check has failed. */
export const FAILED_AT_ANNOTATION = "capstan.dev/failed-at";
export const FAILURE_ANNOTATION = "capstan.dev/failure-reason";
