import { simBootstrap as good } from "../../../../infra/playground/functions/sim/bootstrap.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";
import { randomName } from "../random-name.ts";

export const simBootstrap = brokenIn(good, {
  "broken-identities": randomName(good),
  "broken-pauses": deaf(good),
});
