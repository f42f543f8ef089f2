import { crashes } from "./crashes.ts";
import { edits } from "./edits.ts";
import type { Fault } from "./fault.ts";
import { managers } from "./managers.ts";
import { notifications } from "./notifications.ts";
import { permissions } from "./permissions.ts";
import { processes } from "./processes.ts";
import { providers } from "./providers.ts";
import { queue } from "./queue.ts";
import { readModel } from "./read-model.ts";
import { requests } from "./requests.ts";
import { servers } from "./servers.ts";
import { stale } from "./stale.ts";
import { stores } from "./stores.ts";
import { tenants } from "./tenants.ts";
import { watches } from "./watches.ts";
import { workloads } from "./workloads.ts";

/** Every class that can be injected, by number. X-10 is at every write; X-33 is always on. */
export const FAULTS: readonly Fault[] = [
  ...crashes,
  ...processes,
  ...stale,
  ...notifications,
  ...watches,
  ...servers,
  ...requests,
  ...permissions,
  ...managers,
  ...queue,
  ...readModel,
  ...stores,
  ...tenants,
  ...workloads,
  ...providers,
  ...edits,
].sort((a, b) => (a.number < b.number ? -1 : 1));
