import { Node } from "../../../shared/api/core.ts";
import { DEFAULT_QUEUE } from "../../../shared/function/backoff.ts";
import { type AnyFunction, isContractKind } from "../../../shared/function/define-function.ts";

/** Says whether a function calls workload servers: it writes to Nodes there, reads them live, or delivers manifests. */
export function callsWorkloads({ spec }: AnyFunction): boolean {
  const { ownsOn = [], calls = [], readsLive = [], delivers = [] } = spec;
  if (delivers.length > 0) return true;
  const kinds = [...ownsOn.map(({ kind }) => kind), ...calls.map(({ kind }) => kind), ...readsLive];
  return kinds.some((kind) => !isContractKind(kind) && kind.kind === Node.kind && kind.group === Node.group);
}

/** Returns functions that one workload server could hold with more than a quarter of their runs. */
export function holdable(functions: readonly AnyFunction[]): readonly string[] {
  return functions.filter(callsWorkloads).flatMap(({ spec }) => {
    const { concurrency, maxRunningPerTenant = concurrency } = { ...DEFAULT_QUEUE, ...spec.queue };
    return maxRunningPerTenant <= Math.max(1, Math.floor(concurrency / 4)) ? [] : [spec.name];
  });
}

/** Returns functions that are limited per Cluster although they call no workload server. */
export function limitedWithoutNeed(functions: readonly AnyFunction[]): readonly string[] {
  return functions
    .filter((each) => each.spec.queue?.maxRunningPerTenant !== undefined && !callsWorkloads(each))
    .map(({ spec }) => spec.name);
}
