import { CLUSTER_NAME_LABEL, DEPLOYMENT_NAME_LABEL, PAUSED_ANNOTATION } from "../../../shared/api/indexes.ts";
import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../../shared/api/machineset.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";
import { DESIRED_REPLICAS, REVISION_HISTORY } from "../../../shared/rules/rollout/plan-input.ts";

export type Texts = { readonly [key: string]: string };

/** The label by which the Machines of one set are not those of another; it never changes. */
export const HASH_LABEL = "machine-template-hash";

/** The annotation on a set with the number of Machines that its deployment may have during a rollout. */
export const MAX_REPLICAS = "machinedeployment.clusters.x-k8s.io/max-replicas";

/** Fields that deployment and set have in the same place, each as a whole. */
export const WHOLE_FIELDS = [
  "spec.template.spec.minReadySeconds",
  "spec.template.spec.readinessGates",
  "spec.template.spec.taints",
] as const;
/** The same of fields whose parent must not be empty. */
export const PARENTS = {
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

/**
 * The annotation on a set that says what its deployment has given it, as JSON: keys of labels, annotations and template
 * annotations, and paths of fields. A key that leaves the deployment leaves the set; all else on the set is of others.
 */
export const GIVEN = "capstan.dev/keys-from-deployment";

export interface Tracker {
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

/** Returns what the tracker of a set lists; a value that Capstan did not write lists nothing. */
export function givenBefore({ metadata }: MachineSet): Tracker {
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
