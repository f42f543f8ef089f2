import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { Notice } from "../../../shared/function/define-function.ts";
import { listNames } from "../../../shared/rules/conditions/list-names.ts";
import type { Permission } from "./binding.ts";
import { type HandOver, HOLD } from "./hand-over.ts";
import { lastFailure } from "./health.ts";
import { identityOf } from "./machine-writes.ts";

const MAX_NAMES = 3;

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

/** Says what lets Machines wait, and why, once for each reason and failure. */
export function refusalNotices(refused: Permission["refused"]): readonly Notice[] {
  const byReason = Map.groupBy(refused, ({ by, text }) => `${by}: ${text}`);
  return [...byReason].map(([why, those]): Notice => {
    const names = listNames(
      those.map(({ machine }) => machine.metadata.name),
      MAX_NAMES,
    );
    return {
      type: "Warning",
      reason: "RemediationBlocked",
      message: `Remediation of ${names} waits for ${why}`,
      ...lastFailure(those.map(({ machine }) => machine)),
    };
  });
}

/** Returns when time alone changes what is refused, in ms since 1970. */
export function refusedUntilMs(refused: Permission["refused"]): number | undefined {
  const times = refused.flatMap(({ untilMs }) => untilMs ?? []);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Says on each Machine that a person or a program keeps it from being remediated, once for each failure. */
export function heldNotices({ metadata }: MachineHealthCheck, held: readonly Machine[]): readonly Notice[] {
  const by = `${metadata.namespace ?? ""}/${metadata.name}`;
  return held.map((machine) => ({
    type: "Warning",
    reason: "RemediationBlocked",
    message: `Remediation by ${by} waits until annotation ${HOLD} is removed`,
    about: identityOf(machine),
    ...lastFailure([machine]),
  }));
}
