import type { TenantDepth } from "../../shared/runtime/queue-port.ts";
import type { TenantRow } from "../../shared/runtime/queue-reader.ts";

/** Returns the tenants with the most keys, most first, equal ones by name. */
export function topTenants(tenants: ReadonlyMap<string, TenantDepth>, limit: number): readonly TenantRow[] {
  return [...tenants]
    .map(([tenant, depth]) => ({ tenant, ...depth }))
    .toSorted((a, b) => keysOf(b) - keysOf(a) || (a.tenant < b.tenant ? -1 : 1))
    .slice(0, limit);
}

function keysOf({ ready, waiting, running, dead }: TenantDepth): number {
  return ready + waiting + running + dead;
}
