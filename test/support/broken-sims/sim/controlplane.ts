import { simControlplane as good } from "../../../../infra/playground/functions/sim/controlplane.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { hasty } from "../hasty.ts";
import { strippingParts, strips } from "../strips.ts";

export const simControlplane = brokenIn(
  good,
  {
    "broken-keeping": strips(good),
    "broken-machines": hasty(good.step, ["status.initialization.controlPlaneInitialized"]),
    "broken-pauses": deaf(good),
  },
  strippingParts(good),
);
