import { expect, it } from "vitest";
import { PLAYGROUND, servedFunctions } from "../../../../infra/cli/explain/read-model.ts";
import type { Server } from "../../../../infra/platform/kube/client.ts";
import { SimCluster } from "../../../../infra/playground/api/sim-cluster.ts";
import { apiVersionOf, type Kind } from "../../../../shared/api/kinds.ts";

const serverWith = (kinds: () => Promise<readonly Kind[]>) =>
  ({ as: () => ({ kinds }) }) as unknown as Pick<Server, "as">;

it.each<[string, () => Promise<readonly Kind[]>, boolean]>([
  ["has kinds of the playground", async () => [SimCluster as Kind], true],
  ["has none of them", async () => [], false],
  ["does not show what it has", () => Promise.reject(new Error("forbidden")), true],
])("the functions of the playground are loaded where a server %s: %s", async (_, kinds, isLoaded) => {
  const names = (await servedFunctions(serverWith(kinds))).map(({ spec }) => spec.name);
  expect(names).toContain("machinepool-nodes");
  expect(names.includes("sim-cluster")).toBe(isLoaded);
});

it("the kinds of the playground are asked for in the version that it serves", () => {
  expect(apiVersionOf(SimCluster)).toBe(PLAYGROUND);
});
