import { describe, expect, it } from "vitest";
import { loadFunctions } from "../../../infra/worker/load.ts";
import { Node, Secret } from "../../../shared/api/core.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { groupOf } from "../../../shared/function/groups.ts";
import { Widget } from "../../support/widget.ts";

const spec: AnyFunction["spec"] = {
  name: "widget-grow",
  summary: "Grows.",
  source: "own",
  reconciles: Widget,
  watches: [],
  owns: [],
};

describe("the group of a function follows from its spec", () => {
  it.each([
    ["core", {}],
    ["core", { readsLive: [Node], calls: [{ verb: "create", kind: Widget }] }],
    ["workload", { queue: { maxRunningPerTenant: 4 } }],
    ["credentials", { readsLive: [Secret] }],
    ["credentials", { calls: [{ verb: "issue", kind: Secret }] }],
    ["credentials", { calls: [{ verb: "create", kind: Secret }] }],
  ] as const)("S-01: %s for %j", (group, more) => {
    expect(groupOf({ ...spec, ...more })).toBe(group);
  });

  it("S-03: no function makes or reads Secrets in a process that talks to workload servers", async () => {
    const functions = await loadFunctions();
    const withoutLimit = ({ spec }: AnyFunction) => {
      const { queue: _, ...rest } = spec;
      return groupOf(rest);
    };
    const both = functions.filter(
      (fn) => groupOf(fn.spec) === "workload" && withoutLimit(fn) === "credentials",
    );
    expect(both.map((fn) => fn.spec.name)).toEqual([]);
    expect(new Set(functions.map((fn) => groupOf(fn.spec)))).toEqual(
      new Set(["core", "workload", "credentials"]),
    );
  });
});
