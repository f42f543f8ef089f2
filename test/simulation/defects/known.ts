import type { Defect } from "./defect.ts";
import { fenceDefects } from "./fences.ts";
import { healthCheckStepDefects } from "./health-check-steps.ts";
import { ledgerDefects } from "./ledger.ts";
import { machineStepDefects } from "./machine-steps.ts";
import { networkDefects } from "./network.ts";
import { plantedPortDefects } from "./planted-ports.ts";
import { plantedStepDefects } from "./planted-steps.ts";
import { rolloutStepDefects } from "./rollout-steps.ts";
import { runDefects } from "./runs.ts";
import { stepDefects } from "./steps.ts";

/**
 * All defects that can be made, and those of D-21 to D-46 that were planted from outside and show in a run, by number;
 * D-47 to D-49 are about Machines, D-50 to D-52 about the limit of health checks,
 * D-66 to D-75 about rollouts. README.md names the tests that show the
 * others.
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
  ...healthCheckStepDefects,
  ...rolloutStepDefects,
].sort((a, b) => (a.number < b.number ? -1 : 1));
