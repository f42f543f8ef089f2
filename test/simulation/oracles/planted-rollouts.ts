import { type Planted, patchOf } from "./planted-defect.ts";

/** Part of the violation by which each defect of rollouts is found. */
const FOUND: { readonly [defect: string]: string } = {
  "D-66": "which has the same template",
  "D-67": "is written whatever its version",
  "D-68": "at most",
  "D-69": "are available, least are",
  "D-70": "are available, least are",
  "D-71": "is removed with",
  "D-72": "of its template are wanted",
  "D-73": "is made although rollouts are paused",
  "D-74": "d1 has revision NaN, the highest is",
  "D-75": "at most 4",
};

/** Defects of rollouts. */
export const PLANTED_ROLLOUTS: readonly Planted[] = Object.entries(FOUND).map(([defect, found]) => ({
  title: `${defect}: of rollouts`,
  workload: defect === "D-73" ? "W-32" : "W-31",
  patch: patchOf(defect),
  found: ["F-49: ", found],
}));
