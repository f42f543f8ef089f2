import { simCluster as good } from "../../../../../functions/sim/cluster.ts";
import { refTo } from "../../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../../shared/api/path.ts";
import type { AnyFunction } from "../../../../../shared/function/define-function.ts";
import { done } from "../../../../../shared/function/result.ts";

/** Core gives the label back each time: without an end they would use up the machine. */
const MAX_STRIPS = 300;
let strips = 0;

/** Takes the label of the Cluster from a provisioned SimCluster, as often as it comes back. */
export const simCluster: AnyFunction = {
  spec: {
    ...good.spec,
    ownsOn: [
      ...(good.spec.ownsOn ?? []),
      { kind: good.spec.reconciles, fields: ["metadata.labels[cluster.x-k8s.io/cluster-name]"] },
    ],
  },
  async step(object, context) {
    const { deletionTimestamp, labels = {} } = object.metadata;
    const isSteady =
      valueAt(object, "status.initialization.provisioned") === true &&
      valueAt(object, "status.conditions[Paused].status") === "False" &&
      deletionTimestamp === undefined;
    if (!isSteady || labels["cluster.x-k8s.io/cluster-name"] === undefined || strips >= MAX_STRIPS)
      return good.step(object, context);
    strips += 1;
    const operations = [{ op: "remove", path: "/metadata/labels/cluster.x-k8s.io~1cluster-name" }] as const;
    return { patch: [{ target: refTo(good.spec.reconciles, object), operations }], result: done };
  },
};
