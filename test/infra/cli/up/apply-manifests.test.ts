import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { applyManifests, readManifests } from "../../../../infra/cli/up/apply-manifests.ts";
import { type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { cluster, crd } from "../../../support/builders.ts";
import { recordingClients } from "../../../support/recording-clients.ts";

async function read(text: string): Promise<readonly KubeObject[]> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-manifests-"));
  try {
    await writeFile(join(dir, "m.yaml"), text);
    return await readManifests(join(dir, "m.yaml"));
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function apply(objects: readonly KubeObject[], served: readonly KubeObject[] = [], refusal?: Error) {
  const clients = recordingClients(() => refusal, served);
  await applyManifests(clients.of(MANAGEMENT, "up"), objects);
  return clients.sent;
}

const door = { apiVersion: "parts.dev/v1", kind: "Door", metadata: { name: "d" } };

describe("a file of manifests", () => {
  it("may hold several objects, empty documents and JSON", async () => {
    const text =
      '---\n---\napiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n{"apiVersion":"v1","kind":"B","metadata":{"name":"b"}}';
    expect((await read(text)).map(({ kind }) => kind)).toEqual(["A", "B"]);
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
    const sent = await apply([namespace, door, cluster()], [crd("parts.dev", "Door")]);
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

  it("names the next step for a kind without CRD, and for a version that Capstan does not serve", async () => {
    await expect(apply([door])).rejects.toThrow(
      "no CustomResourceDefinition serves parts.dev/v1 Door; install the provider first",
    );
    await expect(apply([cluster({ apiVersion: "cluster.x-k8s.io/v1alpha4" })])).rejects.toThrow(
      "Cluster c1: Capstan serves cluster.x-k8s.io/v1beta2, not cluster.x-k8s.io/v1alpha4; convert the manifest",
    );
  });

  it.each(["MachineDeployment", "ClusterClass"])(
    "says before it sends anything that Capstan does not run a %s",
    async (kind) => {
      const object = { apiVersion: "cluster.x-k8s.io/v1beta2", kind, metadata: { name: "md-0" } };
      const clients = recordingClients(() => undefined, []);
      await expect(applyManifests(clients.of(MANAGEMENT, "up"), [cluster(), object])).rejects.toThrow(
        `${kind} md-0: Capstan does not run kind ${kind}, which needs the manager of Cluster API; write a `,
      );
      expect(clients.sent).toEqual([]);
      const [sent] = await apply([object], [crd("cluster.x-k8s.io", kind)]);
      expect(sent).toMatchObject({ verb: "apply", kind });
    },
  );

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
    const clients = recordingClients(() => undefined, []);
    const broken = { ...old("c2"), spec: { infrastructureRef: { kind: "Site", name: "c2" } } };
    await expect(applyManifests(clients.of(MANAGEMENT, "up"), [old("c1"), broken])).rejects.toThrow(
      "Cluster default/c2 of cluster.x-k8s.io/v1beta1: spec.infrastructureRef.apiVersion: is missing",
    );
    expect(clients.sent).toEqual([]);
  });

  it("MHC-3: warns of the renamed fields of an old manifest", async () => {
    const clients = recordingClients(() => undefined, [crd("cluster.x-k8s.io", "MachineHealthCheck")]);
    const spec = { clusterName: "c1", selector: { matchLabels: { a: "b" } }, maxUnhealthy: "40%" };
    const metadata = { name: "h1", namespace: "team" };
    const old = { apiVersion: "cluster.x-k8s.io/v1alpha3", kind: "MachineHealthCheck", metadata, spec };
    const warnings: string[] = [];
    await applyManifests(clients.of(MANAGEMENT, "up"), [old], (text) => warnings.push(text));
    expect(warnings).toEqual([
      "MachineHealthCheck team/h1 of cluster.x-k8s.io/v1alpha3: spec.maxUnhealthy is applied as spec.remediation.triggerIf.unhealthyLessThanOrEqualTo, its name in v1beta2",
    ]);
    expect(clients.sent[0]?.body).toMatchObject({
      spec: { remediation: { triggerIf: { unhealthyLessThanOrEqualTo: "40%" } } },
    });
  });

  it("says that Capstan does not run a MachineHealthCheck where only its own definition serves it", async () => {
    const own = crd("cluster.x-k8s.io", "MachineHealthCheck");
    const labels = { ...own.metadata.labels, "app.kubernetes.io/managed-by": "capstan" };
    const check = { ...cluster(), kind: "MachineHealthCheck" };
    await expect(apply([check], [{ ...own, metadata: { ...own.metadata, labels } }])).rejects.toThrow(
      "Capstan does not run kind MachineHealthCheck",
    );
  });

  it("names the object that was refused", async () => {
    await expect(apply([cluster()], [], new Error("spec: odd"))).rejects.toThrow(
      "Cluster default/c1 was refused: spec: odd",
    );
  });
});
