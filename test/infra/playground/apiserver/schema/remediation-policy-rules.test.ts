import { describe, expect, it } from "vitest";
import { toCrd } from "../../../../../infra/platform/crds/crd.ts";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { evaluateRules, uncompilableRules } from "../../../../../infra/playground/apiserver/schema/cel.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import { RemediationPolicy } from "../../../../../shared/api/remediation-policy.ts";
import { changed } from "../../../../shared/api/manifests.ts";
import { remediationPolicy } from "../../../../support/remediation-policies.ts";

const [version] = valueAt(toCrd(RemediationPolicy), "spec.versions") as readonly unknown[];
const schema = valueAt(version, "schema.openAPIV3Schema") as Schema;

function refusals(pointer: string, value: unknown, old?: object): readonly string[] {
  const object = changed(remediationPolicy(), pointer, value) as Json;
  return evaluateRules(schema, object, old as Json | undefined).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

describe("the rules of a RemediationPolicy", () => {
  it("can all be used", () => {
    expect(uncompilableRules(schema)).toEqual([]);
    expect(refusals("metadata/name", "other")).toEqual([]);
  });

  it("refuse another Cluster on update", () => {
    expect(refusals("spec/clusterName", "c2", remediationPolicy())).toEqual([
      "spec.clusterName: Forbidden: field is immutable",
    ]);
  });

  it("refuse a name that is given twice, and retries without limit", () => {
    expect(refusals("spec/healthChecks", ["h1", "h2"])).toEqual([]);
    expect(refusals("spec/healthChecks", ["h1", "h1"])).toEqual([
      expect.stringMatching(/^spec\.healthChecks: .*entries in healthChecks must be unique$/),
    ]);
    expect(refusals("spec/retries", { windowSeconds: 60 })).toEqual([
      expect.stringMatching(/^spec\.retries: .*must limit something: set perMachine, perController or both$/),
    ]);
  });
});
