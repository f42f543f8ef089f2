import type { StatusView } from "../../functions/machineset/rules/view.ts";
import { cluster } from "./builders.ts";
import { machineSet } from "./foo-sets.ts";
import { NOW } from "./world.ts";

/** The view of set s1, which has no Machine and wants three, with the facts that a case changes. */
export function setViewWith(changes: Partial<StatusView> = {}): StatusView {
  return {
    set: machineSet(),
    cluster: cluster(),
    machines: [],
    blockers: [],
    lasting: [],
    settled: true,
    now: NOW,
    ...changes,
  };
}
