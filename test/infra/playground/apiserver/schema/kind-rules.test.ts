import { describe, expect, it } from "vitest";
import { loadCrds } from "../../../../../infra/platform/crds/crd.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { listAt, textAt, valueAt } from "../../../../../shared/api/path.ts";
import { ALL_KINDS } from "../../../../support/all-kinds.ts";
import { ruledNodes, unevaluated } from "./rules-tried.ts";

describe("rules of all CustomResourceDefinitions", async () => {
  const nodes = (await loadCrds(ALL_KINDS)).flatMap((crd) =>
    listAt(crd, "spec.versions").flatMap((version) =>
      ruledNodes(valueAt(version, "schema.openAPIV3Schema") as Schema).map(
        (node) => [`${crd.metadata.name} ${textAt(version, "name")}${node.path}`, node] as const,
      ),
    ),
  );

  it("are many", () => expect(nodes.length).toBeGreaterThan(30));

  it.each(nodes)("say yes or no whatever of their fields is absent, empty or null: %s", (_, node) => {
    expect(unevaluated(node)).toEqual([]);
  });
});
