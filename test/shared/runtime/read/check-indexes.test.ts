import { describe, expect, it } from "vitest";
import { refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { type AnyFunction, defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";
import { checkIndexes } from "../../../../shared/runtime/read/check-indexes.ts";
import { soloMachine } from "../../../support/machines.ts";

const PLACE = "/status/deprecated/v1beta1/conditions/3";

function declaring(
  ...fields: readonly ("status.deprecated.v1beta1.conditions" | "status.nodeRef")[]
): AnyFunction {
  return defineFunction<Machine>(
    {
      name: "machine-mark",
      summary: "Marks.",
      source: "own",
      reconciles: Machine,
      watches: [watch(Machine, ["status.deprecated.v1beta1.conditions[Ready].status"], itself)],
      owns: [],
      ownsOn: [{ kind: Machine, fields: ["status.deprecated.v1beta1.conditions[OwnerRemediated]"] }],
      reads: [{ on: Machine, fields }],
    },
    async () => ({ result: done }),
  );
}

function check(fn: AnyFunction, operation: PatchOperation, isLive = false): void {
  const target = refTo(Machine, soloMachine());
  checkIndexes(fn, { target, operations: [operation] }, { readLive: () => isLive });
}

describe("a patch that counts in a list", () => {
  it.each<PatchOperation>([
    { op: "replace", path: PLACE, value: {} },
    { op: "add", path: PLACE, value: {} },
    { op: "remove", path: PLACE },
    { op: "replace", path: `${PLACE}/status`, value: "True" },
  ])("is refused while snapshots may lack elements of it: $op $path", (operation) => {
    expect(() => check(declaring("status.nodeRef"), operation)).toThrow(
      "machine-mark patches an element of Machine status.deprecated.v1beta1.conditions by its place",
    );
  });

  it("may count in a list that is declared whole, or in an object that was read live", () => {
    check(declaring("status.deprecated.v1beta1.conditions"), { op: "remove", path: PLACE });
    check(declaring("status.nodeRef"), { op: "remove", path: PLACE }, true);
  });

  it("may append, enter maps, and count in the lists that every snapshot has", () => {
    check(declaring(), { op: "add", path: "/status/deprecated/v1beta1/conditions/-", value: {} });
    check(declaring(), { op: "add", path: "/metadata/labels/a", value: "b" });
    check(declaring(), { op: "remove", path: "/metadata/ownerReferences/1" });
  });
});
