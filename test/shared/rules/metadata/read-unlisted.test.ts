import { expect, it } from "vitest";
import { MachineSet } from "../../../../shared/api/machineset.ts";
import { withUnlisted } from "../../../../shared/rules/metadata/read-unlisted.ts";
import { machineSet } from "../../../support/foo-sets.ts";

it("reads by name what a list lacks, and leaves out what is gone", async () => {
  const [listed, unlabelled, gone] = ["a", "b", "c"].map((name) => machineSet({ metadata: { name } }));
  const asked: string[] = [];
  const live = {
    get: async (_: unknown, { name }: { readonly name: string }) => {
      asked.push(name);
      return name === "b" ? unlabelled : undefined;
    },
  };
  const known = [listed, unlabelled, gone] as MachineSet[];
  const found = await withUnlisted(live as never, MachineSet, [listed as MachineSet], known);
  expect(found.map(({ metadata }) => metadata.name)).toEqual(["a", "b"]);
  expect(asked).toEqual(["b", "c"]);
});
