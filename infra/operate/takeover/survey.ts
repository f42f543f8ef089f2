import type { Cluster } from "../../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { CLUSTER_GROUP, type Kind, type ObjectKey } from "../../../shared/api/kinds.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { type Core, readCore } from "./core.ts";
import { allMembers, clusterOf, FAMILIES, type Member, nameOf } from "./families.ts";
import { type Maker, makersOf } from "./makers.ts";
import { missingRights, missingToPatch } from "./rights.ts";

/** The task of a take-over. */
export interface Scope {
  /** Clusters, `<namespace>/<name>`; empty: all. */
  readonly clusters: readonly string[];
  /** All at once, while no manager of Cluster API leads; else Cluster by Cluster, beside one with a `--watch-filter`. */
  readonly parkLease: boolean;
  /** The Deployment of Cluster API's manager. */
  readonly core: ObjectKey;
  /** Value of the label of Capstan's objects: its `--watch-filter`. */
  readonly filter: string;
}

/** One Cluster with its objects. */
export interface ClusterSurvey {
  /** `<namespace>/<name>` */
  readonly name: string;
  readonly cluster: Cluster;
  readonly members: readonly Member[];
  readonly makers: readonly Maker[];
}

/** Everything that a plan looks at, read live. */
export interface Survey {
  readonly core: Core | undefined;
  /** Those in the scope. */
  readonly clusters: readonly ClusterSurvey[];
  /** CRDs of the kinds that change hands, by kind; undefined: there is none. */
  readonly definitions: ReadonlyMap<string, CustomResourceDefinition | undefined>;
  /** Rights that the account of this command lacks: `patch machines.cluster.x-k8s.io`. */
  readonly missingRights: readonly string[];
}

/** Reads all of it. Throws when the server does not answer, or when this account may not read. */
export async function readSurvey(client: ServerClient, scope: Scope): Promise<Survey> {
  const [core, definitions, rights] = await Promise.all([
    readCore(client, scope.core),
    readDefinitions(client),
    missingRights(client, scope.core.namespace),
  ]);
  const served = FAMILIES.every((kind) => isServed(definitions.get(kind.kind), kind));
  const members = served ? await allMembers(client) : [];
  const wanted = new Set(scope.clusters);
  const byCluster = Map.groupBy(members, clusterOf);
  const named = members.filter(
    ({ kind, object }) => kind.kind === "Cluster" && (wanted.size === 0 || wanted.has(nameOf(object))),
  );
  const clusters = await Promise.all(
    named.map(async ({ object }) => {
      const own = byCluster.get(nameOf(object)) ?? [];
      const makers = await makersOf(client, own);
      return { name: nameOf(object), cluster: object as Cluster, members: own, makers };
    }),
  );
  const templates = clusters.flatMap(({ makers }) => makers.flatMap(({ template }) => template ?? []));
  const lacking = [...rights, ...(await missingToPatch(client, templates))];
  return { core, clusters, definitions, missingRights: lacking };
}

function isServed(crd: CustomResourceDefinition | undefined, { version }: Kind): boolean {
  return crd?.spec.versions.some(({ name, served }) => name === version && served) === true;
}

async function readDefinitions(client: ServerClient): Promise<Survey["definitions"]> {
  const found = await Promise.all(
    FAMILIES.map(async ({ kind, plural }) => {
      const key = { namespace: "", name: `${plural}.${CLUSTER_GROUP}` };
      return [kind, await client.get(CustomResourceDefinition, key)] as const;
    }),
  );
  return new Map(found);
}
