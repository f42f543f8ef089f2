import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import type { ContractKind } from "../../shared/contract/contract-kind.ts";
import type { Fence } from "../../shared/runtime/queue/queue-port.ts";

/** A kind that only tests know: what the runtime does must not depend on Cluster API's kinds. */
export interface Widget extends KubeObject {
  readonly spec?: { readonly colour?: string; readonly partRef?: object } | undefined;
  readonly status?: { readonly size?: number; readonly note?: string } | undefined;
}
export const Widget: Kind<Widget> = {
  group: "test.dev",
  version: "v1",
  kind: "Widget",
  plural: "widgets",
  namespaced: true,
};
export const Gadget: Kind = { ...Widget, kind: "Gadget", plural: "gadgets" };

/** Whatever a Widget references at `spec.partRef`. */
export const Part: ContractKind = {
  contract: "Part",
  referencedBy: [{ kind: Widget as Kind, path: "spec.partRef" }],
};

/** Widget `default/w`, uid-w, version 7, size 3. */
export function widget(metadata: Partial<KubeObject["metadata"]> = {}): Widget {
  return {
    apiVersion: "test.dev/v1",
    kind: "Widget",
    metadata: { name: "w", namespace: "default", uid: "uid-w", resourceVersion: "7", ...metadata },
    status: { size: 3 },
  };
}

export const WIDGETS = { cluster: "management", group: "test.dev", kind: "Widget" };
export const WIDGET_KEY = "default/-|Widget|default/w";

/** A fence on Widget `default/w`. */
export function widgetFence(resourceVersion: string, newerThan?: boolean): Fence {
  return {
    ...WIDGETS,
    namespace: "default",
    name: "w",
    resourceVersion,
    ...(newerThan === undefined ? {} : { newerThan }),
  };
}
