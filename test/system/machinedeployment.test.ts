import { afterAll, beforeAll, expect, it } from "vitest";
import type { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { FOO_CLUSTER, FOO_MACHINE_PROVIDER, FOO_PROVIDER, fooSet } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };
const ESTABLISHED = "wait crd --all --for=condition=Established --timeout=240s";
const SELECTOR = "selector: { matchLabels: { tier: a } }";
const LABELS = "labels: { tier: a }, ";

/** MachineDeployment `foo-set` of Cluster foo with its templates; `more` are lines of its spec. */
function fooDeployment(replicas: number, more = ""): string {
  return fooSet(replicas)
    .replace("kind: MachineSet", "kind: MachineDeployment")
    .replace(/ {2}template:\n/, (line) => `${more === "" ? "" : `  ${more}\n`}${line}`);
}

/** Without the templates. */
function alone(manifest: string): string {
  return manifest.split("---")[0] ?? "";
}

type Change = (manifest: string) => string;

const rolling = (limits: string): Change => {
  return (text) =>
    text.replace("  selector", `  rollout: { strategy: { rollingUpdate: { ${limits} } } }\n  selector`);
};

const REFUSED: readonly (readonly [Change, RegExp])[] = [
  [(text) => text.replace("replicas: 1", "replicas: -1"), /spec\.replicas/],
  [(text) => text.replace("{ tier: a }, ann", "{ tier: b }, ann"), /selector\.matchLabels does not match/],
  [(text) => text.replace("name: foo-set,", `name: ${"n".repeat(64)},`), /at most 63 characters/],
  [(text) => text.replace("      clusterName: foo", "      clusterName: other"), /must be the same/],
  [rolling("maxSurge: 0"), /maxUnavailable must not be 0 when maxSurge is 0/],
  [rolling("maxSurge: 0, maxUnavailable: 0"), /maxUnavailable must not be 0 when maxSurge is 0/],
  [rolling('maxSurge: "1"'), /rollingUpdate\.maxSurge.*must be a number such as 1, or a percentage/],
  [rolling("maxUnavailable: 10.5%"), /rollingUpdate\.maxUnavailable.*must be a number/],
  [rolling("maxSurge: -1"), /rollingUpdate\.maxSurge.*not negative/],
  [(text) => text.replace(SELECTOR, `${SELECTOR}\n  remediation: { maxInFlight: few }`), /maxInFlight/],
  [(text) => text.replace(SELECTOR, `${SELECTOR}\n  machineNaming: { template: a }`), /machineNaming/],
  [(text) => text.replace("v1.34.2", "latest"), /version must be a semantic version/],
  [
    (text) => text.replace("  selector", "  rollout: { strategy: { type: Recreate } }\n  selector"),
    /strategy\.type/,
  ],
];

/** Published manifests leave the selector, or its labels, or the label of the Cluster to admission. */
const ACCEPTED: readonly Change[] = [
  (text) => text.replace(`  ${SELECTOR}\n`, ""),
  (text) => text.replace(SELECTOR, "selector: { matchLabels: null }"),
  (text) => text.replace(SELECTOR, "selector: {}").replace(LABELS, ""),
  (text) =>
    text
      .replace(SELECTOR, "selector: { matchLabels: { cluster.x-k8s.io/cluster-name: foo } }")
      .replace(LABELS, ""),
  (text) => text.replace("v1.34.2", "1.34.2"),
  rolling("maxSurge: 0%, maxUnavailable: 0"),
  rolling("maxSurge: 150%"),
];

const ROLLING = { type: "RollingUpdate", rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
const DEFAULTS: readonly (readonly [string, object])[] = [
  ["", { strategy: ROLLING }],
  [
    "rollout: { strategy: { rollingUpdate: { maxSurge: 2 } } }",
    { strategy: { ...ROLLING, rollingUpdate: { maxSurge: 2, maxUnavailable: 0 } } },
  ],
  ["rollout: { strategy: { type: OnDelete } }", { strategy: { type: "OnDelete" } }],
];

async function deploymentOf(kubectl: Kubectl): Promise<MachineDeployment> {
  return JSON.parse(await kubectl("get machinedeployment/foo-set -o json"));
}

async function sizesOf(kubectl: Kubectl): Promise<readonly (number | undefined)[]> {
  const { items } = JSON.parse(await kubectl("get machinesets -o json")) as { items: MachineSet[] };
  return items
    .toSorted((a, b) =>
      String(b.spec.template.spec.version).localeCompare(String(a.spec.template.spec.version)),
    )
    .map(({ spec }) => spec.replicas);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`MachineDeployments on ${flavour.name}`, () => {
    const stack = new AsyncDisposableStack();
    let server: TestServer;
    beforeAll(async () => {
      server = stack.use(await flavour.start());
      stack.use(await startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"] }));
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply -f -", `${FOO_PROVIDER}---${FOO_MACHINE_PROVIDER}`);
      await kubectl(ESTABLISHED);
    });
    afterAll(() => stack.disposeAsync());

    /** Cluster foo with a stable control plane in a namespace of its own. */
    async function startScene(namespace: string) {
      const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, namespace);
      await apply(FOO_CLUSTER.split("---").slice(0, 3).join("---"));
      await patchStatus(kubectl, "foocontrolplane/foo-cp", {
        versions: [{ version: "v1.34.2", replicas: 1 }],
      });
      return { kubectl, apply };
    }

    it("are refused with the field that is wrong, by the schema", async () => {
      const kubectl = kubectlFor(server.kubeconfigFile);
      const good = alone(fooDeployment(1));
      for (const [change, text] of REFUSED) {
        const manifest = change(good);
        expect(manifest).not.toBe(good);
        const { ok, output } = await kubectl.try("create --dry-run=server -f -", manifest);
        expect([ok, output]).toEqual([false, expect.stringMatching(text)]);
      }
    });

    it("are accepted as admission would have completed them", async () => {
      const kubectl = kubectlFor(server.kubeconfigFile);
      const good = alone(fooDeployment(1));
      for (const change of ACCEPTED) {
        const manifest = change(good);
        expect(manifest).not.toBe(good);
        const { ok, output } = await kubectl.try("create --dry-run=server -f -", manifest);
        expect([ok, output]).toEqual([true, expect.anything()]);
      }
    });

    it("have the strategy of the schema, none for OnDelete", async () => {
      const kubectl = kubectlFor(server.kubeconfigFile);
      for (const [more, rollout] of DEFAULTS) {
        const made = await kubectl("create --dry-run=server -o json -f -", alone(fooDeployment(1, more)));
        expect((JSON.parse(made) as MachineDeployment).spec.rollout).toEqual(rollout);
      }
    });

    it.each([
      ["server", "apply --server-side"],
      ["client", "apply"],
    ])(
      "have one selector and no drift however often the %s applies a file that leaves it out",
      async (side, verb) => {
        const { kubectl, apply } = await startScene(`selector-${side}`);
        const bare = fooDeployment(1)
          .replace(SELECTOR, "selector: { matchLabels: null }")
          .replace(LABELS, "")
          .replaceAll(", namespace: default", "");
        await apply(bare.split("---").slice(1).join("---"));
        await kubectl(`${verb} -f -`, alone(bare));
        const labels = {
          "cluster.x-k8s.io/cluster-name": "foo",
          "cluster.x-k8s.io/deployment-name": "foo-set",
        };
        const filled = async () => {
          const { spec } = await deploymentOf(kubectl);
          expect([spec.selector?.matchLabels, spec.template.metadata?.labels]).toEqual([labels, labels]);
        };
        await eventually(filled, WITHIN);
        const { metadata } = await deploymentOf(kubectl);
        await kubectl(`${verb} -f -`, alone(bare));
        await kubectl(`diff ${side === "server" ? "--server-side" : ""} -f -`, alone(bare));
        await filled();
        expect((await deploymentOf(kubectl)).metadata.generation).toBe(metadata.generation);
        await kubectl(
          `${verb} -f -`,
          alone(bare).replace(
            "replicas: 1",
            "replicas: 1\n  rollout: { strategy: { rollingUpdate: { maxSurge: 3 } } }",
          ),
        );
        expect((await deploymentOf(kubectl)).spec.rollout?.strategy?.rollingUpdate?.maxSurge).toBe(3);
      },
    );

    it("make a set, are scaled, show their columns, roll out and go", async () => {
      const { kubectl, apply } = await startScene("whole");
      await apply(fooDeployment(2, "rollout: { strategy: { rollingUpdate: { maxUnavailable: 100% } } }"));
      await eventually(async () => expect(await sizesOf(kubectl)).toEqual([2]), WITHIN);
      await eventually(async () => {
        const [header = "", row = ""] = (await kubectl("get md foo-set -o wide")).split("\n");
        expect(header.split(/ {2,}/).filter(Boolean)).toEqual([
          ..."NAME CLUSTER AVAILABLE DESIRED CURRENT READY AVAILABLE UP-TO-DATE PAUSED PHASE AGE VERSION".split(
            " ",
          ),
        ]);
        expect(row).toMatch(/foo-set +foo +True +2 +2 +0 +0 +\d+ +False +Running +\d+s +v1.34.2/);
      }, WITHIN);

      await kubectl("scale machinedeployment/foo-set --replicas=3");
      await eventually(async () => {
        expect(await sizesOf(kubectl)).toEqual([3]);
        const { status } = await deploymentOf(kubectl);
        expect([status?.replicas, status?.selector]).toEqual([3, "cluster.x-k8s.io/cluster-name=foo,tier=a"]);
      }, WITHIN);
      const negative = await kubectl.try("scale machinedeployment/foo-set --replicas=-1");
      expect(negative.ok).toBe(false);

      await patch(kubectl, "machinedeployment/foo-set", {
        spec: { template: { spec: { version: "v1.34.3" } } },
      });
      await eventually(async () => expect(await sizesOf(kubectl)).toEqual([3, 0]), WITHIN);
      await holds(async () => expect(await sizesOf(kubectl)).toEqual([3, 0]), { forMs: 1_000, stepMs: 200 });

      await kubectl("delete machinedeployment/foo-set --timeout=240s");
      expect(await kubectl("get machinesets,machines,foomachines,fooconfigs -o name")).toBe("");
      expect(await kubectl("get foomachinetemplates -o name")).not.toBe("");
    });

    it("leave their sets and Machines when they are deleted with policy Orphan", async () => {
      const { kubectl, apply } = await startScene("orphan");
      await apply(fooDeployment(1));
      await eventually(async () => {
        expect(JSON.parse(await kubectl("get machines -o json")).items).toHaveLength(1);
      }, WITHIN);
      if (!server.garbageCollector) return;
      await kubectl("delete machinedeployment/foo-set --cascade=orphan --timeout=240s");
      const { items } = JSON.parse(await kubectl("get machinesets -o json")) as { items: MachineSet[] };
      expect(items.map(({ metadata }) => metadata.ownerReferences ?? [])).toEqual([[]]);
      expect(JSON.parse(await kubectl("get machines -o json")).items).toHaveLength(1);
    });
  });
}
