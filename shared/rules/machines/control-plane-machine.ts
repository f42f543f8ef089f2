import { CONTROL_PLANE_LABEL } from "../../api/indexes.ts";
import type { KubeObject } from "../../api/kinds.ts";

/** Returns whether a Machine is one of the control plane; the value of the label is not looked at. */
export function isControlPlaneMachine({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.labels ?? {}, CONTROL_PLANE_LABEL);
}
