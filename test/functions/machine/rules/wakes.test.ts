import { describe, expect, it } from "vitest";
import { itselfBehindDrain } from "../../../../functions/machine/rules/wakes.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import { machine, machineCondition } from "../../../support/builders.ts";

async function wokenBy(reason: string): Promise<readonly string[]> {
  const object = machine("m1", { status: { conditions: [machineCondition("Deleting", "True", reason)] } });
  const found = await itselfBehindDrain({ object, cluster: "management" }, Machine, {
    find: async () => [],
    get: async () => undefined,
  });
  return found.map(({ name }) => name);
}

describe("what Deleting says wakes what waits for the drain", () => {
  it.each(["WaitingForPreTerminateHook", "WaitingForInfrastructureDeletion", "DeletionCompleted"])(
    "behind the drain: %s",
    async (reason) => {
      expect(await wokenBy(reason)).toEqual(["m1"]);
    },
  );

  it.each(["NotDeleting", "Deleting", "WaitingForPreDrainHook", "DrainingNode"])(
    "not before: %s",
    async (reason) => {
      expect(await wokenBy(reason)).toEqual([]);
    },
  );
});
