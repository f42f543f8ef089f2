import { CLUSTER_GROUP, groupOf, type Kind, type KubeObject } from "../../../../shared/api/kinds.ts";
import { listAt, valueAt } from "../../../../shared/api/path.ts";
import { sideBySide } from "../../../../shared/runtime/write/side-by-side.ts";
import { storedKind } from "./discovery-types.ts";
import { classOf, nodesOf, type ObjectGraph } from "./graph.ts";
import { crdOf, type ManagementSide } from "./management-side.ts";

interface Adding {
  readonly namespace: string;
  readonly add: (object: KubeObject) => void;
}

/**
 * Reads the classes of other namespaces that Clusters of this one name, and every template that these reference, as
 * clusterctl does. Throws where one of them is missing: clusterctl stops there too.
 * Source: kubernetes-sigs/cluster-api v1.14.0, cmd/clusterctl/client/cluster/objectgraph.go, Discovery
 */
export async function readForeignClasses(
  side: ManagementSide,
  graph: ObjectGraph,
  { namespace, add }: Adding,
): Promise<void> {
  const classes = new Map<string, Reference>();
  for (const cluster of nodesOf(graph, CLUSTER_GROUP, "Cluster")) {
    const wanted = classOf(cluster);
    if (wanted === undefined || wanted.namespace === namespace) continue;
    const reference = { apiVersion: `${CLUSTER_GROUP}/v1beta2`, kind: "ClusterClass", ...wanted };
    classes.set(`${wanted.namespace}/${wanted.name}`, {
      ...reference,
      by: `Cluster ${namespace}/${cluster.name}`,
    });
  }
  await sideBySide([...classes.values()], async (wanted) => {
    const found = await readReferenced(side, wanted);
    add(found);
    await sideBySide(templatesOf(found, wanted), async (template) =>
      add(await readReferenced(side, template)),
    );
  });
}

interface Reference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** Title of the object that names it. */
  readonly by: string;
}

const WORKERS = ["spec.workers.machineDeployments", "spec.workers.machinePools"];
const OWN = ["spec.infrastructure", "spec.controlPlane", "spec.controlPlane.machineInfrastructure"];

function templatesOf(found: KubeObject, { namespace, name }: Reference): readonly Reference[] {
  const workers = WORKERS.flatMap((path) => listAt(found, path));
  const holders = [
    ...OWN.map((path) => valueAt(found, path)),
    ...workers.flatMap((worker) => [valueAt(worker, "infrastructure"), valueAt(worker, "bootstrap")]),
  ];
  return holders.flatMap((holder) => {
    const [apiVersion, kind, template] = ["apiVersion", "kind", "name"].map((member) =>
      valueAt(holder, `templateRef.${member}`),
    );
    if (typeof apiVersion !== "string" || typeof kind !== "string" || typeof template !== "string") return [];
    return [{ apiVersion, kind, namespace, name: template, by: `ClusterClass ${namespace}/${name}` }];
  });
}

async function readReferenced(side: ManagementSide, wanted: Reference): Promise<KubeObject> {
  const { apiVersion, kind, namespace, name, by } = wanted;
  const crd = crdOf(side, wanted);
  const stored = crd === undefined ? undefined : storedKind(crd);
  const version = apiVersion.slice(apiVersion.indexOf("/") + 1);
  const type: Kind | undefined = stored && { ...stored, version };
  const found = type === undefined ? undefined : await side.client.get(type, { namespace, name });
  if (found !== undefined) return found;
  throw new Error(
    `${by} names ${kind}.${groupOf(apiVersion)} ${namespace}/${name}, which does not exist; clusterctl move stops there: create it or correct the reference`,
  );
}
