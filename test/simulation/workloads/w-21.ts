import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { simCluster, simMachine } from "../../support/manifests.ts";
import { isReady } from "./sets.ts";
import type { Workload } from "./workload.ts";

export const w21: Workload = {
  number: "W-21",
  title: "a Machine without owner comes up, and is deleted with its Node",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachine("m1", "c1")}---${simMachine("m2", "c1")}`);
    const isUp = (name: string) =>
      user.list(Machine).some((each) => each.metadata.name === name && isReady(each));
    await user.until(() => isUp("m1") && isUp("m2"));
    await user.delete(Machine as Kind, "m1");
    await user.until(() => user.see(Machine, "m1") === undefined);
  },
};
