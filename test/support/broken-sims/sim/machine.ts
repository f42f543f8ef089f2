import { simMachine as good } from "../../../../functions/sim/machine.ts";
import { brokenIn } from "../broken-in.ts";
import { deaf } from "../deaf.ts";

export const simMachine = brokenIn(good, { "broken-machines": deaf(good) });
