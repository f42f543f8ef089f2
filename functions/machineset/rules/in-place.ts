import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL, SET_NAME_LABEL } from "../../../shared/api/indexes.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import type { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { labelValueOf } from "../../../shared/api/names.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { sameJson } from "../../../shared/api/path.ts";
import {
  type MachineDesign,
  NODE_DELETION_TIMEOUT_SECONDS,
} from "../../../shared/rules/machines/new-machine.ts";
import {
  metadataPatch,
  TEMPLATE_KEYS,
  type TemplateMetadata,
  trackedKeys,
  trackerOf,
} from "../../../shared/rules/machines/template-keys.ts";
import { isDeleting } from "../../../shared/rules/metadata/deletion.ts";
import { KEY_FIELDS } from "../../../shared/rules/metadata/labels.ts";
import { controllerReference } from "../../../shared/rules/metadata/owner-references.ts";

/** Fields of a Machine's spec that follow the template, beside those of `deletion`. */
const SPEC_FIELDS = ["minReadySeconds", "readinessGates", "taints"] as const;
const TIMEOUTS = [
  "nodeDrainTimeoutSeconds",
  "nodeVolumeDetachTimeoutSeconds",
  "nodeDeletionTimeoutSeconds",
] as const;
type Timeouts = NonNullable<Machine["spec"]["deletion"]>;

/** The fields of a Machine that `inPlacePatch` writes. */
export const IN_PLACE_FIELDS = [
  ...KEY_FIELDS,
  "spec.minReadySeconds",
  "spec.readinessGates",
  "spec.taints",
  "spec.deletion",
] as const;

/** Returns the labels and annotations of everything that belongs to a Machine of the set. Source: MS-7 */
export function setMetadata({ metadata, spec }: MachineSet): TemplateMetadata {
  const { labels = {}, annotations = {} } = spec.template.metadata ?? {};
  const deployment = metadata.labels?.[DEPLOYMENT_NAME_LABEL];
  return {
    annotations,
    labels: {
      ...labels,
      [SET_NAME_LABEL]: labelValueOf(metadata.name),
      [CLUSTER_NAME_LABEL]: spec.clusterName,
      ...(deployment === undefined ? {} : { [DEPLOYMENT_NAME_LABEL]: deployment }),
    },
  };
}

/** Returns a new Machine of the set, but for its name. Source: MS-8.1.2 */
export function designOf(set: MachineSet): MachineDesign {
  const metadata = setMetadata(set);
  return {
    namespace: set.metadata.namespace ?? "",
    controller: controllerReference(MachineSet, set),
    metadata,
    keys: [...metadataKeys(set), ...specKeys(set)],
    spec: set.spec.template.spec,
  };
}

function metadataKeys({ spec }: MachineSet): readonly string[] {
  const { labels = {}, annotations = {} } = spec.template.metadata ?? {};
  return [...Object.keys(labels), ...Object.keys(annotations)];
}

/** Fields of the template's spec in the tracker. No label key begins with a dot. */
function specKeys({ spec }: MachineSet): readonly string[] {
  const { template } = spec;
  return [
    ...SPEC_FIELDS.filter((field) => template.spec[field] !== undefined).map(keyOf),
    ...TIMEOUTS.filter((field) => template.spec.deletion?.[field] !== undefined).map(keyOf),
  ];
}

function keyOf(field: string): string {
  return `.spec.${field}`;
}

/** Returns the keys of labels and annotations that have left the template since a Machine was written. Source: MS-7 */
export function goneKeys(set: MachineSet, machine: Machine): readonly string[] {
  const present = new Set([...metadataKeys(set), ...specKeys(set)]);
  return trackedKeys(machine).filter((key) => !present.has(key));
}

/**
 * Operations that bring the in-place fields of a Machine to the template; none when all are right. Fields that the
 * template never had stay as a user has set them. A Machine that is being deleted gets fields of its spec only.
 * Source: MS-7
 */
export function inPlacePatch(set: MachineSet, machine: Machine): readonly PatchOperation[] {
  const gone = goneKeys(set, machine);
  const spec = specPatch(set, machine, gone);
  if (isDeleting(machine)) return spec;
  const { labels, annotations } = setMetadata(set);
  const tracker = trackerOf([...metadataKeys(set), ...specKeys(set)]);
  const tracked = tracker === undefined ? annotations : { ...annotations, [TEMPLATE_KEYS]: tracker };
  const leaving = tracker === undefined ? [...gone, TEMPLATE_KEYS] : gone;
  return [...metadataPatch(machine, { labels, annotations: tracked }, leaving), ...spec];
}

/**
 * Operations that bring labels and annotations of a Machine's config or infrastructure machine to the template. They
 * are written before those of the Machine, whose tracker says what is still to be removed. Source: MS-7
 */
export function objectPatch(
  set: MachineSet,
  machine: Machine,
  object: KubeObject,
): readonly PatchOperation[] {
  return isDeleting(machine) ? [] : metadataPatch(object, setMetadata(set), goneKeys(set, machine));
}

function specPatch(
  { spec: { template } }: MachineSet,
  { spec }: Machine,
  gone: readonly string[],
): readonly PatchOperation[] {
  const fields = SPEC_FIELDS.flatMap((field): readonly PatchOperation[] => {
    const desired = template.spec[field];
    const path = `/spec/${field}`;
    if (desired !== undefined) {
      return sameJson(spec[field], desired) ? [] : [{ op: "add", path, value: desired }];
    }
    return gone.includes(keyOf(field)) && spec[field] !== undefined ? [{ op: "remove", path }] : [];
  });
  const deletion = deletionOf(template.spec.deletion, spec.deletion, gone);
  if (sameJson(spec.deletion, deletion)) return fields;
  return [
    ...fields,
    deletion === undefined
      ? { op: "remove", path: "/spec/deletion" }
      : { op: "add", path: "/spec/deletion", value: deletion },
  ];
}

/** A timeout of Node deletion that has left the template becomes the default, which is never absent. */
function deletionOf(
  template: Timeouts | undefined,
  present: Timeouts | undefined,
  gone: readonly string[],
): Timeouts | undefined {
  const kept = Object.entries(present ?? {}).filter(([field]) => !gone.includes(keyOf(field)));
  const byDefault = gone.includes(keyOf("nodeDeletionTimeoutSeconds"))
    ? { nodeDeletionTimeoutSeconds: NODE_DELETION_TIMEOUT_SECONDS }
    : {};
  const deletion = { ...Object.fromEntries(kept), ...byDefault, ...template };
  return Object.keys(deletion).length === 0 ? undefined : deletion;
}
