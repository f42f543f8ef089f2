import * as z from "zod";
import type { Kind, KubeObject } from "./kinds.ts";
import { objectMetaSchema, typeMeta, validations } from "./meta.ts";
import { AGE, conditionColumn, PAUSED } from "./printer-columns.ts";
import clusterClass from "./published/clusterclasses.json" with { type: "json" };
import extensionConfig from "./published/extensionconfigs.json" with { type: "json" };

// Kinds that clients look for, and that Capstan does not run. `published/` holds their schemas as Cluster API v1.14.2
// publishes them for v1beta2, without descriptions: `npm run compare-release` says where a later version differs.

/** Returns why an object of the kind is refused, and what to do. */
function refusalOf(kind: string, instead: string): string {
  return `Capstan does not run kind ${kind}, which needs the manager of Cluster API; ${instead}, or run Capstan beside it (infra/guides/take-over.md)`;
}

/**
 * Refuses every object that is made: a request that creates one has no status. Differs: one that Cluster API has run, and
 * left when it was uninstalled, may change, for its finalizers could not be removed otherwise.
 */
const refused = (published: object, description: string, message: string) => () =>
  z.looseObject({ ...typeMeta(), metadata: objectMetaSchema() }).meta({
    ...published,
    description,
    ...validations({ rule: "has(self.status)", message, reason: "FieldValueForbidden", fieldPath: ".spec" }),
  });

const CLUSTER_CLASS = refusalOf(
  "ClusterClass",
  "write a Cluster with infrastructureRef and controlPlaneRef instead",
);
const EXTENSION_CONFIG = refusalOf("ExtensionConfig", "leave it out, for nothing calls extensions");

export const ClusterClass: Kind = {
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: "ClusterClass",
  plural: "clusterclasses",
  namespaced: true,
  schema: refused(
    clusterClass,
    "A template of Clusters. Served for reading: none can be made.",
    CLUSTER_CLASS,
  ),
  crd: {
    shortNames: ["cc"],
    categories: ["cluster-api"],
    status: true,
    printerColumns: [
      PAUSED,
      conditionColumn("Variables Ready", "VariablesReady", {
        description: "Whether its variables are valid",
      }),
      AGE,
    ],
  },
};

export const ExtensionConfig: Kind = {
  group: "runtime.cluster.x-k8s.io",
  version: "v1beta2",
  kind: "ExtensionConfig",
  plural: "extensionconfigs",
  namespaced: false,
  schema: refused(
    extensionConfig,
    "A server of runtime extensions. Served for reading: none can be made.",
    EXTENSION_CONFIG,
  ),
  crd: {
    shortNames: ["ext"],
    categories: ["cluster-api"],
    status: true,
    printerColumns: [
      PAUSED,
      conditionColumn("Discovered", "Discovered", { description: "Whether its extensions are known" }),
      AGE,
    ],
  },
};

const REFUSALS: ReadonlyMap<string, string> = new Map([
  [`${ClusterClass.group}/${ClusterClass.kind}`, CLUSTER_CLASS],
  [`${ExtensionConfig.group}/${ExtensionConfig.kind}`, EXTENSION_CONFIG],
]);

/** Returns why an object of Cluster API will not be worked on, and what to do; `undefined` when nothing is against it. */
export function notRun({ apiVersion, kind }: Pick<KubeObject, "apiVersion" | "kind">): string | undefined {
  return REFUSALS.get(`${apiVersion.split("/")[0]}/${kind}`);
}
