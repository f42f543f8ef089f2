import { expect, it } from "vitest";
import { nodeOf } from "../../../../infra/playground/sim/node.ts";
import { isLabelValue } from "../../../../shared/api/names.ts";
import { simInstance } from "../../../support/sim.ts";
import { NOW } from "../../../support/world.ts";

it("the Node of a simulated instance has the instance's name, and a hostname label whatever that is", () => {
  const short = nodeOf(simInstance("p1-0"), true, NOW).metadata;
  expect(short).toMatchObject({ name: "p1-0", labels: { "kubernetes.io/hostname": "p1-0" } });
  const name = `${"p".repeat(80)}-0`;
  const long = nodeOf(simInstance(name), true, NOW).metadata;
  expect(long.name).toBe(name);
  expect(isLabelValue(long.labels?.["kubernetes.io/hostname"] ?? "no label value")).toBe(true);
});
