import type { Machine } from "../../../shared/api/machine/machine.ts";
import type { MachinePool } from "../../../shared/api/machinepool.ts";
import { failed, type Guard, type GuardedPatch } from "../../../shared/function/define-function.ts";
import { waitsForRemediation } from "../../../shared/rules/machines/machine-conditions.ts";
import {
  byUrgency,
  deferred,
  hasRecovered,
  isMarked,
  MACHINE_DELETING,
  markPatch,
  takeBackPatch,
} from "../../../shared/rules/machines/remediation.ts";

/** The annotation on a MachinePool: `2` or `20%` of its replicas, rounded up; `0` remediates none. Default: one. */
export const REMEDIATION_LIMIT = "capstan.dev/remediation-max-in-flight";
const DEFAULT_LIMIT = 1;

const LIMIT = /^(\d{1,9})(%?)$/;

/** Returns how many Machines of the pool may be remediated at a time; `undefined`: its annotation is malformed. */
export function remediationLimit({ metadata, spec }: MachinePool): number | undefined {
  const text = metadata.annotations?.[REMEDIATION_LIMIT];
  if (text === undefined) return DEFAULT_LIMIT;
  const [, digits, percent] = LIMIT.exec(text) ?? [];
  if (digits === undefined) return undefined;
  return percent === "%" ? Math.ceil((Number(digits) * (spec.replicas ?? 1)) / 100) : Number(digits);
}

/** The limit can be read. */
export const limited: Guard<MachinePool> = {
  fields: [`metadata.annotations[${REMEDIATION_LIMIT}]`],
  refuses(pool) {
    const message = `annotation ${REMEDIATION_LIMIT} is neither a count nor a percentage; set it to 1 or 20%`;
    return remediationLimit(pool) === undefined ? failed("InvalidSpec", message) : undefined;
  },
};

/** Actions for the Machines that health checks have handed to the pool. */
export interface Remediation {
  readonly marks: readonly GuardedPatch[];
  /** Marked in an earlier run, so that a crash between mark and deletion leaves them countable. */
  readonly toDelete: readonly Machine[];
}

/**
 * `machines` are the pool's own, read live. First a Machine that has recovered gets rid of the hand-over;
 * then as many
 * as the limit allows are marked `MachineDeleting`, the others deferred; what is marked is deleted.
 */
export function poolRemediation(machines: readonly Machine[], limit: number, now: Date): Remediation {
  const alive = machines.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const waiting = alive.filter(waitsForRemediation);
  const inFlight = machines.filter(isMarked).length;
  const candidates = waiting.filter((machine) => !isMarked(machine)).toSorted(byUrgency);
  const room = Math.max(0, limit - inFlight);
  const why = `annotation ${REMEDIATION_LIMIT} of the MachinePool allows ${limit}`;
  const wait = deferred(`Waiting because there are already too many remediations in progress (${why})`);
  return {
    marks: [
      ...alive.filter(hasRecovered).flatMap(takeBackPatch),
      ...candidates.slice(0, room).flatMap((machine) => markPatch(machine, MACHINE_DELETING, now)),
      ...candidates.slice(room).flatMap((machine) => markPatch(machine, wait, now)),
    ],
    toDelete: waiting.filter(isMarked),
  };
}
