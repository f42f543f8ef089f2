import { simCluster as good } from "../../../../functions/sim/cluster.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { meddles } from "../meddles.ts";
import { stripsLabel } from "../strips-label.ts";

export const simCluster = brokenIn(good, {
  "broken-identities": meddles(stripsLabel(good)),
  "broken-pauses": deaf(good),
});
