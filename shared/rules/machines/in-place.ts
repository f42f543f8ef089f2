import type { KubeObject } from "../../api/kinds.ts";
import type { Machine } from "../../api/machine/machine.ts";
import { NODE_DELETION_TIMEOUT_SECONDS } from "../../api/machine/machine-template.ts";
import type { PatchOperation } from "../../api/patch.ts";
import { sameJson } from "../../api/path.ts";
import { isDeleting } from "../../function/guards.ts";
import { KEY_FIELDS } from "../metadata/labels.ts";
import {
  metadataPatch,
  TEMPLATE_KEYS,
  type TemplateMetadata,
  trackedKeys,
  trackerOf,
} from "./template-keys.ts";

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

/** The part of a template of Machines that existing Machines follow without being replaced. */
export interface InPlaceTemplate {
  /** Labels and annotations of everything that belongs to a Machine, those that the owner adds too. */
  readonly metadata: TemplateMetadata;
  /** Those that the template itself gives. */
  readonly own: TemplateMetadata;
  readonly spec: Pick<Machine["spec"], (typeof SPEC_FIELDS)[number] | "deletion">;
}

/** Returns the keys of labels and annotations, and the fields of the spec, that a template gives; for the tracker. */
export function templateKeysOf({ own, spec }: InPlaceTemplate): readonly string[] {
  return [
    ...Object.keys(own.labels),
    ...Object.keys(own.annotations),
    ...SPEC_FIELDS.filter((field) => spec[field] !== undefined).map(keyOf),
    ...TIMEOUTS.filter((field) => spec.deletion?.[field] !== undefined).map(keyOf),
  ];
}

/** A field of the template's spec in the tracker. No label key begins with a dot. */
function keyOf(field: string): string {
  return `.spec.${field}`;
}

/** Returns the keys that have left the template since a Machine was written. */
export function goneKeys(template: InPlaceTemplate, machine: Machine): readonly string[] {
  const present = new Set(templateKeysOf(template));
  return trackedKeys(machine).filter((key) => !present.has(key));
}

/**
 * Operations that bring the in-place fields of a Machine to the template; none when all are right. Fields that the
 * template never had stay as a user has set them. A Machine that is being deleted gets fields of its spec only.
 */
export function inPlacePatch(template: InPlaceTemplate, machine: Machine): readonly PatchOperation[] {
  const gone = goneKeys(template, machine);
  const spec = specPatch(template, machine, gone);
  if (isDeleting(machine)) return spec;
  const { labels, annotations } = template.metadata;
  const tracker = trackerOf(templateKeysOf(template));
  const tracked = tracker === undefined ? annotations : { ...annotations, [TEMPLATE_KEYS]: tracker };
  const leaving = tracker === undefined ? [...gone, TEMPLATE_KEYS] : gone;
  return [...metadataPatch(machine, { labels, annotations: tracked }, leaving), ...spec];
}

/**
 * Operations that bring labels and annotations of a Machine's config or infrastructure machine to the template. They
 * are written before those of the Machine, whose tracker says what is still to be removed.
 */
export function objectPatch(
  template: InPlaceTemplate,
  machine: Machine,
  object: KubeObject,
): readonly PatchOperation[] {
  return isDeleting(machine) ? [] : metadataPatch(object, template.metadata, goneKeys(template, machine));
}

function specPatch(
  template: InPlaceTemplate,
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
