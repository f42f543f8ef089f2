import { simMachinepool as good } from "../../../../functions/sim/machinepool.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { forgets } from "../forgets.ts";

export const simMachinepool = brokenIn(good, {
  "broken-identities": deaf(good),
  "broken-pauses": forgets(good),
});
