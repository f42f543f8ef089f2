import { Node, Secret } from "../../../../shared/api/core.ts";
import { type ContractVersion, groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { type ContractRole, contractRoleOf } from "../../../../shared/contract/rules/crd/contract-kinds.ts";
import {
  type Snapshot,
  titleOf,
  type WorkloadNodes,
} from "../../../../shared/contract/rules/probe/subject.ts";
import { claimsOf } from "../../../../shared/contract/version.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import { createServer, type Server } from "../../../platform/kube/client.ts";
import { parseKubeconfig } from "../../../platform/kube/kubeconfig.ts";
import type { ServerClient } from "../../../platform/kube/verbs.ts";
import { type CrdFacts, SECRETS, typeKey } from "../../clusterctl/move/discovery-types.ts";
import type { CrdOptions } from "../judge-crds.ts";
import { createBudget } from "../live/check-cluster.ts";
import { kindOf, readCrds } from "../live/read-cluster.ts";
import { isProviderType } from "../objects/judge-objects.ts";
import { moveFacts } from "../objects/lineages.ts";

/** The contract of an object, and whether it is a template of it; undefined: none. */
export type RoleOf = (object: KubeObject) => ContractRole | undefined;

/** The namespace of a probe, and the kinds whose objects it watches there. */
export interface Scratch {
  readonly server: Server;
  readonly client: ServerClient;
  readonly namespace: string;
  readonly kinds: readonly Kind[];
  readonly clock: Clock;
  contractOf(object: KubeObject): ContractVersion;
  roleOf: RoleOf;
}

type Named = Pick<CrdOptions, "named">;

/** The most items of each kind in one look at the namespace; a probe has a handful. */
const MAX_ITEMS = 1_000;

/** Throws without the right to list CRDs. */
export async function openScratch(
  server: Server,
  { namespace, clock, named }: Pick<Scratch, "namespace" | "clock"> & Named,
): Promise<Scratch> {
  const client = server.as("contract-probe");
  const read = await readCrds({ client, budget: createBudget(clock), namespace: undefined }, { named });
  if ("why" in read) throw new Error(`${read.why}; the probe needs the right to it`);
  const placed = new Map(read.crds.map((one) => [typeKey(moveFacts(one.crd)), one]));
  const kinds = read.facts
    .filter((facts) => isWatched(facts, { named }))
    .flatMap((facts) => kindOf(facts, placed.get(typeKey(facts))) ?? []);
  return {
    server,
    client,
    namespace,
    kinds,
    clock,
    roleOf: ({ apiVersion, kind }) => contractRoleOf(groupOf(apiVersion), kind, named),
    contractOf({ apiVersion, kind }) {
      const crd = placed.get(typeKey({ group: groupOf(apiVersion), kind }))?.crd;
      const claims = crd === undefined ? [] : claimsOf(crd);
      const own = claims.find(({ version }) => apiVersion.endsWith(`/${version}`));
      return (own ?? claims[0])?.contract ?? "v1beta2";
    },
  };
}

/** Kinds that a life may have: those of core and providers, and others that clusterctl moves. */
function isWatched(facts: CrdFacts, named: Named): boolean {
  const isOwn = facts.discovered || isProviderType(facts, named) || facts.group.endsWith("cluster.x-k8s.io");
  return facts.namespaced && isOwn;
}

/** Reads everything in the namespace; of Secrets the metadata only. */
export async function look({ client, namespace, kinds }: Scratch): Promise<Snapshot> {
  const found = new Map<string, KubeObject>();
  await sideBySide([...kinds, SECRETS], async (kind) => {
    const metadataOnly = kind === SECRETS;
    try {
      for await (const page of client.pages(kind, { namespace, metadataOnly, maxItems: MAX_ITEMS })) {
        for (const item of page.items) {
          const object = metadataOnly ? { ...item, apiVersion: kind.version, kind: kind.kind } : item;
          found.set(titleOf(object), object);
        }
      }
    } catch (error) {
      if (!(error instanceof KubeError) || error.reason !== "TypeNotServed") throw error;
    }
  });
  return new Map([...found].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Changes an object of the namespace. */
export async function change(
  { client, namespace, kinds }: Scratch,
  object: KubeObject,
  operations: readonly PatchOperation[],
  subresource?: "status",
): Promise<void> {
  const kind = kindIn(kinds, object);
  if (kind === undefined) return;
  await client.jsonPatch(kind, { namespace, name: object.metadata.name }, operations, subresource);
}

export function kindIn(kinds: readonly Kind[], { apiVersion, kind }: KubeObject): Kind | undefined {
  if (apiVersion === "v1" && kind === SECRETS.kind) return SECRETS;
  return kinds.find((each) => each.kind === kind && each.group === groupOf(apiVersion));
}

/** The attempts of a delete whose object changes between read and delete. */
const ATTEMPTS = 10;

interface Proof {
  readonly uid: string;
  readonly resourceVersion: string;
}

/** Deletes an object of the namespace, and nothing of its name with another uid. */
export async function remove({ client, namespace, kinds }: Scratch, object: KubeObject): Promise<void> {
  const kind = kindIn(kinds, object);
  const { uid, name } = object.metadata;
  if (kind === undefined || uid === undefined) return;
  const key = { namespace, name };
  await removeProven(
    () => client.get(kind, key),
    (proof) => client.delete(kind, key, proof),
    uid,
  );
}

/** Deletes what a live read has just shown, and nothing of another uid. */
export async function removeProven(
  read: () => Promise<KubeObject | undefined>,
  erase: (proof: Proof) => Promise<unknown>,
  uid: string,
): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    const metadata = (await read())?.metadata;
    const { resourceVersion, deletionTimestamp } = metadata ?? {};
    if (metadata?.uid !== uid || resourceVersion === undefined || deletionTimestamp !== undefined) return;
    try {
      await erase({ uid, resourceVersion });
      return;
    } catch (error) {
      if (!(error instanceof KubeError) || error.class !== "Conflict" || attempt >= ATTEMPTS) throw error;
    }
  }
}

const MAX_NODES = 1_000;

/** Reads the Nodes of a Cluster; undefined where its API server does not answer, or not to its kubeconfig. */
export async function workloadNodes(
  { client, namespace, clock }: Scratch,
  { metadata }: KubeObject,
): Promise<WorkloadNodes> {
  try {
    const secret = await client.get(Secret, { namespace, name: `${metadata.name}-kubeconfig` });
    const kubeconfig = Buffer.from(secret?.data?.["value"] ?? "", "base64").toString("utf8");
    using server = createServer(parseKubeconfig(kubeconfig), { clock, untrusted: true });
    const { items } = await server.as("contract-probe").list(Node, { maxItems: MAX_NODES });
    return new Map(
      items.flatMap(({ spec, metadata: { uid = "" } }) =>
        spec?.providerID === undefined ? [] : [[spec.providerID, uid] as const],
      ),
    );
  } catch {
    // Whatever is wrong with the workload cluster, its kubeconfig must not be quoted; the lists are judged without it.
    return undefined;
  }
}
