import type { MachinePool } from "../api/machinepool.ts";
import { SECOND } from "../runtime/backoff.ts";
import { describeReference } from "../runtime/define-function.ts";
import type { Referenced } from "../runtime/ports.ts";
import { poolAdoption } from "./pool-adoption.ts";
import type { PoolProviders } from "./pool-reads.ts";

type Found = Extract<Referenced, { state: "found" }>;

/**
 * Provider objects that a deleted pool takes with it and that still exist: its own and nobody's. Another's counts as
 * gone. Differs: upstream deletes that, too. Source: machinepool.md 13
 */
export function remainingProviders(pool: MachinePool, providers: PoolProviders): readonly Found[] {
  return [providers.bootstrap, providers.infrastructure].filter(
    (found): found is Found => found?.state === "found" && poolAdoption(pool, found) !== "foreign",
  );
}

/**
 * Why it cannot be told whether the provider objects are gone: a CRD without a supported contract. A CRD that does
 * not exist took its objects with it.
 */
export function unreadableProviders({ bootstrap, infrastructure }: PoolProviders): string | undefined {
  const unreadable = [bootstrap, infrastructure].find(
    (found) => found?.state === "unresolved" && found.crdExists,
  );
  return unreadable?.state === "unresolved" ? unreadable.message : undefined;
}

/** When retries of Node deletion end; `undefined` = never (timeout absent or 0). */
export function nodeDeletionEndsAt({ metadata, spec }: MachinePool): Date | undefined {
  const timeoutSeconds = spec.template.spec.deletion?.nodeDeletionTimeoutSeconds ?? 0;
  if (timeoutSeconds === 0 || metadata.deletionTimestamp === undefined) return undefined;
  return new Date(Date.parse(metadata.deletionTimestamp) + timeoutSeconds * SECOND);
}

/** What the deletion of a pool waits for, for its condition. */
export function deletionMessage(pool: MachinePool, providers: PoolProviders): string {
  const unreadable = unreadableProviders(providers);
  if (unreadable !== undefined) return unreadable;
  const remaining = remainingProviders(pool, providers);
  if (remaining.length > 0) {
    const names = remaining.map(({ object, kind }) =>
      describeReference({ apiGroup: kind.group, kind: kind.kind, name: object.metadata.name }),
    );
    return `Waiting for ${names.join(" and ")} to be deleted`;
  }
  const nodes = pool.status?.nodeRefs?.length ?? 0;
  return nodes > 0 ? `Waiting for ${nodes} Nodes to be deleted` : "Waiting for finalizers to be removed";
}
