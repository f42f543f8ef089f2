import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL, PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { sameJson, valueAt } from "../../../shared/api/path.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";
import { mapPatch, type TemplateMetadata } from "../../../shared/rules/machines/template-keys.ts";
import { DESIRED_REPLICAS, REVISION_HISTORY } from "../../../shared/rules/rollout/plan-input.ts";

type Texts = { readonly [key: string]: string };

/** The label that tells the Machines of one set from those of another; it never changes. */
export const HASH_LABEL = "machine-template-hash";

/** The annotation on a set with the number of Machines that its deployment may have during a rollout. */
export const MAX_REPLICAS = "machinedeployment.clusters.x-k8s.io/max-replicas";

/** Fields that deployment and set have in the same place, each as a whole. */
const WHOLE_FIELDS = [
  "spec.template.spec.minReadySeconds",
  "spec.template.spec.readinessGates",
  "spec.template.spec.taints",
] as const;
/** The same of fields whose parent must not be empty. */
const PARENTS = {
  "spec.template.spec.deletion": [
    "nodeDrainTimeoutSeconds",
    "nodeVolumeDetachTimeoutSeconds",
    "nodeDeletionTimeoutSeconds",
  ],
  "spec.deletion": ["order"],
  "spec.machineNaming": ["template"],
} as const;
const ALL_FIELDS = [
  ...WHOLE_FIELDS,
  ...Object.entries(PARENTS).flatMap(([parent, members]) => members.map((member) => `${parent}.${member}`)),
];

/** The fields of a set that `inPlacePatch` writes. */
export const IN_PLACE_FIELDS = [
  "metadata.labels",
  "metadata.annotations",
  "spec.template.metadata",
  ...WHOLE_FIELDS,
  "spec.template.spec.deletion",
  "spec.deletion",
  "spec.machineNaming",
] as const;

/**
 * The annotation on a set that says what its deployment has given it, as JSON: keys of labels, annotations and template
 * annotations, and paths of fields. What leaves the deployment leaves the set; all else on the set is of others.
 */
export const GIVEN = "capstan.dev/keys-from-deployment";

interface Tracker {
  readonly labels: readonly string[];
  readonly annotations: readonly string[];
  readonly templateAnnotations: readonly string[];
  readonly fields: readonly string[];
}

/** Annotations of a deployment that are about itself, or that its sets get by rules of their own. */
const OWN_ANNOTATIONS: ReadonlySet<string> = new Set([
  "kubectl.kubernetes.io/last-applied-configuration",
  "cluster.x-k8s.io/conversion-data",
  PAUSED_ANNOTATION,
  REVISION,
  REVISION_HISTORY,
  DESIRED_REPLICAS,
  MAX_REPLICAS,
]);
const OWN_PREFIXES = ["capstan.dev/", "clusterctl.cluster.x-k8s.io/"] as const;

/** Returns the annotations of a deployment that its sets get, too. */
export function passedOn({ metadata }: MachineDeployment): Texts {
  return Object.fromEntries(
    Object.entries(metadata.annotations ?? {}).filter(
      ([key]) => !OWN_ANNOTATIONS.has(key) && !OWN_PREFIXES.some((prefix) => key.startsWith(prefix)),
    ),
  );
}

/** Returns the labels of a set of the deployment; `hash` is that of the set, absent where it has none. */
export function setLabels({ metadata, spec }: MachineDeployment, hash: string | undefined): Texts {
  return {
    ...spec.template.metadata?.labels,
    [CLUSTER_NAME_LABEL]: spec.clusterName,
    [DEPLOYMENT_NAME_LABEL]: metadata.name,
    ...(hash === undefined ? {} : { [HASH_LABEL]: hash }),
  };
}

/** Returns the tracker of a set to which the deployment has given all that it has. */
export function trackerOf(deployment: MachineDeployment): string {
  const { labels = {}, annotations = {} } = deployment.spec.template.metadata ?? {};
  const keysOf = (texts: Texts) => Object.keys(texts).toSorted(compareText);
  const tracker: Tracker = {
    labels: keysOf(labels),
    annotations: keysOf(passedOn(deployment)),
    templateAnnotations: keysOf(annotations),
    fields: ALL_FIELDS.filter((path) => valueAt(deployment, path) !== undefined),
  };
  return JSON.stringify(tracker);
}

/** A value that Capstan did not write tracks nothing. */
function givenBefore({ metadata }: MachineSet): Tracker {
  const value = parsed(metadata.annotations?.[GIVEN]);
  const list = (key: keyof Tracker): readonly string[] => {
    const found = valueAt(value, key);
    return (Array.isArray(found) ? found : []).filter((entry): entry is string => typeof entry === "string");
  };
  return {
    labels: list("labels"),
    annotations: list("annotations"),
    templateAnnotations: list("templateAnnotations"),
    fields: list("fields"),
  };
}

function parsed(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
}

/**
 * Operations that bring a set, current or old, to what the deployment gives without replacing a Machine; none when all is
 * right. `planned` are annotations that the plan gives beside. Keys of others on the set stay.
 *
 * Differs: the selector of a set never changes, nor do the labels of its template that the selector wants: its Machines
 * would be lost to it. A label `machine-template-hash` that somebody has changed is restored from the selector, and a set
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
