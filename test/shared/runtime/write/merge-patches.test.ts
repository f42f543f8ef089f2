import { describe, expect, it } from "vitest";
import { refTo } from "../../../../shared/api/kinds.ts";
import { Machine } from "../../../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import type { GuardedPatch } from "../../../../shared/function/define-function.ts";
import { mergePatches } from "../../../../shared/runtime/write/merge-patches.ts";
import { soloMachine } from "../../../support/machines.ts";

function patch(name: string, operations: readonly PatchOperation[], subresource?: "status"): GuardedPatch {
  const target = refTo(Machine, soloMachine({ metadata: { name } }));
  return { target, operations, ...(subresource === undefined ? {} : { subresource }) };
}

const LABEL: PatchOperation = { op: "add", path: "/metadata/labels/a", value: "b" };
const VERSION: PatchOperation = { op: "add", path: "/spec/version", value: "v1.34.0" };
const RELEASE: PatchOperation = { op: "remove", path: "/metadata/finalizers/0" };

describe("patches of one decision", () => {
  it.each<readonly [string, readonly GuardedPatch[], readonly (readonly PatchOperation[])[]]>([
    ["of one object are one request", [patch("m1", [LABEL]), patch("m1", [VERSION])], [[LABEL, VERSION]]],
    ["of two objects stay two", [patch("m1", [LABEL]), patch("m2", [VERSION])], [[LABEL], [VERSION]]],
    [
      "of an object and its status stay two",
      [patch("m1", [LABEL]), patch("m1", [VERSION], "status")],
      [[LABEL], [VERSION]],
    ],
    [
      "that remove a finalizer stay apart: they are sent last",
      [patch("m1", [RELEASE]), patch("m1", [LABEL])],
      [[RELEASE], [LABEL]],
    ],
    [
      "with other options stay apart",
      [patch("m1", [LABEL]), { ...patch("m1", [VERSION]), ifFails: { event: "Failed" } }],
      [[LABEL], [VERSION]],
    ],
    ["without operations are left out", [patch("m1", []), patch("m2", [])], []],
  ])("%s", (_, patches, requests) => {
    expect(mergePatches(patches).map(({ operations }) => operations)).toEqual(requests);
  });
});
