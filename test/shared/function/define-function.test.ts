import { describe, expect, it } from "vitest";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import {
  defineFunction,
  describeReference,
  isContractKind,
  managersOf,
  watch,
} from "../../../shared/function/define-function.ts";
import { itself } from "../../../shared/function/mappings.ts";
import { done } from "../../../shared/function/result.ts";

interface Widget extends KubeObject {
  readonly spec: {
    readonly size?: number | undefined;
    readonly parts?: readonly { readonly type: string; readonly status: string }[] | undefined;
  };
  readonly status?: { readonly x?: number | undefined } | undefined;
}
const Widget: Kind<Widget> = {
  group: "test.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};

const common = { name: "widget-grow", summary: "Grows.", source: "own", reconciles: Widget } as const;

describe("defineFunction", () => {
  it("takes paths that exist, through lists and maps", () => {
    const grow = defineFunction(
      {
        ...common,
        watches: [watch(Widget, ["spec.size", "spec.parts[Door].status", "metadata.labels[a.b/c]"], itself)],
        owns: ["status.x"],
        contested: ["spec.size"],
      },
      async (widget, { now }) => ({
        apply: { "status.x": (widget.spec.size ?? 0) + now.getTime() * 0 },
        result: done,
      }),
    );
    expect(grow.spec.owns).toEqual(["status.x"]);
    expect(Object.isFrozen(grow)).toBe(true);
  });

  it("is refused by the compiler with a path that does not exist or an owned field that is forgotten", () => {
    // @ts-expect-error there is no field spec.colour
    watch(Widget, ["spec.colour"], itself);
    // @ts-expect-error there is no field status.y
    defineFunction({ ...common, watches: [], owns: ["status.y"] }, async () => ({ result: done }));
    // @ts-expect-error status.x is owned and must be named
    defineFunction({ ...common, watches: [], owns: ["status.x"] }, async () => ({ apply: {}, result: done }));
    // @ts-expect-error status.x is a number
    defineFunction({ ...common, watches: [], owns: ["status.x"] }, async () => ({
      apply: { "status.x": "a" },
      result: done,
    }));
    // @ts-expect-error there is no field spec.weight
    defineFunction({ ...common, watches: [], owns: [], contested: ["spec.weight"] }, async () => ({
      result: done,
    }));
  });

  it("reads the managers of contested paths from the snapshot", () => {
    const widget = {
      apiVersion: "test.dev/v1",
      kind: "Widget",
      metadata: { name: "w", managers: { "spec.size": ["kubectl"] } },
    };
    expect(managersOf(widget, "spec.size")).toEqual(["kubectl"]);
    expect(managersOf(widget, "spec.parts")).toEqual([]);
  });

  it("distinguishes contract kinds from kinds", () => {
    expect(isContractKind(Widget)).toBe(false);
    expect(isContractKind({ contract: "BootstrapConfig", referencedBy: [] })).toBe(true);
    expect(describeReference({ apiGroup: "g", kind: "K", name: "n" })).toBe("g/K n");
  });
});
