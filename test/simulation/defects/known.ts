import type { Defect } from "./defect.ts";
import { fenceDefects } from "./fences.ts";
import { ledgerDefects } from "./ledger.ts";
import { networkDefects } from "./network.ts";
import { runDefects } from "./runs.ts";
import { stepDefects } from "./steps.ts";

/** All of 6.6 that can be made, by number. D-07 to D-09 are about health checks, which do not exist yet. */
export const DEFECTS: readonly Defect[] = [
  ...runDefects,
  ...ledgerDefects,
  ...fenceDefects,
  ...networkDefects,
  ...stepDefects,
].sort((a, b) => (a.number < b.number ? -1 : 1));
