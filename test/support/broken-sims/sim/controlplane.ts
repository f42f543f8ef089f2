import { simControlplane as good } from "../../../../functions/sim/controlplane.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { stripsLabel } from "../strips-label.ts";

export const simControlplane = brokenIn(good, {
  "broken-identities": stripsLabel(good),
  "broken-pauses": deaf(good),
});
