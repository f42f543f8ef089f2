import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL, SET_NAME_LABEL } from "../../../shared/api/indexes.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import { type InPlaceTemplate, templateKeysOf } from "../../../shared/rules/machines/in-place.ts";
import type { MachineDesign } from "../../../shared/rules/machines/new-machine.ts";
import { controllerReference } from "../../../shared/rules/metadata/owner-references.ts";

/** Returns the part of a set's template that its Machines follow without being replaced. */
export function setTemplate({ metadata, spec }: MachineSet): InPlaceTemplate {
  const { labels = {}, annotations = {} } = spec.template.metadata ?? {};
  const deployment = metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  return {
    own: { labels, annotations },
    metadata: {
      annotations,
      labels: {
        ...labels,
        [SET_NAME_LABEL]: labelValueOf(metadata.name),
        [CLUSTER_NAME_LABEL]: spec.clusterName,
        ...(deployment === undefined ? {} : { [DEPLOYMENT_NAME_LABEL]: deployment }),
      },
    },
    spec: spec.template.spec,
  };
}

/** Returns a new Machine of the set, but for its name. */
export function designOf(set: MachineSet): MachineDesign {
  const template = setTemplate(set);
  return {
    namespace: set.metadata.namespace ?? "",
    controller: controllerReference(MachineSet, set),
    metadata: template.metadata,
    keys: templateKeysOf(template),
    spec: set.spec.template.spec,
  };
}
