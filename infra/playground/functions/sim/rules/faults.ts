import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { SimMachinePool } from "../../../api/sim-machinepool.ts";

/** Report of a simulated pool. */
export interface SimReport {
  readonly providerIDs: readonly string[];
  readonly replicas: number;
  readonly ready: boolean;
  readonly failureReason?: string | undefined;
  readonly failureMessage?: string | undefined;
  /** The time until the report changes by itself, ms. */
  readonly changesInMs?: number | undefined;
}

/** The truth, but for what `spec.faults` says instead. */
export function withFaults({ metadata, spec }: SimMachinePool, truth: SimReport, now: Date): SimReport {
  const { faults = {} } = spec;
  const readyUntil =
    faults.notReadyAfterSeconds === undefined
      ? Number.POSITIVE_INFINITY
      : Date.parse(metadata.creationTimestamp ?? "") + faults.notReadyAfterSeconds * SECOND;
  const remainingMs = readyUntil - now.getTime();
  return {
    providerIDs: faults.providerIDList ?? truth.providerIDs,
    replicas: faults.replicas ?? truth.replicas,
    ready: truth.ready && remainingMs > 0,
    failureReason: faults.failureReason,
    failureMessage: faults.failureMessage,
    changesInMs: remainingMs > 0 && Number.isFinite(remainingMs) ? remainingMs : undefined,
  };
}
