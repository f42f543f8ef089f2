import { simCluster as good } from "../../../../functions/sim/cluster.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { meddles } from "../meddles.ts";

export const simCluster = brokenIn(good, {
  "broken-identities": meddles(good.step),
  "broken-pauses": deaf(good),
});
