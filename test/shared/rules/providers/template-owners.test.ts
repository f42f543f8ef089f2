import { expect, it } from "vitest";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import { templateOwnerPatches } from "../../../../shared/rules/providers/template-owners.ts";
import { cluster, found, missing } from "../../../support/builders.ts";
import { bootstrapTemplate, infraTemplate } from "../../../support/foo-sets.ts";

it("makes the Cluster an owner of templates that are there, and of no object of another kind", () => {
  const orphan = { metadata: { ownerReferences: undefined } };
  const namesOf = (bootstrap: KubeObject, infrastructure: Referenced = found(infraTemplate(orphan))) =>
    templateOwnerPatches({ bootstrap: found(bootstrap), infrastructure }, cluster()).map(
      ({ target, operations }) => `${target.name} ${operations.length}`,
    );
  expect(namesOf(bootstrapTemplate(orphan))).toEqual(["s1-config 1", "s1-infra 1"]);
  expect(namesOf({ ...bootstrapTemplate(orphan), kind: "FooConfig" })).toEqual(["s1-infra 1"]);
  expect(namesOf(bootstrapTemplate(), missing(infraTemplate()))).toEqual(["s1-config 0"]);
});
