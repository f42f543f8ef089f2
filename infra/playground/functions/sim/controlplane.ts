import { defineFunction } from "../../../../shared/function/define-function.ts";
import { done } from "../../../../shared/function/result.ts";
import { SimControlPlane } from "../../api/sim-controlplane.ts";
import { statusParts } from "./rules/control-plane-spec-parts.ts";
import { reportControlPlane, storedValues } from "./rules/control-plane-status.ts";

const OWNED = [
  "status.initialization.controlPlaneInitialized",
  "status.selector",
  "status.replicas",
  "status.readyReplicas",
  "status.availableReplicas",
  "status.upToDateReplicas",
  "status.versions",
  "status.version",
  "status.externalManagedControlPlane",
  "status.failureReason",
  "status.failureMessage",
  "status.observedGeneration",
  "status.conditions",
] as const;
type Owned = (typeof OWNED)[number];

export const simControlplane = defineFunction<SimControlPlane, Owned>(
  {
    name: "sim-controlplane",
    summary: "Computes the status of a SimControlPlane, under the contract v1beta2.",
    source: "own",
    reconciles: SimControlPlane,
    ...statusParts(SimControlPlane),
    owns: OWNED,
  },
  async (object, context) => {
    const reported = await reportControlPlane(object, context);
    if (reported.state === "unowned") return { result: reported.result };
    const { conditions } = reported;
    if (reported.state === "paused") {
      return { apply: { ...storedValues(object, OWNED), "status.conditions": conditions }, result: done };
    }
    const { report } = reported;
    return {
      apply: {
        "status.initialization.controlPlaneInitialized": report.initialized,
        "status.selector": report.selector,
        "status.replicas": report.replicas,
        "status.readyReplicas": report.readyReplicas,
        "status.availableReplicas": report.availableReplicas,
        "status.upToDateReplicas": report.upToDateReplicas,
        "status.versions": report.versions,
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
