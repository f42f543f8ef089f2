import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer, type Server } from "../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../infra/playground/apiserver/entry.ts";
import { type Kind, type KubeObject, objectKeyOf } from "../../shared/api/kinds.ts";

/** An embedded management API server with Capstan's kinds. */
export interface TestManagement extends AsyncDisposable {
  readonly name: string;
  readonly server: Server;
  readonly kubeconfig: string;
}

export async function startTestManagement(name: string): Promise<TestManagement> {
  await using starting = new AsyncDisposableStack();
  const embedded = starting.use(await startApiServer({ name }));
  const kubeconfig = embedded.kubeconfig();
  const server = starting.use(createServer(parseKubeconfig(kubeconfig), { clock: systemClock }));
  await installCrds(server.as("test"), systemClock);
  const running = starting.move();
  return { name, server, kubeconfig, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

const MOVER = "mover";

/** Creates an object as a mover does: all but its status, uid, version and times; owners by their new uids. */
export async function copyTo(
  target: TestManagement,
  kind: Kind,
  object: KubeObject,
  newUids: ReadonlyMap<string, string> = new Map(),
): Promise<KubeObject> {
  const { status: _, ...rest } = object as KubeObject & { readonly status?: unknown };
  const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = object.metadata;
  const owners = ownerReferences.map((owner) => ({ ...owner, uid: newUids.get(owner.uid) ?? owner.uid }));
  const metadata = { name, namespace, labels, annotations, finalizers, ownerReferences: owners };
  return target.server.as(MOVER).create(kind, { ...rest, metadata } as KubeObject);
}

/** Deletes an object at the source as a mover does: its only annotation says why, then its finalizers are emptied. */
export async function deleteForMove(source: TestManagement, kind: Kind, object: KubeObject): Promise<void> {
  const client = source.server.as(MOVER);
  const key = objectKeyOf(object);
  const annotations = { "clusterctl.cluster.x-k8s.io/delete-for-move": "" };
  await client.jsonPatch(kind, key, [{ op: "add", path: "/metadata/annotations", value: annotations }]);
  await client.delete(kind, key, { uid: object.metadata.uid ?? "" });
  const left = await client.get(kind, key);
  if (left?.metadata.finalizers === undefined) return;
  await client.jsonPatch(kind, key, [{ op: "add", path: "/metadata/finalizers", value: [] }]);
}
