import { crashes } from "./crashes.ts";
import type { Fault } from "./fault.ts";
import { notifications } from "./notifications.ts";
import { queue } from "./queue.ts";
import { readModel } from "./read-model.ts";
import { requests } from "./requests.ts";

/** Every class that can be injected, by number. */
export const FAULTS: readonly Fault[] = [
  ...crashes,
  ...requests,
  ...notifications,
  ...queue,
  ...readModel,
].sort((a, b) => (a.number < b.number ? -1 : 1));
