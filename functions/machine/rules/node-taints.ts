import type { Node } from "../../../shared/api/core.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { isControlPlaneMachine } from "../../../shared/rules/machines/control-plane-machine.ts";
import {
  isSameTaint,
  type Taint,
  type TaintKey,
  taintText,
  UNINITIALIZED,
} from "../../../shared/rules/workload/node-patch.ts";

/** The annotation on a Node with `key:effect` of each taint that its Machine keeps there, once it has set them. */
export const TAINTS_TRACKER = "cluster.x-k8s.io/taints-from-machine";
const OUTDATED: TaintKey = { key: "node.cluster.x-k8s.io/outdated-revision", effect: "PreferNoSchedule" };

const RESERVED: ReadonlySet<string> = new Set([
  UNINITIALIZED.key,
  OUTDATED.key,
  "node-role.kubernetes.io/master",
]);
const OUT_OF_SERVICE = "node.kubernetes.io/out-of-service";
const CONTROL_PLANE = "node-role.kubernetes.io/control-plane";

/** Whether a taint belongs to kubelets, cloud providers or Cluster API, and is not a Machine's to set. */
function isReserved({ key }: TaintKey): boolean {
  return (
    RESERVED.has(key) ||
    key.startsWith("node.cloudprovider.kubernetes.io/") ||
    (key.startsWith("node.kubernetes.io/") && key !== OUT_OF_SERVICE)
  );
}

/** Taints of a Machine as they concern its Node. */
export interface NodeTaints {
  readonly isGone: (taint: TaintKey) => boolean;
  readonly set: readonly Taint[];
  /** Value of the tracker. */
  readonly tracker: string;
  /** `key:effect` of those that admission would have refused. */
  readonly refused: readonly string[];
}

/**
 * The taints of a Machine that its Node must have. Those of the propagation OnInitialization are set once, with the
 * first tracker; after that they belong to the Node. Differs: upstream has `spec.taints` behind a feature gate.
 */
export function nodeTaints(machine: Machine, node: Node, isOutdated: boolean): NodeTaints {
  const worker = !isControlPlaneMachine(machine);
  const all = machine.spec.taints ?? [];
  const own = all.filter((taint) => !isReserved(taint) && !(worker && taint.key === CONTROL_PLANE));
  const always = own.filter(({ propagation }) => propagation === "Always");
  const tracker = node.metadata.annotations?.[TAINTS_TRACKER];
  const texts = new Set(own.map(taintText));
  const left = new Set((tracker ?? "").split(",").filter((text) => !texts.has(text)));
  const wanted = tracker === undefined ? own : always;
  return {
    isGone: (taint) =>
      isSameTaint(taint, UNINITIALIZED) ||
      (isSameTaint(taint, OUTDATED) && !isOutdated) ||
      (left.has(taintText(taint)) && !isReserved(taint)),
    set: [...wanted.map(toTaint), ...(isOutdated ? [OUTDATED] : [])],
    tracker: always.map(taintText).sort(compareText).join(","),
    refused: all.filter((taint) => !own.includes(taint)).map(taintText),
  };
}

function toTaint({ key, value, effect }: Taint): Taint {
  return { key, effect, ...(value === undefined ? {} : { value }) };
}
