import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { Lease } from "../../relay/lease.ts";
import { SelfSubjectAccessReview } from "../../worker/diagnostics/reviews.ts";
import { Deployment } from "./core.ts";
import { FAMILIES, type Member } from "./families.ts";
import { Policy, PolicyBinding, WEBHOOK_CONFIGURATIONS } from "./fence.ts";

interface Right {
  readonly verbs: readonly ("create" | "delete" | "get" | "list" | "patch")[];
  readonly kind: Kind;
}

/** Rights of a take-over in all namespaces: those of its own account, which no process of Capstan has. */
export const RIGHTS: readonly Right[] = [
  ...FAMILIES.map((kind) => ({ verbs: ["get", "list", "patch"] as const, kind })),
  { verbs: ["get"], kind: CustomResourceDefinition as unknown as Kind },
  ...[Policy, PolicyBinding].map((kind) => ({ verbs: ["create", "delete", "get", "patch"] as const, kind })),
];

/** Asked for the kinds that are there: where Clusters have such control planes, their Machines get another label. */
export const RIGHTS_ON_MAKERS: Right = {
  verbs: ["get", "patch"],
  kind: { ...(Machine as Kind), group: "controlplane.cluster.x-k8s.io", plural: "*" },
};

/** Its rights in the namespace of Cluster API's manager. */
export const RIGHTS_BESIDE_CORE: readonly Right[] = [
  { verbs: ["get"], kind: Deployment as unknown as Kind },
  { verbs: ["create", "get", "patch"], kind: Lease as unknown as Kind },
];

/** Asks the server which of them this account lacks: `patch machines.cluster.x-k8s.io`. */
export async function missingRights(client: ServerClient, coreNamespace: string): Promise<readonly string[]> {
  const asked = [
    ...RIGHTS.flatMap((right) => missingOf(client, right)),
    ...RIGHTS_BESIDE_CORE.flatMap((right) => missingOf(client, right, coreNamespace)),
  ];
  return (await Promise.all(asked)).flat();
}

export const ConfigMap: Kind = {
  group: "",
  version: "v1",
  kind: "ConfigMap",
  plural: "configmaps",
  namespaced: true,
};

/** Asks which rights this account lacks to retire Cluster API's manager, beside those of a take-over. */
export async function missingToRetire(
  client: ServerClient,
  namespace: string,
  definitions: readonly CustomResourceDefinition[],
): Promise<readonly string[]> {
  const crds = CustomResourceDefinition as unknown as Kind;
  const everywhere: readonly Right[] = [
    { verbs: ["list", "patch"], kind: crds },
    { verbs: ["patch"], kind: { ...crds, plural: `${crds.plural}/status` } },
    ...WEBHOOK_CONFIGURATIONS.map((kind) => ({ verbs: ["create", "delete", "get", "list"] as const, kind })),
    ...definitions.map(({ spec: { group, names } }) => ({
      verbs: ["list", "patch"] as const,
      kind: { ...crds, group, plural: names.plural },
    })),
  ];
  const asked = [
    ...everywhere.flatMap((right) => missingOf(client, right)),
    ...missingOf(client, { verbs: ["patch"], kind: Deployment as unknown as Kind }, namespace),
    ...missingOf(client, { verbs: ["create", "delete", "get"], kind: ConfigMap }, namespace),
  ];
  return (await Promise.all(asked)).flat();
}

/** The same for the objects whose controllers make Machines; they were read already. */
export async function missingToPatch(
  client: ServerClient,
  templates: readonly Member[],
): Promise<readonly string[]> {
  const kinds = new Map(templates.map(({ kind }) => [`${kind.plural}.${kind.group}`, kind]));
  const asked = [...kinds.values()].flatMap((kind) => missingOf(client, { verbs: ["patch"], kind }));
  return (await Promise.all(asked)).flat();
}

function missingOf(
  client: ServerClient,
  { verbs, kind }: Right,
  namespace?: string,
): readonly Promise<readonly string[]>[] {
  const where = namespace === undefined ? {} : { namespace };
  const text = `${kind.plural}.${kind.group}${namespace === undefined ? "" : ` in ${namespace}`}`;
  return verbs.map(async (verb) => {
    const resourceAttributes = { verb, group: kind.group, resource: kind.plural, ...where };
    const answer = await client.review(SelfSubjectAccessReview, { resourceAttributes });
    return valueAt(answer, "status.allowed") === true ? [] : [`${verb} ${text}`];
  });
}
