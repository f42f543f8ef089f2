import type { Defect } from "./defect.ts";
import { fenceDefects } from "./fences.ts";
import { ledgerDefects } from "./ledger.ts";
import { machineStepDefects } from "./machine-steps.ts";
import { networkDefects } from "./network.ts";
import { plantedPortDefects } from "./planted-ports.ts";
import { plantedStepDefects } from "./planted-steps.ts";
import { runDefects } from "./runs.ts";
import { stepDefects } from "./steps.ts";

/**
 * All defects that can be made, and those of D-21 to D-46 that were planted from outside and show in a run, by number; D-47 and beyond are about Machines. D-07 to D-09
 * are about health checks, which do not exist yet. README.md names the tests that show the others.
 */
export const DEFECTS: readonly Defect[] = [
  ...runDefects,
  ...ledgerDefects,
  ...fenceDefects,
  ...networkDefects,
  ...stepDefects,
  ...plantedStepDefects,
  ...plantedPortDefects,
  ...machineStepDefects,
].sort((a, b) => (a.number < b.number ? -1 : 1));
