import { simCluster as good } from "../../../../infra/playground/functions/sim/cluster.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { hasty } from "../hasty.ts";
import { meddles } from "../meddles.ts";
import { slow } from "../slow.ts";
import { strippingParts, strips } from "../strips.ts";

export const simCluster = brokenIn(
  good,
  {
    "broken-identities": meddles(good.step),
    "broken-keeping": strips(good),
    // A control plane that does not wait for the endpoint has something to wait for.
    "broken-machines": slow(good),
    "broken-pauses": hasty(deaf(good), ["status.initialization.provisioned", "status.ready"]),
  },
  strippingParts(good),
);
