import { rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import type { Finding } from "../../infra/providers/contract/finding.ts";
import { checkCluster } from "../../infra/providers/contract/live/check-cluster.ts";
import { CustomResourceDefinition } from "../../shared/api/core.ts";
import { groupOf, type Kind, type KubeObject } from "../../shared/api/kinds.ts";
import { RemediationPolicy } from "../../shared/api/remediation-policy.ts";
import { DISCOVERED_LABEL } from "../../shared/contract/clusterctl-marks.ts";
import { OBJECT_RULES } from "../../shared/contract/rules/objects/rules.ts";
import { BROKEN_OBJECTS } from "../support/contract/broken-objects.ts";
import { goodCrd, goodTemplate } from "../support/contract/crds.ts";
import { CANARY } from "../support/contract/credentials.ts";
import { goodWorld, type RawObject, type World } from "../support/contract/objects.ts";
import { eventually } from "../support/eventually.ts";
import { ensureNamespace, startSide, type TestSide } from "../support/management-side.ts";
import { API_SERVERS, type ServerFlavour } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const OPTIONS = { named: new Map(), assumed: "v1beta2" as const, waivers: new Map() };

const CONTRACT_KINDS = [
  "InfraMachinePool",
  "ControlPlane",
  "InfraCluster",
  "InfraMachine",
  "BootstrapConfig",
  "IPAMPool",
];

/** `fail CP-34` for everything that is not kept, each once. */
function broken(findings: readonly Finding[]): readonly string[] {
  const counted = findings.filter(({ verdict }) => verdict === "fail" || verdict === "warn");
  return [...new Set(counted.map(({ verdict, rule }) => `${verdict} ${rule}`))];
}

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing, { optional: flavour.optional })(
    `contract check --live on ${flavour.name}`,
    () => {
      let side: TestSide;
      beforeAll(async () => {
        side = await startFooSide(flavour);
      }, 120_000);
      afterAll(() => side[Symbol.asyncDispose]());

      function judged(namespace?: string) {
        return checkCluster(
          { server: side.server, clock: systemClock, namespace },
          { ...OPTIONS, now: new Date() },
        );
      }

      it("finds nothing wrong with good CRDs and objects, and only reads", async () => {
        await store(side, "good", await goodWorld());
        const before = (await side.started.requests()).length;
        const { findings, crds, problems } = await judged("good");
        const sent = (await side.started.requests()).slice(before);
        expect(problems).toEqual([]);
        const wrong = findings.filter(
          ({ object, verdict }) => object.includes(" good/") && verdict !== "pass",
        );
        expect(wrong).toEqual([]);
        expect(broken(findings.filter(({ object }) => object.includes("foo")))).toEqual([]);
        expect(crds.map(({ kind }) => kind)).toContain("FooMachinePool");
        const passed = new Set(findings.map(({ rule }) => rule));
        expect([...OBJECT_RULES.map(({ id }) => id), "CTL-37"].filter((id) => !passed.has(id))).toEqual([]);
        const own = sent.filter(({ userAgent }) => userAgent.includes("contract-check"));
        expect(own.length).toBeGreaterThan(0);
        expect(new Set(own.map(({ verb }) => verb))).toEqual(new Set(["list", "get"]));
      }, 60_000);

      it("gives each broken object exactly its rule", async () => {
        const said: string[] = [];
        for (const [index, { change }] of BROKEN_OBJECTS.entries()) {
          const world = await goodWorld();
          await change(world);
          await store(side, `broken-${index}`, world);
        }
        const { findings } = await judged();
        for (const [index, { title }] of BROKEN_OBJECTS.entries()) {
          const own = findings.filter(({ object }) => object.includes(` broken-${index}/`));
          said.push(`${title}: ${broken(own).join(", ")}`);
        }
        expect(said).toEqual(
          BROKEN_OBJECTS.map(({ title, verdict, rule }) => `${title}: ${verdict} ${rule}`),
        );
        expect(JSON.stringify(findings)).not.toContain(CANARY);
      }, 120_000);

      it("judges that what no contract reads moves with its Cluster, too: a policy without owner", async () => {
        await store(side, "limited", await goodWorld());
        const policy = { apiVersion: "capstan.dev/v1alpha1", kind: "RemediationPolicy" };
        await side.client.create(RemediationPolicy as unknown as Kind, {
          ...policy,
          metadata: { name: "r1", namespace: "limited" },
          ...{ spec: { clusterName: "c1" } },
        });
        const { findings } = await judged("limited");
        expect(findings.filter(({ object }) => object.startsWith("RemediationPolicy"))).toMatchObject([
          { rule: "CTL-37", verdict: "fail", object: "RemediationPolicy limited/r1", found: "no owner" },
        ]);
      }, 60_000);

      it("is a command with the exit status of a check", async () => {
        await store(side, "command", await goodWorld());
        const world = await goodWorld();
        await BROKEN_OBJECTS.find(({ rule }) => rule === "CP-34")?.change(world);
        await store(side, "command-broken", world);
        const { kubeconfigFile } = side.started;
        const good = await runCli(
          "contract",
          "check",
          "--live",
          "-n",
          "command",
          "--kubeconfig",
          kubeconfigFile,
        );
        const bad = await runCli(
          "contract",
          "check",
          "--live",
          "-n",
          "command-broken",
          "--kubeconfig",
          kubeconfigFile,
          "--verbose",
        );
        expect([good.output, good.code]).toEqual([expect.stringContaining("0"), 0]);
        expect([bad.output, bad.code]).toEqual([
          expect.stringMatching(/fail CP-34 FooControlPlane command-broken\/c1/),
          1,
        ]);
        expect(bad.output).not.toContain(CANARY);
      }, 60_000);

      it("says by verb and resource which rights are missing", async () => {
        await store(side, "rights", await goodWorld());
        const file = await side.started.withoutReading("secrets");
        using reader = createServer(await loadKubeconfig({ file, env: {} }), { clock: systemClock });
        const options = { ...OPTIONS, now: new Date() };
        const { findings } = await checkCluster(
          { server: reader, clock: systemClock, namespace: "rights" },
          options,
        );
        const undecided = findings.filter(
          ({ object, verdict }) => object.includes(" rights/") && verdict === "unknown",
        );
        expect(new Set(undecided.map(({ rule }) => rule))).toEqual(
          new Set(["BC-19", "BC-21", "CP-34", "CP-35", "CP-36"]),
        );
        for (const { found } of undecided) expect(found).toContain("get secrets: Forbidden");
        expect(broken(findings.filter(({ object }) => object.includes(" rights/")))).toEqual([]);
      }, 60_000);

      it("knows nothing without the right to list CRDs", async () => {
        const file = await side.started.withoutReading("customresourcedefinitions.apiextensions.k8s.io");
        using reader = createServer(await loadKubeconfig({ file, env: {} }), { clock: systemClock });
        const { findings } = await checkCluster(
          { server: reader, clock: systemClock, namespace: undefined },
          { ...OPTIONS, now: new Date() },
        );
        expect(new Set(findings.map(({ verdict }) => verdict))).toEqual(new Set(["unknown"]));
        expect(new Set(findings.map(({ found }) => found))).toEqual(
          new Set(["list customresourcedefinitions.apiextensions.k8s.io: Forbidden"]),
        );
      }, 60_000);
    },
  );
}

/** A management cluster with the CRDs of a provider that keeps every rule, without controllers. */
async function startFooSide(flavour: ServerFlavour): Promise<TestSide> {
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
async function store({ client }: TestSide, namespace: string, world: World): Promise<void> {
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

/** No server listens at port 1 of the loopback address. */
const AWAY = join(testFolder("away"), "kubeconfig");
writeFileSync(
  AWAY,
  JSON.stringify({
    clusters: [{ name: "a", cluster: { server: "https://127.0.0.1:1" } }],
    users: [],
    contexts: [{ name: "a", context: { cluster: "a" } }],
    "current-context": "a",
  }),
);

afterAll(() => rmSync(dirname(AWAY), { recursive: true }));

describe("contract check --live without a cluster", () => {
  it.each([
    ["paths beside --live", ["--live", "crds"], "leave out the paths"],
    ["a namespace without --live", ["-n", "default", "crds"], "for --live only"],
    ["nothing", [], "nothing to judge"],
    ["a server that is away", ["--live", "--kubeconfig", AWAY], "ECONNREFUSED"],
    ["a missing kubeconfig", ["--live", "--kubeconfig", "/nowhere"], "/nowhere"],
  ])("ends with 2 for %s", async (_, args, message) => {
    const { code, output } = await runCli("contract", "check", ...args);
    expect([output, code]).toEqual([expect.stringContaining(message), 2]);
  });
});
