import { simControlplaneMachines as good } from "../../../../infra/playground/functions/sim/controlplane-machines.ts";
import { brokenIn } from "../broken-in.ts";
import { careless } from "../careless.ts";

export const simControlplaneMachines = brokenIn(good, { "broken-machines": careless(good) });
