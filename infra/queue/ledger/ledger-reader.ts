import type { Queue } from "../../../shared/runtime/queue/queue-port.ts";
import type { QueueReader } from "../../../shared/runtime/queue/queue-reader.ts";
import { checkPageLimit } from "../../platform/cursor.ts";
import { MAX_PAGE } from "../limits.ts";
import { countsIn, topTenants } from "../top-tenants.ts";
import type { Ledger } from "./ledger.ts";

/** The ledger of a function, and the time by its clock in ms since 1970. */
interface LedgerNow {
  readonly ledger: Ledger;
  readonly now: number;
}

/** Returns the calls of a queue that only look at the ledgers of this process. */
export function createLedgerReader(
  open: (functionName: string) => LedgerNow,
): QueueReader & Pick<Queue, "depth" | "dead"> {
  const depthOf = (name: string) => {
    const { ledger, now } = open(name);
    return ledger.depth(now);
  };
  const tenantsOf = (name: string) => new Map(Object.entries(depthOf(name).tenants ?? {}));
  return {
    depth: async (name) => depthOf(name),
    peek: async (name) => {
      const { tenants: _, ...peek } = depthOf(name);
      return { ...peek, counts: open(name).ledger.counts() };
    },
    topTenants: async (name, limit, namespaces) => {
      checkPageLimit(limit, MAX_PAGE);
      return topTenants(tenantsOf(name), limit, namespaces);
    },
    countsIn: async (name, namespaces) => countsIn(tenantsOf(name), namespaces),
    keys: async (name, selection) => open(name).ledger.keys(selection),
    keyState: async (name, key) => open(name).ledger.keyState(key),
    dead: async (name) => open(name).ledger.dead(),
  };
}
