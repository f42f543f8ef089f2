import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { refTo } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { AnyFunction } from "../../../shared/function/define-function.ts";
import { done } from "../../../shared/function/result.ts";
import { isPaused } from "../../../shared/rules/metadata/paused.ts";

/** Core gives the label back each time: without an end they would use up the machine. */
const MAX_STRIPS = 1_500;
const LABEL = "cluster.x-k8s.io/cluster-name";

/** Takes the label of the Cluster from a provisioned object, as often as it comes back, but not while it is paused. */
export function stripsLabel(good: AnyFunction): AnyFunction["step"] {
  let strips = 0;
  return async (object, context) => {
    const { deletionTimestamp, labels = {}, namespace = "" } = object.metadata;
    const cluster = await context.read.get(Cluster, { namespace, name: labels[LABEL] ?? "" });
    const initialization = valueAt(object, "status.initialization") ?? {};
    const isSteady =
      Object.values(initialization).includes(true) &&
      valueAt(object, "status.conditions[Paused].status") === "False" &&
      !isPaused(cluster, object) &&
      deletionTimestamp === undefined;
    if (!isSteady || labels[LABEL] === undefined || strips >= MAX_STRIPS) return good.step(object, context);
    strips += 1;
    const operations = [{ op: "remove", path: "/metadata/labels/cluster.x-k8s.io~1cluster-name" }] as const;
    return { patch: [{ target: refTo(good.spec.reconciles, object), operations }], result: done };
  };
}
