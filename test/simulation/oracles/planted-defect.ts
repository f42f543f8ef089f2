import type { Defect } from "../defects/defect.ts";
import { DEFECTS } from "../defects/known.ts";
import type { Plan } from "../play/plan.ts";
import type { Workload } from "../workloads/workload.ts";

/** A defect to which an oracle has to object. */
export interface Planted {
  readonly title: string;
  /** Its number, or one of its own. */
  readonly workload: string | Workload;
  readonly patch: Defect["patch"];
  /** Default: none. */
  readonly plan?: Plan;
  /** Parts of violations, each of which must be there. */
  readonly found: readonly string[];
}

/** The patch of a seeded defect. */
export function patchOf(defect: string): Defect["patch"] {
  const found = DEFECTS.find(({ number }) => number === defect);
  if (found === undefined) throw new Error(`no defect ${defect}`);
  return found.patch;
}
