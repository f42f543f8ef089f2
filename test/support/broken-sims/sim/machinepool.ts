import { simMachinepool as good } from "../../../../infra/playground/functions/sim/machinepool.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { forgets } from "../forgets.ts";
import { misspells } from "../misspells.ts";
import { strippingParts, strips } from "../strips.ts";
import { unlabelled } from "../unlabelled.ts";

export const simMachinepool = brokenIn(
  good,
  {
    "broken-identities": misspells(deaf(good)),
    "broken-keeping": strips(good, unlabelled(good)),
    "broken-pauses": forgets(good),
  },
  strippingParts(good),
);
