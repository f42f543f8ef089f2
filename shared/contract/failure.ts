/** Where every provider object reports a terminal failure, whatever its contract and version. */
export const FAILURE = {
  failureReason: "status.failureReason",
  failureMessage: "status.failureMessage",
} as const;
