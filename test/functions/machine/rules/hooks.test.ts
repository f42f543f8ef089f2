import { describe, expect, it } from "vitest";
import { hooksOf } from "../../../../functions/machine/rules/hooks.ts";
import { soloMachine } from "../../../support/machines.ts";

const PRE_DRAIN = "pre-drain.delete.hook.machine.cluster.x-k8s.io";
const PRE_TERMINATE = "pre-terminate.delete.hook.machine.cluster.x-k8s.io";

describe("hooks of a deletion", () => {
  it.each<
    readonly [string, { readonly [key: string]: string } | undefined, readonly string[], readonly string[]]
  >([
    ["without annotations", undefined, [], []],
    [
      "by key, whatever the value is",
      { [`${PRE_DRAIN}/a`]: "", [PRE_TERMINATE]: "false" },
      [`${PRE_DRAIN}/a`],
      [PRE_TERMINATE],
    ],
    ["sorted", { [`${PRE_DRAIN}/b`]: "", [`${PRE_DRAIN}/a`]: "" }, [`${PRE_DRAIN}/a`, `${PRE_DRAIN}/b`], []],
    [
      "only where the key begins with it",
      { [`x${PRE_DRAIN}/a`]: "", "pre-drain": "", "example.com/pre-terminate": "" },
      [],
      [],
    ],
  ])("%s", (_, annotations, preDrain, preTerminate) => {
    const machine = soloMachine({ metadata: { annotations } });
    expect(hooksOf(machine, "pre-drain")).toEqual(preDrain);
    expect(hooksOf(machine, "pre-terminate")).toEqual(preTerminate);
  });
});
