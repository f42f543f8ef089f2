import { CustomResourceDefinition, isOurs } from "../../../shared/api/core.ts";
import { CLUSTER_GROUP, type KubeObject, type ObjectKey } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { compareApiVersions } from "../../../shared/contract/version.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import type { Member } from "./families.ts";
import { WEBHOOK_CONFIGURATIONS } from "./fence.ts";
import { type Finding, fail, filtersOf, rightsFindings, topologyFindings, warn } from "./findings.ts";
import { ConfigMap, missingToRetire } from "./rights.ts";
import { type Filters, standingOf } from "./standing.ts";
import type { ClusterSurvey, Scope, Survey } from "./survey.ts";

/** All that Cluster API's manager leaves behind on an API server, and what a retirement has kept of it. */
export interface Retirement {
  /** CRDs of Cluster API's core, as the release installs them. */
  readonly definitions: readonly CustomResourceDefinition[];
  /** Its webhook configurations. */
  readonly configurations: readonly Member[];
  /** CRDs of providers that claim an older contract only. */
  readonly oldProviders: readonly string[];
  /** Rights that the account of this command lacks for it. */
  readonly missingRights: readonly string[];
  /** Holds everything that a retirement has changed or removed; absent: none has begun. */
  readonly kept: KubeObject | undefined;
}

/** The label of every object of a release of Cluster API's core. */
const OF_CORE = "cluster.x-k8s.io/provider=cluster-api";
/** Source: Cluster API v1.14.0, core/config/webhook */
const NAMES = /^capi-(mutating|validating)-webhook-configuration$/;
export function keptKey(namespace: string): ObjectKey {
  return { namespace, name: "capstan-retired-cluster-api" };
}

export async function readRetirement(client: ServerClient, namespace: string): Promise<Retirement> {
  const [{ items: definitions }, { items: old }, kept, ...configurations] = await Promise.all([
    client.list(CustomResourceDefinition, { labelSelector: OF_CORE }),
    client.list(CustomResourceDefinition, {
      labelSelector: `${CLUSTER_GROUP}/v1beta1,!${CLUSTER_GROUP}/v1beta2`,
    }),
    client.get(ConfigMap, keptKey(namespace)),
    ...WEBHOOK_CONFIGURATIONS.map(async (kind) => {
      const { items } = await client.list(kind, {});
      return items.filter(({ metadata }) => NAMES.test(metadata.name)).map((object) => ({ kind, object }));
    }),
  ]);
  const theirs = definitions.filter((crd) => !isOurs(crd));
  return {
    definitions: theirs,
    missingRights: await missingToRetire(client, namespace, theirs),
    configurations: configurations.flat(),
    oldProviders: old.map(({ metadata }) => metadata.name),
    kept,
  };
}

/** The version in which a CRD stores its objects. */
export function storageOf({ spec }: CustomResourceDefinition): string {
  return spec.versions.find((version) => valueAt(version, "storage") === true)?.name ?? "";
}

/** Whether objects may lie in the storage in an older version: the migrator of Cluster API has not run. */
export function hasOldObjects(crd: CustomResourceDefinition): boolean {
  const stored = valueAt(crd, "status.storedVersions");
  return Array.isArray(stored) && stored.some((version) => version !== storageOf(crd));
}

const RETURN = "capstan takeover start";

/** Judges whether Cluster API's manager may be retired: nothing is its own any more. */
export function judgeRetirement(survey: Survey, scope: Scope, retirement: Retirement): readonly Finding[] {
  const { core, clusters, missingRights } = survey;
  const deployment = `Deployment ${scope.core.namespace}/${scope.core.name}`;
  return [
    ...(core === undefined ? [fail(deployment, "does not exist", "name it with --core NAMESPACE/NAME")] : []),
    ...rightsFindings([...missingRights, ...retirement.missingRights]),
    ...clusters.flatMap((cluster) => stillItsOwn(cluster, filtersOf(survey, scope))),
    ...clusters.flatMap(topologyFindings),
    ...retirement.definitions.flatMap((crd) => definitionFindings(crd, core?.replicas === 0)),
    ...oldVersionFindings(retirement.definitions),
    ...retirement.oldProviders.map((name) =>
      warn(
        `CustomResourceDefinition ${name}`,
        "claims the contract v1beta1 only: its controller may read Clusters and Machines in v1beta1",
        "upgrade that provider first, or it stops",
      ),
    ),
  ];
}

/** Judges whether a retired manager may come back. */
export function judgeReturn(
  { core }: Survey,
  scope: Scope,
  { kept, missingRights }: Retirement,
): readonly Finding[] {
  const deployment = `Deployment ${scope.core.namespace}/${scope.core.name}`;
  const { namespace, name } = keptKey(scope.core.namespace);
  return [
    ...(core === undefined ? [fail(deployment, "does not exist", "name it with --core NAMESPACE/NAME")] : []),
    ...(kept === undefined
      ? [
          fail(
            `ConfigMap ${namespace}/${name}`,
            "does not exist",
            "the manager was not retired by this command",
          ),
        ]
      : []),
    ...rightsFindings(missingRights),
  ];
}

function stillItsOwn({ name, members }: ClusterSurvey, filters: Filters): readonly Finding[] {
  const others = members.filter(({ object }) => standingOf(object, filters) !== "capstan");
  if (others.length === 0) return [];
  return [
    fail(`Cluster ${name}`, `has ${others.length} objects that are not Capstan's yet`, `${RETURN} ${name}`),
  ];
}

function definitionFindings(crd: CustomResourceDefinition, isAway: boolean): readonly Finding[] {
  const object = `CustomResourceDefinition ${crd.metadata.name}`;
  const storage = storageOf(crd);
  return [
    ...(storage === "v1beta2"
      ? []
      : [
          fail(
            object,
            `stores its objects in ${storage}`,
            "upgrade Cluster API first (clusterctl upgrade apply)",
          ),
        ]),
    ...(isAway && hasOldObjects(crd)
      ? [
          fail(
            object,
            "may have objects in an older version, which only the manager converts",
            "start the manager first",
          ),
        ]
      : []),
  ];
}

/** Versions that only the conversion serves. */
function oldVersionFindings(definitions: readonly CustomResourceDefinition[]): readonly Finding[] {
  const old = definitions.flatMap((crd) =>
    crd.spec.versions.filter(({ name, served }) => served && name !== storageOf(crd)),
  );
  if (old.length === 0) return [];
  const names = [...new Set(old.map(({ name }) => name))].toSorted(compareApiVersions).join(", ");
  const found = "are not served any more, since only the manager converts them";
  return [
    warn(
      `versions ${names} of its CustomResourceDefinitions`,
      found,
      "clients that use them stop, until capstan webhook converts them: start it, or upgrade them first",
    ),
  ];
}
