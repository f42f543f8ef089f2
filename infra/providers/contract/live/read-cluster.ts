import { CustomResourceDefinition, Secret } from "../../../../shared/api/core.ts";
import type { Kind, KubeObject, ObjectKey } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { contractRoleOf } from "../../../../shared/contract/rules/crd/contract-kinds.ts";
import { clusterOf } from "../../../../shared/contract/rules/objects/cluster-secrets.ts";
import type { SecretFacts } from "../../../../shared/contract/rules/objects/subject.ts";
import { claimsOf } from "../../../../shared/contract/version.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import { isObject } from "../../../platform/kube/kind-shapes.ts";
import type { ServerClient } from "../../../platform/kube/verbs.ts";
import { type CrdFacts, crdFacts, storedKind, typeKey } from "../../clusterctl/move/discovery-types.ts";
import type { CrdOptions } from "../judge-crds.ts";
import { type GivenObject, givenObject, secretFacts } from "../objects/given-object.ts";
import { isProviderType } from "../objects/judge-objects.ts";
import { moveFacts } from "../objects/lineages.ts";
import { type PlacedCrd, storedCrd } from "../read-crd.ts";

export interface Budget {
  /** Throws once the cluster has more than a check reads. */
  take(objects: number, bytes: number): void;
}

/** One cluster, which is only read. */
export interface Reading {
  readonly client: ServerClient;
  readonly budget: Budget;
  /** The namespace; undefined: all. */
  readonly namespace: string | undefined;
}

/** A request that the server refused: `list secrets: Forbidden`. */
export interface Refused {
  /** `simclusters.infrastructure.cluster.x-k8s.io` */
  readonly resource: string;
  readonly why: string;
}

export interface ReadCrds {
  /** Those of providers and of core. */
  readonly crds: readonly PlacedCrd[];
  /** The facts of all. */
  readonly facts: readonly CrdFacts[];
}

/** CRDs are large; a page of them stays below some MiB. */
const CRDS_PER_PAGE = 50;

/** Lists the CRDs, and keeps of those of others only what a move looks at. */
export async function readCrds(
  { client, budget }: Reading,
  { named }: Pick<CrdOptions, "named">,
): Promise<ReadCrds | Refused> {
  let crds: PlacedCrd[] = [];
  let facts: CrdFacts[] = [];
  const kind = CustomResourceDefinition as unknown as Kind;
  try {
    for await (const page of client.pages(kind, { pageItems: CRDS_PER_PAGE })) {
      if (page.first) [crds, facts] = [[], []];
      budget.take(page.items.length, page.bytes);
      for (const crd of page.items) {
        facts.push(crdFacts(crd));
        if (isObject(crd) && isJudged(crd, named)) crds.push(storedCrd(crd));
      }
    }
  } catch (error) {
    return refusedBy(error, "list", kind);
  }
  return { crds, facts };
}

/** Kinds of a contract, and those that say by a label that they belong to Cluster API. */
function isJudged(crd: KubeObject, named: CrdOptions["named"]): boolean {
  const { group, kind } = crdFacts(crd);
  const labels = Object.keys(crd.metadata.labels ?? {});
  return (
    contractRoleOf(group, kind, named) !== undefined ||
    labels.some((key) => key.startsWith("cluster.x-k8s.io/"))
  );
}

/** Returns the failure of a request without the right to it; throws every other one. */
function refusedBy(error: unknown, verb: string, { group, plural }: Pick<Kind, "group" | "plural">): Refused {
  if (!(error instanceof KubeError) || error.status !== 403) throw error;
  const resource = group === "" ? plural : `${plural}.${group}`;
  return { resource, why: `${verb} ${resource}: Forbidden` };
}

export interface ReadObjects {
  readonly objects: readonly GivenObject[];
  /** The refusals by `<group>/<Kind>`. */
  readonly refused: ReadonlyMap<string, Refused>;
}

/** Lists every object of a provider or of core; of those that rules do not look into, the metadata. */
export async function readObjects(
  reading: Reading,
  { crds, facts }: ReadCrds,
  { named }: Pick<CrdOptions, "named">,
): Promise<ReadObjects> {
  const objects: GivenObject[] = [];
  const refused = new Map<string, Refused>();
  const claimed = new Map(crds.map((placed) => [typeKey(moveFacts(placed.crd)), placed]));
  const wanted = facts.filter((each) => each.discovered || isProviderType(each, { named }));
  await sideBySide(wanted, async (each) => {
    const kind = kindOf(each, claimed.get(typeKey(each)));
    if (kind === undefined) return;
    const isWhole =
      CORE_TYPES.has(typeKey(kind)) ||
      isOtherMoved(each) ||
      contractRoleOf(kind.group, kind.kind, named) !== undefined;
    try {
      objects.push(...(await listObjects(reading, kind, isWhole)));
    } catch (error) {
      refused.set(typeKey(kind), refusedBy(error, "list", kind));
    }
  });
  return { objects, refused };
}

/** Kinds beside those of Cluster API whose objects clusterctl moves, such as RemediationPolicy. */
export function isOtherMoved({ group, discovered }: CrdFacts): boolean {
  return discovered && !/(?:^|\.)cluster\.x-k8s\.io$/.test(group);
}

/** Kinds of core that rules look into. */
const CORE_TYPES: ReadonlySet<string> = new Set([
  "cluster.x-k8s.io/Cluster",
  "cluster.x-k8s.io/MachinePool",
  "ipam.cluster.x-k8s.io/IPAddressClaim",
  "ipam.cluster.x-k8s.io/IPAddress",
]);

/** Returns the kind in the version that core reads, where it is served. */
export function kindOf(facts: CrdFacts, placed: PlacedCrd | undefined): Kind | undefined {
  const stored = storedKind(facts);
  const claimed = placed === undefined ? undefined : claimsOf(placed.crd)[0]?.version;
  const version = claimed !== undefined && facts.served.includes(claimed) ? claimed : stored?.version;
  return stored === undefined || version === undefined ? undefined : { ...stored, version };
}

async function listObjects(
  { client, budget, namespace }: Reading,
  kind: Kind,
  isWhole: boolean,
): Promise<readonly GivenObject[]> {
  let found: GivenObject[] = [];
  const wanted = { namespace: kind.namespaced ? namespace : undefined, metadataOnly: !isWhole };
  try {
    for await (const page of client.pages(kind, wanted)) {
      if (page.first) found = [];
      budget.take(page.items.length, page.bytes);
      for (const object of page.items) {
        const { group, version } = kind;
        // The server answers metadata as objects of another kind.
        const typed = { ...object, apiVersion: `${group}/${version}`, kind: kind.kind };
        const given = givenObject(typed);
        if (given !== undefined) found.push(given);
      }
    }
  } catch (error) {
    if (error instanceof KubeError && error.reason === "TypeNotServed") return [];
    throw error;
  }
  return found;
}

export interface ReadSecrets {
  readonly secrets: readonly SecretFacts[];
  readonly refused: ReadonlyMap<string, Refused>;
}

/** Reads each Secret that rules ask for, by its name. */
export async function readSecrets(
  { client, budget }: Reading,
  keys: readonly ObjectKey[],
): Promise<ReadSecrets> {
  const secrets: SecretFacts[] = [];
  const refused = new Map<string, Refused>();
  const kind = Secret as unknown as Kind;
  await sideBySide(keys, async (key) => {
    try {
      const found = await client.get(Secret, key);
      budget.take(1, 0);
      if (found !== undefined) secrets.push(secretFacts(found));
    } catch (error) {
      refused.set(`${key.namespace}/${key.name}`, refusedBy(error, "get", kind));
    }
  });
  return { secrets, refused };
}

const PURPOSES = ["kubeconfig", "ca", "etcd", "proxy", "sa"];

/** Secrets that rules look at: those of each Cluster with a control plane, and the bootstrap data. */
export function neededSecrets(
  objects: readonly GivenObject[],
  roleOf: (object: KubeObject) => ReturnType<typeof contractRoleOf>,
): readonly ObjectKey[] {
  const keys = new Map<string, ObjectKey>();
  const add = (namespace: string, name: string): void => {
    keys.set(`${namespace}/${name}`, { namespace, name });
  };
  for (const { object } of objects) {
    const role = roleOf(object);
    if (role === undefined || role.isTemplate) continue;
    const { namespace = "" } = object.metadata;
    const name = valueAt(object, "status.dataSecretName");
    if (role.contractKind === "BootstrapConfig" && typeof name === "string" && name !== "")
      add(namespace, name);
    const cluster = role.contractKind === "ControlPlane" ? clusterOf(object) : undefined;
    if (cluster !== undefined) for (const purpose of PURPOSES) add(namespace, `${cluster}-${purpose}`);
  }
  return [...keys.values()];
}
