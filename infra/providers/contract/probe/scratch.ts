import { type ContractVersion, groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import type { PatchOperation } from "../../../../shared/api/patch.ts";
import { type ContractRole, contractRoleOf } from "../../../../shared/contract/rules/crd/contract-kinds.ts";
import { type Snapshot, titleOf } from "../../../../shared/contract/rules/probe/subject.ts";
import { claimsOf } from "../../../../shared/contract/version.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import type { Clock } from "../../../../shared/runtime/ports.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import type { Server } from "../../../platform/kube/client.ts";
import type { ServerClient } from "../../../platform/kube/verbs.ts";
import { type CrdFacts, SECRETS, typeKey } from "../../clusterctl/move/discovery-types.ts";
import type { CrdOptions } from "../judge-crds.ts";
import { createBudget } from "../live/budget.ts";
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
