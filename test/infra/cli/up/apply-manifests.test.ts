import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyManifests, type Manifest, readManifests } from "../../../../infra/cli/up/apply-manifests.ts";
import { apiVersionOf, type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { KINDS } from "../../../../shared/api/registry.ts";
import { cluster, crd } from "../../../support/builders.ts";
import { recordingClients } from "../../../support/recording-clients.ts";
import { testFolder } from "../../../support/test-folder.ts";

async function read(text: string): Promise<readonly Manifest[]> {
  const dir = testFolder("manifests");
  await writeFile(join(dir, "m.yaml"), text);
  return await readManifests(join(dir, "m.yaml"));
}

/** A server that serves these kinds, besides Capstan's, and those of the CRDs that it has or is given. */
function serverOf(
  kinds: readonly string[] = [],
  {
    crds = [],
    refusal,
    lacksCapstan = false,
  }: {
    readonly crds?: readonly KubeObject[];
    readonly refusal?: Error;
    readonly lacksCapstan?: boolean;
  } = {},
) {
  const clients = recordingClients(() => refusal, crds);
  const asked: string[] = [];
  const definedIn = (group: string) =>
    [...crds, ...clients.sent.map(({ body }) => body as KubeObject)]
      .filter((object) => valueAt(object, "spec.group") === group)
      .map((object) => String(valueAt(object, "spec.names.kind")));
  const client = {
    ...clients.of(MANAGEMENT, "up"),
    kinds: async (apiVersion: string): Promise<readonly Kind[]> => {
      asked.push(apiVersion);
      const [version = "", group = ""] = apiVersion.split("/").toReversed();
      const of = (kind: string) => ({ group, version, kind, plural: `${kind.toLowerCase()}s` });
      const others = [...kinds, ...definedIn(group)].map((kind) => ({
        ...of(kind),
        namespaced: kind !== "Zone",
      }));
      return lacksCapstan
        ? others
        : [...KINDS.filter((kind) => apiVersionOf(kind) === apiVersion), ...others];
    },
  };
  return { client, asked, sent: clients.sent };
}

async function apply(objects: readonly KubeObject[], ...server: Parameters<typeof serverOf>) {
  const { client, sent } = serverOf(...server);
  await applyManifests(client, manifestsOf(...objects));
  return sent;
}

function manifestsOf(...objects: readonly KubeObject[]): readonly Manifest[] {
  return objects.map((object, at) => ({ object, place: `m.yaml:${at + 1}` }));
}

const door = { apiVersion: "parts.dev/v1", kind: "Door", metadata: { name: "d" } };

describe("a file of manifests", () => {
  it("may hold several objects, empty documents and JSON", async () => {
    const text =
      '---\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n{"apiVersion":"v1","kind":"B","metadata":{"name":"b"}}';
    expect(
      (await read(text)).map(({ object, place }) => `${object.kind} ${place?.split(":").at(-1)}`),
    ).toEqual(["A 3", "B 7"]);
    expect(await read("# nothing\n")).toEqual([]);
  });

  it.each([
    ["a: [", /m\.yaml: line 1: .*; write YAML or JSON/],
    ["a: 1\na: 2", /m\.yaml:2: a is given twice; keep one/],
    ["just text", /m\.yaml:1: not an object; start with apiVersion, kind, metadata/],
    ["kind: A\nmetadata: {name: a}", /m\.yaml:1: apiVersion is missing/],
    ["apiVersion: v1\nmetadata: {name: a}", /kind is missing/],
    ["apiVersion: v1\nkind: A\nmetadata: {}", /metadata\.name of the A is missing/],
    ["apiVersion: v1\nkind: A", /metadata\.name of the A is missing/],
  ])("is refused with the place and the next step: %j", async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
  });

  it("is named when it cannot be read", async () => {
    await expect(readManifests("/nowhere/m.yaml")).rejects.toThrow("cannot read /nowhere/m.yaml");
  });
});

describe("applying manifests", () => {
  it("sends them in order, into the namespace default where they name none", async () => {
    const namespace = { apiVersion: "v1", kind: "Namespace", metadata: { name: "n" } };
    const sent = await apply([namespace, door, cluster()], ["Door"]);
    expect(sent.map(({ verb, kind, name }) => `${verb} ${kind} ${name}`)).toEqual([
      "apply Namespace n",
      "apply Door d",
      "apply Cluster c1",
    ]);
    expect(sent.map(({ body }) => (body as KubeObject).metadata.namespace)).toEqual([
      undefined,
      "default",
      "default",
    ]);
  });

  it("sends whatever the server serves, asking it once for each apiVersion", async () => {
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } };
    const zone = { ...door, kind: "Zone", metadata: { name: "z" } };
    const { client, asked, sent } = serverOf(["ConfigMap", "Door", "Zone"]);
    await applyManifests(client, manifestsOf(config, door, zone, config));
    expect(sent.map(({ kind, body }) => [kind, (body as KubeObject).metadata.namespace])).toEqual([
      ["ConfigMap", "default"],
      ["Door", "default"],
      ["Zone", undefined],
      ["ConfigMap", "default"],
    ]);
    expect(asked).toEqual(["v1", "parts.dev/v1"]);
  });

  it("waits for the kinds of a CustomResourceDefinition of the same file", async () => {
    const sent = await apply([crd("parts.dev", "Door"), door]);
    expect(sent.map(({ kind }) => kind)).toEqual(["CustomResourceDefinition", "Door"]);
  });

  it.each([
    [
      door,
      "Door d: the API server does not serve parts.dev/v1 Door; install its CustomResourceDefinition first, or take",
    ],
    [
      { apiVersion: "apps/v1", kind: "Deployment", metadata: { name: "web" } },
      "Deployment web: the API server does not serve apps/v1 Deployment; use an API server that does (--kubeconfig), or take",
    ],
    [
      cluster({ apiVersion: "cluster.x-k8s.io/v1alpha4" }),
      "Cluster c1: Capstan serves cluster.x-k8s.io/v1beta2, not cluster.x-k8s.io/v1alpha4; convert the manifest",
    ],
  ])("names place, kind and the next step before it sends anything: %j", async (object, message) => {
    const { client, sent } = serverOf();
    await expect(applyManifests(client, manifestsOf(cluster(), object))).rejects.toThrow(
      `m.yaml:2: ${message}`,
    );
    expect(sent).toEqual([]);
  });

  it("says before it sends anything that Capstan does not run a ClusterClass", async () => {
    const kind = "ClusterClass";
    const object = { apiVersion: "cluster.x-k8s.io/v1beta2", kind, metadata: { name: "md-0" } };
    const { client, sent: refused } = serverOf();
    await expect(applyManifests(client, manifestsOf(cluster(), object))).rejects.toThrow(
      `m.yaml:2: ${kind} md-0: Capstan does not run kind ${kind}, which needs the manager of Cluster API; write a `,
    );
    expect(refused).toEqual([]);
    const [sent] = await apply([object], [], { crds: [crd("cluster.x-k8s.io", kind)] });
    expect(sent).toMatchObject({ verb: "apply", kind });
    const ours = { ...crd("cluster.x-k8s.io", kind) };
    ours.metadata = { ...ours.metadata, labels: { "app.kubernetes.io/managed-by": "capstan" } };
    await expect(apply([object], [], { crds: [ours] })).rejects.toThrow(`Capstan does not run kind ${kind}`);
  });

  it("sends those of v1beta1 as v1beta2, and nothing when one of them cannot be", async () => {
    const old = (name: string) => ({
      apiVersion: "cluster.x-k8s.io/v1beta1",
      kind: "Cluster",
      metadata: { name },
      spec: { infrastructureRef: { apiVersion: "infra.dev/v1beta1", kind: "Site", name } },
    });
    const [sent] = await apply([old("c1")]);
    expect(sent?.body).toMatchObject({
      apiVersion: "cluster.x-k8s.io/v1beta2",
      spec: { infrastructureRef: { apiGroup: "infra.dev", kind: "Site", name: "c1" } },
    });
    const { client, sent: refused } = serverOf();
    const broken = { ...old("c2"), spec: { site: "c2" } };
    await expect(applyManifests(client, manifestsOf(old("c1"), broken))).rejects.toThrow(
      "m.yaml:2: Cluster default/c2 of cluster.x-k8s.io/v1beta1: spec.site: has no counterpart",
    );
    expect(refused).toEqual([]);
  });

  it("warns of the renamed fields of an old manifest", async () => {
    const { client, sent } = serverOf([], { crds: [crd("cluster.x-k8s.io", "MachineHealthCheck")] });
    const spec = { clusterName: "c1", selector: { matchLabels: { a: "b" } }, maxUnhealthy: "40%" };
    const metadata = { name: "h1", namespace: "team" };
    const old = { apiVersion: "cluster.x-k8s.io/v1alpha3", kind: "MachineHealthCheck", metadata, spec };
    const warnings: string[] = [];
    await applyManifests(client, manifestsOf(old), (text) => warnings.push(text));
    expect(warnings).toEqual([
      "MachineHealthCheck team/h1 of cluster.x-k8s.io/v1alpha3: spec.maxUnhealthy becomes spec.remediation.triggerIf.unhealthyLessThanOrEqualTo, its name in v1beta2",
    ]);
    expect(sent[0]?.body).toMatchObject({
      spec: { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: "40%" } } },
    });
  });

  it("names the object that was refused", async () => {
    await expect(apply([cluster()], [], { refusal: new Error("spec: odd") })).rejects.toThrow(
      "m.yaml:1: Cluster default/c1 was refused: spec: odd",
    );
  });

  it("names the option that installs the definitions where the server has none of Capstan's", async () => {
    await expect(apply([cluster()], [], { lacksCapstan: true })).rejects.toThrow(
      "m.yaml:1: Cluster c1: this API server does not serve it; install Capstan's CustomResourceDefinitions (--install-crds)",
    );
  });
});
