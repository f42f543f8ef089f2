import type { KubeObject } from "../../../../../shared/api/kinds.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";

/** Annotations by which a test makes a simulated control plane misbehave. */
const FAULT = {
  /** Seconds from its creation until it reports that it is initialized. */
  initializedAfter: "fault.sim.capstan.dev/initialized-after-seconds",
  /** It reports that it is not initialized, whatever it has reported before. */
  uninitialized: "fault.sim.capstan.dev/uninitialized",
  failureReason: "fault.sim.capstan.dev/failure-reason",
  failureMessage: "fault.sim.capstan.dev/failure-message",
  /** Its API server breaks every connection. */
  unreachable: "fault.sim.capstan.dev/unreachable",
  /** The kubeconfig Secret is spoilt once; it is recreated when a user deletes it. */
  corruptKubeconfig: "fault.sim.capstan.dev/corrupt-kubeconfig",
  /** Its condition Available has a status that no contract knows. */
  invalidAvailable: "fault.sim.capstan.dev/invalid-available",
} as const;

/** The fields of a control plane that `faultsOf` reads. */
export const FAULT_FIELDS = [
  "metadata.creationTimestamp",
  `metadata.annotations[${FAULT.initializedAfter}]`,
  `metadata.annotations[${FAULT.uninitialized}]`,
  `metadata.annotations[${FAULT.failureReason}]`,
  `metadata.annotations[${FAULT.failureMessage}]`,
  `metadata.annotations[${FAULT.unreachable}]`,
  `metadata.annotations[${FAULT.corruptKubeconfig}]`,
  `metadata.annotations[${FAULT.invalidAvailable}]`,
] as const;

export interface Faults {
  /** The time until it may report that it is initialized, ms; 0: now. */
  readonly initializedInMs: number;
  readonly uninitialized: boolean;
  readonly failureReason: string | undefined;
  readonly failureMessage: string | undefined;
  readonly unreachable: boolean;
  readonly corruptKubeconfig: boolean;
  readonly invalidAvailable: boolean;
}

/** Reads the faults that are switched on; a delay that is not a number counts as none. */
export function faultsOf({ metadata }: KubeObject, now: Date): Faults {
  const { annotations = {}, creationTimestamp = "" } = metadata;
  const isOn = (name: string) => Object.hasOwn(annotations, name);
  const { [FAULT.initializedAfter]: delaySeconds = "0" } = annotations;
  const until = Date.parse(creationTimestamp) + Number(delaySeconds) * SECOND;
  return {
    initializedInMs: Number.isNaN(until) ? 0 : Math.max(0, until - now.getTime()),
    uninitialized: isOn(FAULT.uninitialized),
    failureReason: annotations[FAULT.failureReason],
    failureMessage: annotations[FAULT.failureMessage],
    unreachable: isOn(FAULT.unreachable),
    corruptKubeconfig: isOn(FAULT.corruptKubeconfig),
    invalidAvailable: isOn(FAULT.invalidAvailable),
  };
}
