import { describe, expect, it } from "vitest";
import { toCrd } from "../../../../../infra/platform/crds/crd.ts";
import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { evaluateRules, uncompilableRules } from "../../../../../infra/playground/apiserver/schema/cel.ts";
import type { Schema } from "../../../../../infra/playground/apiserver/schema/schema.ts";
import { MachineHealthCheck } from "../../../../../shared/api/machinehealthcheck.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import { changed } from "../../../../shared/api/manifests.ts";
import { healthCheck } from "../../../../support/health-checks.ts";

const [version] = valueAt(toCrd(MachineHealthCheck), "spec.versions") as readonly unknown[];
const schema = valueAt(version, "schema.openAPIV3Schema") as Schema;

/** `field: text` of each refusal by a rule, of a health check with this value at a pointer. */
function refusals(pointer: string, value: unknown, old?: object): readonly string[] {
  const object = changed(healthCheck(), pointer, value) as Json;
  return evaluateRules(schema, object, old as Json | undefined).map(
    ({ field, message }) => `${field}: ${message}`,
  );
}

describe("the rules that stand in for the admission of health checks", () => {
  it("can all be used", () => {
    expect(uncompilableRules(schema)).toEqual([]);
    expect(refusals("metadata/name", "other")).toEqual([]);
  });

  it.each([
    ["an empty selector", "spec/selector", {}, "spec.selector: Required value: selector must not be empty"],
    [
      "a selector of empty parts",
      "spec/selector",
      { matchLabels: {}, matchExpressions: [] },
      "spec.selector: Required value: selector must not be empty",
    ],
    [
      "the label of another Cluster",
      "spec/selector",
      { matchLabels: { "cluster.x-k8s.io/cluster-name": "c2" } },
      'spec.selector: Invalid value: "object": cannot specify a cluster selector other than the one specified by ClusterName',
    ],
    [
      "a short startup timeout",
      "spec/checks/nodeStartupTimeoutSeconds",
      29,
      'spec.checks.nodeStartupTimeoutSeconds: Invalid value: "integer": must be at least 30s',
    ],
  ])("refuse %s", (...[, pointer, value, refusal]) => {
    expect(refusals(pointer, value)).toEqual([refusal]);
  });

  it.each([0, 30, 600])("accept the startup timeout %i", (value) => {
    expect(refusals("spec/checks/nodeStartupTimeoutSeconds", value)).toEqual([]);
  });

  it("accept a selector with the label of its own Cluster, and one of expressions", () => {
    const own = { matchLabels: { "cluster.x-k8s.io/cluster-name": "c1" } };
    expect(refusals("spec/selector", own)).toEqual([]);
    expect(refusals("spec/selector", { matchExpressions: [{ key: "tier", operator: "Exists" }] })).toEqual(
      [],
    );
    for (const values of [["a"], ["a", "b"]]) {
      const expressions = ["In", "NotIn"].map((operator) => ({ key: "tier", operator, values }));
      expect(refusals("spec/selector", { matchExpressions: expressions })).toEqual([]);
    }
  });

  it.each([
    { operator: "Like", values: ["a"] },
    { operator: "In" },
    { operator: "NotIn", values: [] },
    { operator: "Exists", values: ["a"] },
  ])("refuse the expression %j of a selector", (expression) => {
    expect(refusals("spec/selector", { matchExpressions: [{ key: "tier", ...expression }] })).toEqual([
      expect.stringMatching(
        /^spec\.selector\.matchExpressions: Invalid value: .*: each expression must be In or NotIn /,
      ),
    ]);
  });

  it("refuse another Cluster on update", () => {
    expect(refusals("spec/clusterName", "c2", healthCheck())).toEqual([
      "spec.clusterName: Forbidden: field is immutable",
    ]);
  });

  it.each([0, 1, -1, "40%", "-5%", "150%"])("accept the limit %j", (unhealthyLessThanOrEqualTo) => {
    expect(refusals("spec/remediation", { triggerIf: { unhealthyLessThanOrEqualTo } })).toEqual([]);
  });

  it.each(["10", "40.5%", "", "%", "a%", "4 %"])("refuse the limit %j", (limit) => {
    const found = refusals("spec/remediation", { triggerIf: { unhealthyLessThanOrEqualTo: limit } });
    expect(found).toEqual([
      expect.stringMatching(
        /^spec\.remediation\.triggerIf\.unhealthyLessThanOrEqualTo: Invalid value: .*must be either an int or a percentage: /,
      ),
    ]);
  });

  it.each(["[0-0]", "[1-3]", "[007-2147483647]"])("accept the range %s", (unhealthyInRange) => {
    expect(refusals("spec/remediation", { triggerIf: { unhealthyInRange } })).toEqual([]);
  });

  it.each(["[5-3]", "[0-2147483648]", "[0-99999999999]", "[4294967296-1]"])(
    "refuse the range %s",
    (unhealthyInRange) => {
      expect(refusals("spec/remediation", { triggerIf: { unhealthyInRange } })).toEqual([
        expect.stringMatching(/unhealthyInRange: .*must be \[low-high\], the smaller number first/),
      ]);
    },
  );
});
