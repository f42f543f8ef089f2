import { expect, it } from "vitest";
import { loadFunctions } from "../../infra/worker/load.ts";
import { Node } from "../../shared/api/core.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { RemediationRequest } from "../../shared/contract/remediation.ts";
import { isContractKind } from "../../shared/function/define-function.ts";

const KINDS: ReadonlySet<string> = new Set([Node.kind, Machine.kind]);

it("S-33: every function that deletes Nodes or Machines, or asks for remediation, is limited in it", async () => {
  const calls = (await loadFunctions(["cluster-api"])).flatMap(({ spec }) =>
    (spec.calls ?? []).map((call) => ({ name: spec.name, ...call })),
  );
  // A Cluster that is being deleted has no limit.
  const counted = calls.filter(({ name, verb, kind }) =>
    isContractKind(kind)
      ? verb === "create" && kind === RemediationRequest
      : verb === "delete" && KINDS.has(kind.kind) && name !== "cluster-delete",
  );
  expect(counted.map(({ name }) => name).toSorted()).toEqual([
    "machine-delete",
    "machinepool-delete",
    "machinepool-remediate",
    "machinepool-retire",
    "machineset-delete",
    "machineset-machines",
    "machineset-remediate",
    "mhc-requests",
  ]);
  expect(calls.filter(({ limited }) => limited === true)).toEqual(counted);
});
