import type { KubeObject } from "../../api/kinds.ts";

export const CONTROL_PLANE_LABEL = "cluster.x-k8s.io/control-plane";

/** Returns whether a Machine is one of the control plane; the value of the label is not looked at. */
export function isControlPlaneMachine({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.labels ?? {}, CONTROL_PLANE_LABEL);
}
