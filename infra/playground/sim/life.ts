import { SECOND } from "../../../shared/function/backoff.ts";
import type { SimInstance } from "../api/sim-cloud.ts";
import type { Claim } from "./claims.ts";
import type { Registered } from "./registered-node.ts";

/** Facts about an instance that its objects may have lost. */
export interface Life {
  /** The time since when it boots, ms since the epoch. */
  readonly bornAtMs: number;
  hasRun: boolean;
  node?: Registered | undefined;
}

export function newLife({ metadata }: SimInstance): Life {
  return { bornAtMs: Date.parse(metadata.creationTimestamp ?? ""), hasRun: false };
}

export function hasRun(claims: readonly Claim<SimInstance>[]): boolean {
  return claims.some(({ object }) => object.status?.phase === "Running");
}

/** Returns how long until each stage, ms; 0 or less: reached. `servesInMs` only on the control plane. */
export function stagesOf({ spec }: SimInstance, { bornAtMs, hasRun }: Life, now: Date) {
  const ageMs = now.getTime() - bornAtMs;
  const bootMs = spec.bootDelaySeconds * SECOND;
  const registersMs = bootMs + (spec.nodeDelaySeconds ?? 0) * SECOND;
  const servesMs = bootMs + (spec.apiServerDelaySeconds ?? 0) * SECOND;
  return {
    bootsInMs: hasRun ? 0 : bootMs - ageMs,
    servesInMs: spec.controlPlane === true ? (hasRun ? 0 : servesMs - ageMs) : undefined,
    registersInMs: hasRun ? 0 : registersMs - ageMs,
    readyInMs: registersMs + spec.nodeReadyDelaySeconds * SECOND - ageMs,
  };
}

/** The shortest of these times that is not over, ms. */
export function firstOf(...timesMs: readonly (number | undefined)[]): number | undefined {
  const left = timesMs.filter((timeMs): timeMs is number => timeMs !== undefined && timeMs > 0);
  return left.length === 0 ? undefined : Math.min(...left);
}
