import type { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";

/** How many targets may be not healthy, both inclusive; infinite where nothing limits it. Percentages are rounded down. */
export function limitOf(
  { spec }: MachineHealthCheck,
  targets: number,
): { readonly lower: number; readonly upper: number } {
  const { unhealthyLessThanOrEqualTo: limit, unhealthyInRange: range } = spec.remediation?.triggerIf ?? {};
  const [, low, high] = /^\[(\d+)-(\d+)\]$/.exec(range ?? "") ?? [];
  if (low !== undefined) return { lower: Number(low), upper: Number(high) };
  if (limit === undefined) return { lower: 0, upper: Number.POSITIVE_INFINITY };
  const share = typeof limit === "number" ? limit : Math.floor((Number.parseInt(limit, 10) * targets) / 100);
  return { lower: 0, upper: share };
}
