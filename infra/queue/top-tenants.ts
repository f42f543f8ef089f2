import type { TenantDepth } from "../../shared/runtime/queue/queue-port.ts";
import type { TenantRow } from "../../shared/runtime/queue/queue-reader.ts";

type Tenants = ReadonlyMap<string, TenantDepth>;

/** Returns the tenants with the most keys, most first, equal ones by name; of these namespaces, where they are given. */
export function topTenants(
  tenants: Tenants,
  limit: number,
  namespaces?: ReadonlySet<string>,
): readonly TenantRow[] {
  return rowsIn(tenants, namespaces)
    .toSorted((a, b) => keysOf(b) - keysOf(a) || (a.tenant < b.tenant ? -1 : 1))
    .slice(0, limit);
}

/** Adds up the tenants of these namespaces, however many they are. */
export function countsIn(tenants: Tenants, namespaces: ReadonlySet<string>): TenantDepth {
  const rows = rowsIn(tenants, namespaces);
  const sum = (count: keyof TenantDepth) => rows.reduce((total, row) => total + (row[count] ?? 0), 0);
  const [ready, readyResync] = [sum("ready"), sum("readyResync")];
  return {
    ready,
    waiting: sum("waiting"),
    running: sum("running"),
    dead: sum("dead"),
    ...(ready > 0 ? { readyResync } : {}),
  };
}

/** A tenant is `NAMESPACE/CLUSTER`; a malformed one is in no namespace. */
function rowsIn(tenants: Tenants, namespaces: ReadonlySet<string> | undefined): readonly TenantRow[] {
  const rows = [...tenants].map(([tenant, depth]) => ({ tenant, ...depth }));
  if (namespaces === undefined) return rows;
  return rows.filter(({ tenant }) => namespaces.has(tenant.slice(0, tenant.indexOf("/"))));
}

function keysOf({ ready, waiting, running, dead }: TenantDepth): number {
  return ready + waiting + running + dead;
}
