import { CustomResourceDefinition } from "../../../shared/api/core.ts";
import { groupOf, type Kind, type KubeObject } from "../../../shared/api/kinds.ts";
import { DISCOVERED_LABEL } from "../../../shared/contract/clusterctl-marks.ts";
import { eventually } from "../eventually.ts";
import { ensureNamespace, startSide, type TestSide } from "../management-side.ts";
import type { ServerFlavour } from "../processes/api-servers.ts";
import { goodCrd, goodTemplate } from "./crds.ts";
import type { RawObject, World } from "./objects.ts";

const CONTRACT_KINDS = [
  "InfraMachinePool",
  "ControlPlane",
  "InfraCluster",
  "InfraMachine",
  "BootstrapConfig",
  "IPAMPool",
];

/** A management cluster with the CRDs of a provider that keeps every rule, without controllers. */
export async function startFooSide(flavour: ServerFlavour): Promise<TestSide> {
  const side = await startSide(flavour);
  const ipam = { group: "ipam.cluster.x-k8s.io", version: "v1beta2", namespaced: true };
  await side.install({ ...ipam, kind: "IPAddressClaim", plural: "ipaddressclaims" });
  await side.install({ ...ipam, kind: "IPAddress", plural: "ipaddresses" });
  for (const crd of [...CONTRACT_KINDS.map((name) => goodCrd(name)), goodTemplate("InfraMachine")]) {
    crd.metadata.labels[DISCOVERED_LABEL] = "";
    await side.client.create(CustomResourceDefinition as unknown as Kind, { ...crd });
    const { group, names } = crd.spec;
    const kind = { group, version: "v1beta2", kind: names.kind, plural: names.plural, namespaced: true };
    await eventually(async () => (await side.client.list(kind, {})).items.length === 0, { withinMs: 30_000 });
  }
  return side;
}

/** Creates the objects of a world in a namespace, in their order, with the uids of their owners. */
export async function store({ client }: TestSide, namespace: string, world: World): Promise<void> {
  await ensureNamespace(client, namespace);
  const uids = new Map<string, string>();
  for (const raw of Object.values(world)) {
    const object = structuredClone(raw);
    object.metadata.namespace = namespace;
    for (const owner of object.metadata.ownerReferences) {
      owner.uid = uids.get(`${owner.kind}/${owner.name}`) ?? "unknown";
    }
    const kind = kindOf(object);
    const created = await client.create(kind, object as KubeObject);
    uids.set(`${object.kind}/${object.metadata.name}`, created.metadata.uid ?? "");
    const status: unknown = object["status"];
    if (status === undefined) continue;
    // Free-form kinds have no status subresource: their status is stored already.
    if (kind.plural.startsWith("ip")) continue;
    const key = { namespace, name: object.metadata.name };
    await client.jsonPatch(kind, key, [{ op: "add", path: "/status", value: status }], "status");
  }
}

function kindOf({ apiVersion, kind }: RawObject): Kind {
  const group = groupOf(apiVersion);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const plural = kind === "IPAddress" ? "ipaddresses" : `${kind.toLowerCase()}s`;
  return { group, version, kind, plural, namespaced: true };
}
