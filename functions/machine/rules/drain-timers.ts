import type { Machine } from "../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../shared/function/backoff.ts";

/** The two parts of emptying a Node: its Pods leave, then its volumes are detached. */
export type DrainPart = "drain" | "volumes";

/** The fields of a Machine that limit the parts, beside its annotations. */
export const TIMER_FIELDS = [
  "spec.deletion.nodeDrainTimeoutSeconds",
  "spec.deletion.nodeVolumeDetachTimeoutSeconds",
  "status.deletion.nodeDrainStartTime",
  "status.deletion.waitForNodeVolumeDetachStartTime",
] as const;

const EXCLUSIONS: { readonly [part in DrainPart]: string } = {
  drain: "machine.cluster.x-k8s.io/exclude-node-draining",
  volumes: "machine.cluster.x-k8s.io/exclude-wait-for-node-volume-detach",
};

/** Returns when a part began; undefined: it has not. */
export function startOf({ status }: Machine, part: DrainPart): string | undefined {
  const { nodeDrainStartTime, waitForNodeVolumeDetachStartTime } = status?.deletion ?? {};
  return part === "drain" ? nodeDrainStartTime : waitForNodeVolumeDetachStartTime;
}

/**
 * Milliseconds until a part is given up: 0 when its annotation excludes it or its timeout is over, infinite without a
 * timeout, and while the part has no `start`. Both may be set while it lasts.
 */
export function leftMs(
  machine: Machine,
  part: DrainPart,
  now: Date,
  start: string | undefined = startOf(machine, part),
): number {
  if (Object.hasOwn(machine.metadata.annotations ?? {}, EXCLUSIONS[part])) return 0;
  const { nodeDrainTimeoutSeconds = 0, nodeVolumeDetachTimeoutSeconds = 0 } = machine.spec.deletion ?? {};
  const timeoutSeconds = part === "drain" ? nodeDrainTimeoutSeconds : nodeVolumeDetachTimeoutSeconds;
  if (timeoutSeconds <= 0 || start === undefined) return Number.POSITIVE_INFINITY;
  return Math.max(0, Date.parse(start) + timeoutSeconds * SECOND - now.getTime());
}
