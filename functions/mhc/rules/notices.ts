import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import type { HandOver } from "./hand-over.ts";
import { lastFailure } from "./health.ts";

/** A server does not show what a hand-over is decided from; its words name verb and resource. */
export function blocked(problem: string): Notice {
  return {
    type: "Warning",
    reason: "RemediationBlocked",
    message: `Remediation waits for an answer that a server does not give: ${problem}`,
  };
}

/**
 * Machines that seem healthy hold the places, for those that have failed; that the limit is exceeded is said by the
 * status.
 */
export function restrictedByPlaces(waits: HandOver["waits"], targets: readonly Machine[]): readonly Notice[] {
  if (waits?.because !== "places") return [];
  const { text: message } = waits;
  return [{ type: "Warning", reason: "RemediationRestricted", message, ...lastFailure(targets) }];
}
