import { simMachine as good } from "../../../../infra/playground/functions/sim/machine.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { misplaces } from "../misplaces.ts";

export const simMachine = brokenIn(good, {
  "broken-keeping": misplaces(good),
  "broken-machines": deaf(good),
});
