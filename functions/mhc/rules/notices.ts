import type { Notice } from "../../../shared/function/define-function.ts";
import type { HandOver } from "./hand-over.ts";

/** A server does not show what a hand-over is decided from; its words name verb and resource. Source: MHC-12.4 */
export function blocked(problem: string): Notice {
  return {
    type: "Warning",
    reason: "RemediationBlocked",
    message: `Remediation waits for an answer that a server does not give: ${problem}`,
  };
}

/** Machines that seem healthy hold the places; that the limit is exceeded is said by the status. Source: MHC-12.2 */
export function restrictedByPlaces(waits: HandOver["waits"]): readonly Notice[] {
  if (waits?.because !== "places") return [];
  return [{ type: "Warning", reason: "RemediationRestricted", message: waits.text }];
}
