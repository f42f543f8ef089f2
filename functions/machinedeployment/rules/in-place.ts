import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { sameJson, valueAt } from "../../../shared/api/path.ts";
import { mapPatch, type TemplateMetadata } from "../../../shared/rules/machines/template-keys.ts";
import { KEY_FIELDS } from "../../../shared/rules/metadata/labels.ts";
import {
  GIVEN,
  givenBefore,
  HASH_LABEL,
  PARENTS,
  passedOn,
  setLabels,
  type Texts,
  type Tracker,
  trackerOf,
  WHOLE_FIELDS,
} from "./given.ts";

/** The fields of a set that `inPlacePatch` writes. */
export const IN_PLACE_FIELDS = [
  ...KEY_FIELDS,
  "spec.template.metadata",
  ...WHOLE_FIELDS,
  "spec.template.spec.deletion",
  "spec.deletion",
  "spec.machineNaming",
] as const;

/**
 * Operations that bring a set, current or old, to what the deployment gives without replacing a Machine; none when all is
 * right. `planned` are annotations that the plan gives beside. Keys of others on the set stay.
 *
 * Differs: the selector of a set never changes, nor do the labels of its template that the selector wants: its Machines
 * would be lost to it. A label `machine-template-hash` that a user has changed is restored from the selector, and a set
 * without one is kept without it.
 */
export function inPlacePatch(
  deployment: MachineDeployment,
  set: MachineSet,
  planned: Texts,
): readonly PatchOperation[] {
  const before = givenBefore(set);
  const { selector, template } = set.spec;
  const selected = selector.matchLabels ?? {};
  const hash = selected[HASH_LABEL] ?? template.metadata?.labels?.[HASH_LABEL];
  const tracked = { ...passedOn(deployment), ...planned, [GIVEN]: trackerOf(deployment) };
  const { labels = {}, annotations = {} } = deployment.spec.template.metadata ?? {};
  return [
    ...mapPatch("/metadata/labels", set.metadata.labels, setLabels(deployment, hash), before.labels),
    ...mapPatch("/metadata/annotations", set.metadata.annotations, tracked, before.annotations),
    ...templatePatch(set, { labels: { ...labels, ...selected }, annotations }, before),
    ...wholesPatch(deployment, set, before),
    ...Object.entries(PARENTS).flatMap(([parent, members]) =>
      membersPatch(deployment, set, [parent, members], before),
    ),
  ];
}

function templatePatch(
  { spec }: MachineSet,
  desired: TemplateMetadata,
  { labels, templateAnnotations }: Tracker,
): readonly PatchOperation[] {
  const path = "/spec/template/metadata";
  const { metadata } = spec.template;
  if (metadata === undefined) return [{ op: "add", path, value: desired }];
  return [
    ...mapPatch(`${path}/labels`, metadata.labels, desired.labels, labels),
    ...mapPatch(`${path}/annotations`, metadata.annotations, desired.annotations, templateAnnotations),
  ];
}

function wholesPatch(
  deployment: MachineDeployment,
  set: MachineSet,
  { fields }: Tracker,
): readonly PatchOperation[] {
  return WHOLE_FIELDS.flatMap((path) => {
    const [present, desired] = [valueAt(set, path), valueAt(deployment, path)];
    const isKept = desired === undefined && !fields.includes(path);
    return isKept ? [] : valuePatch(pointerOf(path), present, desired);
  });
}

function membersPatch(
  deployment: MachineDeployment,
  set: MachineSet,
  [parent, members]: readonly [string, readonly string[]],
  { fields }: Tracker,
): readonly PatchOperation[] {
  const present = Object(valueAt(set, parent) ?? {});
  const left = members.filter((member) => fields.includes(`${parent}.${member}`));
  const kept = Object.entries(present).filter(([member]) => !left.includes(member));
  const desired = { ...Object.fromEntries(kept), ...Object(valueAt(deployment, parent) ?? {}) };
  return valuePatch(
    pointerOf(parent),
    valueAt(set, parent),
    Object.keys(desired).length === 0 ? undefined : desired,
  );
}

function pointerOf(path: string): string {
  return `/${path.replaceAll(".", "/")}`;
}

function valuePatch(path: string, present: unknown, desired: unknown): readonly PatchOperation[] {
  if (sameJson(present, desired)) return [];
  return desired === undefined ? [{ op: "remove", path }] : [{ op: "add", path, value: desired }];
}
