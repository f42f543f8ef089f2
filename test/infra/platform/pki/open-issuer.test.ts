import { describe, expect, it } from "vitest";
import { openIssuer } from "../../../../infra/platform/pki/open-issuer.ts";
import { loadFunctions } from "../../../../infra/worker/load.ts";

describe("the issuer of a worker", () => {
  it("S-03: is there for a function of the group credentials only", async () => {
    expect(await openIssuer(await loadFunctions(["cluster-kubeconfig"]))).toBeDefined();
    expect(await openIssuer(await loadFunctions(["cluster-guard", "machine-drain"]))).toBeUndefined();
  });
});
