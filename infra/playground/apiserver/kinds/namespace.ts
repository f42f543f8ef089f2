import { invalidValue } from "../errors/cause.ts";
import { listAt, objectAt, omit, textAt, withMetadata } from "../objects/kube-object.ts";
import { withConditionTimes } from "../schema/zero-values.ts";
import { finalizerDomainCauses, qualifiedNameCauses } from "./metadata.ts";
import type { Strategy } from "./registry.ts";

/** Objects of a namespace are deleted before it, which this finalizer in its spec stands for. */
export const NAMESPACE_FINALIZER = "kubernetes";

export const namespaceStrategy: Strategy = {
  defaults(next) {
    const labels = { ...next.metadata.labels, "kubernetes.io/metadata.name": next.metadata.name };
    const status = withConditionTimes(objectAt(next, "status"), ["lastTransitionTime"]);
    return { ...withMetadata(next, { labels }), status };
  },
  prepare(next, live, subresource) {
    // Its deletion has no grace period, not even one of no seconds.
    const { deletionGracePeriodSeconds: grace } = next.metadata;
    const metadata = grace === 0 ? omit(next.metadata, "deletionGracePeriodSeconds") : next.metadata;
    if (!live) {
      const given = listAt(objectAt(next, "spec"), "finalizers");
      const finalizers = given.includes(NAMESPACE_FINALIZER) ? given : [...given, NAMESPACE_FINALIZER];
      return { ...next, metadata, spec: { finalizers }, status: { phase: "Active" } };
    }
    const spec = (subresource === "finalize" ? next["spec"] : live["spec"]) ?? {};
    if (subresource === "status") return { ...next, metadata, spec };
    const phase = next.metadata.deletionTimestamp === undefined ? "Active" : "Terminating";
    return { ...next, metadata, spec, status: { ...objectAt(next, "status"), phase } };
  },
  validate(next) {
    const phase = textAt(objectAt(next, "status"), "phase");
    const isDeleting = next.metadata.deletionTimestamp !== undefined;
    const finalizers = listAt(objectAt(next, "spec"), "finalizers");
    const field = "spec.finalizers";
    return [
      ...finalizers.flatMap((name) => qualifiedNameCauses(String(name), field)),
      ...finalizerDomainCauses(finalizers, field).map((cause) => ({ ...cause, field })),
      ...(phase === (isDeleting ? "Terminating" : "Active")
        ? []
        : [invalidValue("status.Phase", phase, "does not fit `deletionTimestamp`")]),
    ];
  },
};
