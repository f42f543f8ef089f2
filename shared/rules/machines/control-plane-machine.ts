import { CONTROL_PLANE_LABEL } from "../../api/indexes.ts";
import type { KubeObject } from "../../api/kinds.ts";

/** The label on control plane Machines that a control plane object has made: its name, as a label value. */
export const CONTROL_PLANE_NAME_LABEL = "cluster.x-k8s.io/control-plane-name";
/** The field that `isControlPlaneMachine` reads. */
export const CONTROL_PLANE_FIELDS = [`metadata.labels[${CONTROL_PLANE_LABEL}]`] as const;

/** Returns whether a Machine is one of the control plane; the value of the label is not looked at. */
export function isControlPlaneMachine({ metadata }: KubeObject): boolean {
  return Object.hasOwn(metadata.labels ?? {}, CONTROL_PLANE_LABEL);
}
