import { describe, expect, it } from "vitest";
import { Secret } from "../../../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT, refTo } from "../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { type AnyDecision, defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { controllerReference, ownerReference } from "../../../../shared/rules/metadata/owner-references.ts";
import { checkOwners } from "../../../../shared/runtime/decide/check-owners.ts";
import { Gadget, Widget, widget } from "../../../support/widget.ts";

const COMMON = {
  name: "widget-own",
  summary: "Owns.",
  source: "own",
  reconciles: Widget,
  watches: [],
  owns: [],
} as const;
const declared = defineFunction({ ...COMMON, blocks: [Widget] }, async () => ({ result: done }));
const silent = defineFunction(COMMON, async () => ({ result: done }));

const blocking = controllerReference(Widget, widget());
const owned: KubeObject = {
  apiVersion: "v1",
  kind: "Secret",
  metadata: { name: "s", ownerReferences: [blocking] },
};
const patched = (...operations: readonly PatchOperation[]): Omit<AnyDecision, "result"> => ({
  patch: [{ target: refTo(Widget, widget()), operations }],
});

describe("an owner that waits for its dependents", () => {
  it.each<readonly [string, Omit<AnyDecision, "result">]>([
    ["a new object", { create: [{ cluster: MANAGEMENT, kind: Secret, object: owned }] }],
    ["the first owners", patched({ op: "add", path: "/metadata/ownerReferences", value: [blocking] })],
    ["one more owner", patched({ op: "add", path: "/metadata/ownerReferences/-", value: blocking })],
    [
      "an issued Secret",
      {
        issue: [
          {
            secret: { namespace: "default", name: "s" },
            labels: {},
            owner: blocking,
            what: { type: "keyPair" },
          },
        ],
      },
    ],
  ])("is declared by the function: %s", (_, decision) => {
    checkOwners(declared, { ...decision, result: done });
    expect(() => checkOwners(silent, { ...decision, result: done })).toThrow(
      "bug: widget-own makes a Widget wait for its dependents without declaring it",
    );
  });

  it("is declared by its kind", () => {
    const value = controllerReference(Gadget, widget());
    const decision = patched({ op: "add", path: "/metadata/ownerReferences/-", value });
    expect(() => checkOwners(declared, { ...decision, result: done })).toThrow("makes a Gadget wait");
  });

  it("need not be declared without that flag, nor in a test of a patch", () => {
    const value = ownerReference(Widget, widget());
    checkOwners(silent, {
      ...patched(
        { op: "add", path: "/metadata/ownerReferences/-", value },
        { op: "test", path: "/metadata/ownerReferences/0", value: blocking },
        { op: "remove", path: "/metadata/ownerReferences/0" },
      ),
      result: done,
    });
  });
});
