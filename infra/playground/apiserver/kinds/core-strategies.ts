import { type Cause, forbiddenField, invalidValue } from "../errors/status-error.ts";
import { type JsonObject, sameJson } from "../objects/json.ts";
import { type KubeObject, listAt, objectAt, omit, textAt, withMetadata } from "../objects/kube-object.ts";
import { withConditionTimes } from "../schema/zero-values.ts";
import { finalizerDomainCauses, qualifiedNameCauses } from "./metadata.ts";
import type { Strategy } from "./registry.ts";

const DEFAULT_GRACE_SECONDS = 30;

/** This server does not run Pods; a new one waits. Their specs are taken as they are, without defaults. */
export const podStrategy: Strategy = {
  prepare: (next, live) => (live ? next : { ...next, status: { phase: "Pending" } }),
  gracePeriodSeconds(live, asked) {
    const spec = objectAt(live, "spec");
    const phase = textAt(objectAt(live, "status"), "phase");
    if (textAt(spec, "nodeName") === "" || phase === "Succeeded" || phase === "Failed") return 0;
    const seconds = asked ?? Number(spec["terminationGracePeriodSeconds"] ?? DEFAULT_GRACE_SECONDS);
    return seconds < 0 ? 1 : seconds;
  },
};

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

/* ConfigMaps and Secrets: immutable when they say so. Source: Kubernetes v1.34, pkg/apis/core/validation/validation.go */

export const configMapStrategy: Strategy = {
  defaults: (next) => ({ ...next, ...withTexts(next, "data"), ...withTexts(next, "binaryData") }),
  validate: (next, live) => immutabilityCauses(next, live, ["data", "binaryData"]),
};

export const secretStrategy: Strategy = {
  defaults(next) {
    const { stringData, data: _, ...rest } = next;
    const given = objectAt({ ...(stringData === undefined ? {} : { stringData }) }, "stringData");
    const encoded = Object.entries(given).map(([key, value]) => [
      key,
      Buffer.from(String(value ?? "")).toString("base64"),
    ]);
    const data = { ...withTexts(next, "data")["data"], ...Object.fromEntries(encoded) };
    const type = textAt(next, "type") || "Opaque";
    return { ...rest, ...(Object.keys(data).length === 0 ? {} : { data }), type } as KubeObject;
  },
  validate(next, live) {
    const type = textAt(next, "type");
    return [
      ...(live && textAt(live, "type") !== type ? [invalidValue("type", type, "field is immutable")] : []),
      ...immutabilityCauses(next, live, ["data"]),
    ];
  },
};

/** A null is an empty text. */
function withTexts(of: KubeObject, member: string): Readonly<Record<string, JsonObject>> {
  if (of[member] === undefined) return {};
  const texts = Object.entries(objectAt(of, member)).map(([key, value]) => [key, value ?? ""]);
  return { [member]: Object.fromEntries(texts) };
}

function immutabilityCauses(
  next: KubeObject,
  live: KubeObject | undefined,
  members: readonly string[],
): Cause[] {
  if (live?.["immutable"] !== true) return [];
  const changed = members.filter((member) => !sameJson(next[member], live[member]));
  const fields = [...(next["immutable"] === true ? [] : ["immutable"]), ...changed];
  return fields.map((field) => forbiddenField(field, "field is immutable when `immutable` is set"));
}
