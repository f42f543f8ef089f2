import { installCrds } from "../../infra/cli/install-crds.ts";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer, type Server } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import type { ServerClient } from "../../infra/platform/kube/verbs.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../shared/api/kinds.ts";
import { escapePointer } from "../../shared/api/path.ts";
import { DISCOVERED_LABEL } from "../../shared/contract/clusterctl-marks.ts";
import { eventually } from "./eventually.ts";
import type { ServerFlavour, TestServer } from "./processes/api-servers.ts";

/** A management cluster of a test, with the CRDs of Capstan and without controllers. */
export interface TestSide extends AsyncDisposable {
  readonly started: TestServer;
  readonly server: Server;
  readonly client: ServerClient;
  /** Installs a kind whose objects are free-form. */
  install(kind: Kind, labels?: { readonly [name: string]: string }): Promise<void>;
  /** Adds an entry to the inventory; its CRD is made where it is missing. */
  provide(entry: InventoryEntry): Promise<void>;
}

interface InventoryEntry {
  readonly namespace: string;
  readonly name: string;
  readonly providerName: string;
  readonly type: string;
  readonly version: string;
}

const CRD = CustomResourceDefinition as unknown as Kind;
const PROVIDER: Kind = {
  group: "clusterctl.cluster.x-k8s.io",
  version: "v1alpha3",
  kind: "Provider",
  plural: "providers",
  namespaced: true,
};
const NAMESPACE: Kind = {
  group: "",
  version: "v1",
  kind: "Namespace",
  plural: "namespaces",
  namespaced: false,
};

export async function startSide(flavour: ServerFlavour): Promise<TestSide> {
  const started = await flavour.start();
  const access = await loadKubeconfig({ file: started.kubeconfigFile, env: {} });
  const server = createServer(access, { clock: systemClock });
  const client = server.as("up");
  await installCrds(client, systemClock);
  const crds = await client.list(CRD, {});
  await Promise.all(crds.items.map((crd) => labelCrd(client, crd)));
  const install: TestSide["install"] = async (kind, labels = { [DISCOVERED_LABEL]: "" }) => {
    // In place of one of ours, too: of kinds that are served only, objects of any form are needed.
    await client.apply(
      CRD,
      { namespace: "", name: `${kind.plural}.${kind.group}` },
      freeFormCrd(kind, labels),
    );
    await served(client, kind);
  };
  return {
    started,
    server,
    client,
    install,
    async provide({ namespace, name, ...fields }) {
      const isThere = await client.get(CRD, { namespace: "", name: "providers.clusterctl.cluster.x-k8s.io" });
      if (isThere === undefined) await install(PROVIDER, {});
      await ensureNamespace(client, namespace);
      const { group, version, kind } = PROVIDER;
      const entry = { apiVersion: `${group}/${version}`, kind, metadata: { namespace, name }, ...fields };
      await client.create(PROVIDER, entry);
    },
    async [Symbol.asyncDispose]() {
      server[Symbol.dispose]();
      await started[Symbol.asyncDispose]();
    },
  };
}

export async function ensureNamespace(client: ServerClient, name: string): Promise<void> {
  if ((await client.get(NAMESPACE, { namespace: "", name })) !== undefined) return;
  await client.create(NAMESPACE, { apiVersion: "v1", kind: "Namespace", metadata: { name } });
}

async function labelCrd(client: ServerClient, { metadata }: KubeObject): Promise<void> {
  const path = `/metadata/labels/${escapePointer(DISCOVERED_LABEL)}`;
  await client.jsonPatch(CRD, { namespace: "", name: metadata.name }, [{ op: "add", path, value: "" }]);
}

function freeFormCrd(kind: Kind, labels: { readonly [name: string]: string }): KubeObject {
  const schema = { openAPIV3Schema: { type: "object", "x-kubernetes-preserve-unknown-fields": true } };
  const crd = {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${kind.plural}.${kind.group}`, labels },
    spec: {
      group: kind.group,
      names: { kind: kind.kind, plural: kind.plural },
      scope: kind.namespaced ? "Namespaced" : "Cluster",
      versions: [{ name: kind.version, served: true, storage: true, schema }],
    },
  };
  return crd;
}

/** A new kind is served some moments after its CRD is stored. */
async function served(client: ServerClient, kind: Kind): Promise<void> {
  const answers = client.list.bind(client, kind, {});
  await eventually(async () => (await answers()).items.length >= 0, { withinMs: 30_000 });
}
