import { expect, it } from "vitest";
import { apiReference } from "../../../infra/deploy/api-reference.ts";
import { KINDS } from "../../../shared/api/registry.ts";

const lines = apiReference()
  .split("\n")
  .map((line) => line.replaceAll(/ +/g, " "));

it("has a section for each kind with a definition, and a row for each field, also within lists", () => {
  const kinds = KINDS.filter(({ crd }) => crd !== undefined).map(({ kind }) => `## ${kind}`);
  expect(lines.filter((line) => line.startsWith("## "))).toEqual(kinds);
  const rows = lines.map((line) => line.split(" | ").slice(0, 2).join(" | "));
  expect(rows).toEqual(
    expect.arrayContaining([
      "| `spec.clusterName` | string, required",
      "| `spec.replicas` | int32",
      "| `status.conditions[].lastTransitionTime` | date-time, required",
    ]),
  );
});

it("has one row a field, whose meaning is one line", () => {
  for (const line of lines.filter((each) => each.startsWith("| `")))
    expect(line.replaceAll("\\|", "").match(/\|/g), line).toHaveLength(4);
});
