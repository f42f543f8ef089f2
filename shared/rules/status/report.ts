import type { Notice } from "../../function/define-function.ts";
import type { Result } from "../../function/result.ts";

/** Report of `status` about an object, all of it computed from one view. */
export interface StatusReport<Status> {
  /** Complete: what has no new value is carried on. */
  readonly status: Status;
  readonly events: readonly Notice[];
  /** Waits of the object, and the time when the clock alone changes the status. */
  readonly result: Result;
}
