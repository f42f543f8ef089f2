import { defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { SimControlPlaneLegacy } from "../../api/sim-controlplane-legacy.ts";
import { statusParts } from "./rules/control-plane-spec-parts.ts";
import { reportControlPlane, type StoredConditions, storedValues } from "./rules/control-plane-status.ts";

const OWNED = [
  "status.initialized",
  "status.ready",
  "status.selector",
  "status.replicas",
  "status.readyReplicas",
  "status.updatedReplicas",
  "status.unavailableReplicas",
  "status.version",
  "status.externalManagedControlPlane",
  "status.failureReason",
  "status.failureMessage",
  "status.observedGeneration",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

export const simLegacy = defineFunction<SimControlPlaneLegacy, Owned>(
  {
    name: "sim-legacy",
    summary: "Computes the status of a SimControlPlaneLegacy, under the contract v1beta1.",
    source: "own",
    reconciles: SimControlPlaneLegacy,
    ...statusParts(SimControlPlaneLegacy),
    owns: OWNED,
  },
  async (object, context) => {
    const reported = await reportControlPlane(object, context);
    if (reported.state === "unowned") return { result: reported.result };
    const conditions = legacyConditions(reported.conditions);
    if (reported.state === "paused") {
      return { apply: { ...storedValues(object, OWNED), "status.conditions": conditions }, result: done };
    }
    const { report } = reported;
    return {
      apply: {
        "status.initialized": report.initialized,
        "status.ready": report.initialized,
        "status.selector": report.selector,
        "status.replicas": report.replicas,
        "status.readyReplicas": report.readyReplicas,
        "status.updatedReplicas": report.upToDateReplicas,
        "status.unavailableReplicas": Math.max(0, object.spec.replicas - report.availableReplicas),
        "status.version": report.versions?.[0]?.version,
        "status.externalManagedControlPlane": report.external || undefined,
        "status.failureReason": report.failureReason,
        "status.failureMessage": report.failureMessage,
        "status.observedGeneration": object.metadata.generation,
        "status.conditions": conditions,
      },
      result: report.result,
    };
  },
);

/** Those that are False say how severe that is; `Ready` is what `Available` is under the newer contract. */
function legacyConditions(conditions: StoredConditions): StoredConditions {
  const others = conditions.filter(({ type }) => type !== "Ready");
  const available = others.find(({ type }) => type === "Available");
  const all = available === undefined ? others : [...others, { ...available, type: "Ready" }];
  return all.map(({ severity: _, ...each }) =>
    each.status === "False" ? { ...each, severity: each.type === "Ready" ? "Warning" : "Info" } : each,
  );
}
