import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { type Kind, type KubeObject, objectKeyOf, titleOf } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { contractOf } from "../../../shared/contract/version.ts";
import { controllerOf } from "../../../shared/rules/metadata/owner-references.ts";
import { schemaOf } from "../../platform/crds/missing-fields.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { FAMILIES, type Member } from "./families.ts";

/** An object whose controller makes Machines of a Cluster and stays where it is, such as a KubeadmControlPlane. */
export interface Maker {
  /** `KubeadmControlPlane default/demo` */
  readonly title: string;
  /** It gives its Machines the labels of this object at `spec.machineTemplate.metadata.labels`; absent: it has no such field. */
  readonly template?: Member;
}

interface Reference {
  readonly group: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** It may also run a control plane without Machines. */
  readonly ownsMachines: boolean;
}

/** Returns the makers of these objects, read live, each once. */
export async function makersOf(client: ServerClient, members: readonly Member[]): Promise<readonly Maker[]> {
  const byTitle = new Map<string, Reference>();
  for (const reference of members.flatMap(({ object }) => referenceIn(object))) {
    const title = titleOf(reference.kind, reference);
    const known = byTitle.get(title);
    if (known === undefined || reference.ownsMachines) byTitle.set(title, reference);
  }
  const definitions = new Map<string, Promise<CustomResourceDefinition | undefined>>();
  const definitionOf = ({ group, kind }: Reference) => {
    // Cluster API's contract has this name, too.
    const name = `${kind.toLowerCase()}s.${group}`;
    const found = definitions.get(name) ?? client.get(CustomResourceDefinition, { namespace: "", name });
    definitions.set(name, found);
    return found;
  };
  const found = await Promise.all(
    [...byTitle].map(async ([title, reference]): Promise<readonly Maker[]> => {
      const template = await templateOf(client, reference, await definitionOf(reference));
      if (template === undefined) return reference.ownsMachines ? [{ title }] : [];
      return [{ title, template }];
    }),
  );
  return found.flat();
}

function referenceIn(object: KubeObject): readonly Reference[] {
  const { namespace } = objectKeyOf(object);
  if (object.kind === "Cluster") {
    const [group, kind, name] = ["apiGroup", "kind", "name"].map((field) =>
      String(valueAt(object, `spec.controlPlaneRef.${field}`) ?? ""),
    ) as [string, string, string];
    return kind === "" ? [] : [{ group, kind, namespace, name, ownsMachines: false }];
  }
  const owner = object.kind === "Machine" ? controllerOf(object) : undefined;
  if (owner === undefined || FAMILIES.some(({ kind }) => kind === owner.kind)) return [];
  const [group = ""] = owner.apiVersion.split("/");
  return [{ group, kind: owner.kind, namespace, name: owner.name, ownsMachines: true }];
}

async function templateOf(
  client: ServerClient,
  { group, kind, namespace, name }: Reference,
  crd: CustomResourceDefinition | undefined,
): Promise<Member | undefined> {
  const version = crd && contractOf(crd)?.version;
  if (crd === undefined || version === undefined) return undefined;
  const fields = "properties.spec.properties.machineTemplate.properties.metadata.properties.labels";
  if (valueAt(schemaOf(crd, version), fields) === undefined) return undefined;
  const found: Kind = { group, version, kind, plural: crd.spec.names.plural, namespaced: true };
  const object = await client.get(found, { namespace, name });
  const has = object !== undefined && valueAt(object, "spec.machineTemplate") !== undefined;
  return has ? { kind: found, object } : undefined;
}
