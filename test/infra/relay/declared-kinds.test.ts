import { describe, expect, it } from "vitest";
import { typesNamedBy } from "../../../infra/relay/declared-kinds.ts";
import { MachineHealthCheck } from "../../../shared/api/machinehealthcheck.ts";
import type { ContractKind } from "../../../shared/contract/contract-kind.ts";
import { RemediationRequest, RemediationTemplate } from "../../../shared/contract/remediation.ts";
import { type AnyFunction, defineFunction, watchContract } from "../../../shared/function/define-function.ts";
import { referencing } from "../../../shared/function/mappings.ts";
import { done } from "../../../shared/function/result.ts";
import { healthCheck } from "../../support/health-checks.ts";

function watching(...kinds: readonly ContractKind[]): AnyFunction {
  return defineFunction<MachineHealthCheck>(
    {
      name: "mhc-test",
      summary: "s",
      source: "own",
      reconciles: MachineHealthCheck,
      watches: kinds.map((kind) => watchContract(kind, ["metadata.uid"], referencing)),
      owns: [],
    },
    async () => ({ result: done }),
  );
}

const templateRef = { apiVersion: "r.dev/v1alpha1", kind: "FooTemplate", name: "t" };
const check = healthCheck({ spec: { remediation: { templateRef } } });

describe("the types that a health check names", () => {
  it.each<[string, readonly ContractKind[], readonly string[]]>([
    ["its templates", [RemediationTemplate], ["r.dev/FooTemplate"]],
    ["its requests", [RemediationRequest], ["r.dev/Foo"]],
    ["both", [RemediationTemplate, RemediationRequest], ["r.dev/FooTemplate", "r.dev/Foo"]],
    ["nothing of it", [], []],
  ])("PC-2.4: are those that functions watch: %s", (_, kinds, ids) => {
    const named = typesNamedBy([watching(...kinds)])(MachineHealthCheck, check);
    expect(named).toEqual(ids.map((id) => ({ id, version: "v1alpha1" })));
  });

  it("PC-2.4: are missing without a template", () => {
    const all = typesNamedBy([watching(RemediationTemplate, RemediationRequest)]);
    expect(all(MachineHealthCheck, healthCheck())).toEqual([]);
  });
});
