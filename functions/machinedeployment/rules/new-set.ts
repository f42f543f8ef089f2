import { apiVersionOf, MANAGEMENT } from "../../../shared/api/kinds.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet, SET_FINALIZER } from "../../../shared/api/machineset.ts";
import type { NewObject } from "../../../shared/function/define-function.ts";
import { controllerReference } from "../../../shared/rules/metadata/owner-references.ts";
import { ROLLOUT_AFTER } from "../../../shared/rules/rollout/plan-input.ts";
import type { SetName } from "../../../shared/rules/rollout/set-name.ts";
import { GIVEN, HASH_LABEL, passedOn, setLabels, trackerOf } from "./given.ts";

/** Facts about a new set beside its template. */
interface Birth extends SetName {
  readonly replicas: number;
  /** Annotations that the plan gives. */
  readonly planned: { readonly [key: string]: string };
  /** `spec.rollout.after`, once it is past. */
  readonly after: string | undefined;
}

/** Returns the set of a deployment's template, so complete that its own functions find nothing to add. */
export function newSet(
  deployment: MachineDeployment,
  { name, hash, replicas, planned, after }: Birth,
): NewObject {
  const { clusterName, selector, template, deletion, machineNaming } = deployment.spec;
  const labels = { ...template.metadata?.labels, [HASH_LABEL]: hash };
  const object: MachineSet = {
    apiVersion: apiVersionOf(MachineSet),
    kind: MachineSet.kind,
    metadata: {
      name,
      namespace: deployment.metadata.namespace ?? "",
      labels: setLabels(deployment, hash),
      annotations: {
        ...passedOn(deployment),
        ...planned,
        ...(after === undefined ? {} : { [ROLLOUT_AFTER]: after }),
        [GIVEN]: trackerOf(deployment),
      },
      finalizers: [SET_FINALIZER],
      ownerReferences: [controllerReference(MachineDeployment, deployment)],
    },
    spec: {
      clusterName,
      replicas,
      selector: { ...selector, matchLabels: { ...selector?.matchLabels, [HASH_LABEL]: hash } },
      template: { ...template, metadata: { ...template.metadata, labels } },
      ...(deletion === undefined ? {} : { deletion }),
      ...(machineNaming === undefined ? {} : { machineNaming }),
    },
  };
  return { cluster: MANAGEMENT, kind: MachineSet, object };
}
