import { simControlplane as good } from "../../../../functions/sim/controlplane.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";

export const simControlplane = brokenIn(good, {
  "broken-pauses": deaf(good),
});
