import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { ClusterResourceSet, ClusterResourceSetBinding } from "../../shared/api/clusterresourceset.ts";
import type { Secret } from "../../shared/api/core.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { simCluster } from "../support/manifests.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 60_000, stepMs: 200 };

/** A ConfigMap of the workload cluster, as a manifest. */
function settings(name: string, data: object, namespace = "addons"): string {
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace }, data };
  return JSON.stringify(object);
}

const NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: addons\n";

function resource(kind: "ConfigMap" | "Secret", name: string, values: object, type?: string): string {
  const data = kind === "ConfigMap" ? { data: values } : { stringData: values, type };
  return JSON.stringify({ apiVersion: "v1", kind, metadata: { name }, ...data });
}

const RESOURCE_SET_TYPE = "addons.cluster.x-k8s.io/resource-set";

function resourceSet(name: string, resources: readonly string[], strategy?: string): string {
  const named = resources.map((each) => ({ kind: each.split("/")[0], name: each.split("/")[1] }));
  const spec = { strategy, clusterSelector: { matchLabels: { cni: "yes" } }, resources: named };
  const apiVersion = "addons.cluster.x-k8s.io/v1beta2";
  return JSON.stringify({ apiVersion, kind: "ClusterResourceSet", metadata: { name }, spec });
}

async function setOf(kubectl: Kubectl, name: string): Promise<ClusterResourceSet> {
  return JSON.parse(await kubectl(`get clusterresourceset/${name} -o json`));
}

async function statementOf(kubectl: Kubectl, name: string): Promise<string> {
  const found = conditionOf((await setOf(kubectl, name)).status?.conditions, "ResourcesApplied");
  return `${found?.status} ${found?.reason} ${found?.message}`;
}

async function bindingOf(kubectl: Kubectl, name: string): Promise<ClusterResourceSetBinding> {
  return JSON.parse(await kubectl(`get clusterresourcesetbinding/${name} -o json`));
}

/** Makes a Cluster with the label, and returns kubectl for its workload cluster once it is reached. */
async function startCluster(kubectl: Kubectl, apply: (text: string) => Promise<string>, name: string) {
  await apply(simCluster(name));
  await kubectl(`label cluster/${name} cni=yes`);
  await kubectl(`wait cluster/${name} --for=condition=RemoteConnectionProbe --timeout=120s`);
  const secret: Secret = JSON.parse(await kubectl(`get secret/${name}-kubeconfig -o json`));
  const file = join(testFolder("workload"), "kubeconfig");
  await writeFile(file, Buffer.from(secret.data?.["value"] ?? "", "base64"));
  return kubectlFor(file, "addons");
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `ClusterResourceSets on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubeconfigFile: string;
      beforeAll(async () => {
        ({ kubeconfigFile } = stack.use(await flavour.start()));
        stack.use(await startCapstan(kubeconfigFile));
      });
      afterAll(() => stack.disposeAsync());

      it("ApplyOnce creates what is missing, once, and the set says what is missing", async () => {
        const { kubectl, apply } = await ownNamespace(kubeconfigFile, "once");
        await apply(
          resource("ConfigMap", "cni", { "a.yaml": `${settings("one", { a: "1" })}\n---\n${NAMESPACE}` }),
        );
        await apply(resourceSet("addons", ["ConfigMap/cni", "Secret/late"]));
        const workload = await startCluster(kubectl, apply, "c1");
        await eventually(async () => {
          expect(await workload("get configmap/one -o jsonpath={.data.a}")).toBe("1");
          expect(await statementOf(kubectl, "addons")).toBe(
            "False NotApplied 0 of 1 Clusters; c1: Secret late not found",
          );
        }, WITHIN);
        const late = settings("two", { b: "2" });
        await apply(resource("Secret", "late", { late }, RESOURCE_SET_TYPE));
        await eventually(async () => {
          expect(await statementOf(kubectl, "addons")).toBe("True Applied ");
        }, WITHIN);
        const { spec, metadata } = await bindingOf(kubectl, "c1");
        expect(metadata.annotations).toBeUndefined();
        expect(metadata.ownerReferences).toMatchObject([{ kind: "ClusterResourceSet", name: "addons" }]);
        const hash = expect.stringMatching(/^sha256:[0-9a-f]{64}$/);
        expect(spec).toMatchObject({
          clusterName: "c1",
          bindings: [
            {
              clusterResourceSetName: "addons",
              resources: [
                { kind: "ConfigMap", name: "cni", applied: true, hash },
                { kind: "Secret", name: "late", applied: true, hash },
              ],
            },
          ],
        });
        for (const kind of ["secret/late", "configmap/cni"]) {
          const owners = await kubectl(`get ${kind} -o jsonpath={.metadata.ownerReferences[*].name}`);
          expect(owners).toBe("addons");
        }

        await workload("delete configmap/one");
        await apply(resource("ConfigMap", "cni", { "a.yaml": settings("one", { a: "new" }) }));
        await holds(
          async () => {
            expect(await workload("get configmaps -o name")).not.toContain("configmap/one");
          },
          { forMs: 2_000, stepMs: 500 },
        );
      });

      it("Reconcile applies each change and leaves fields of others; a deleted set leaves its objects", async () => {
        const { kubectl, apply } = await ownNamespace(kubeconfigFile, "again");
        const write = (data: object) =>
          apply(resource("Secret", "cni", { b: settings("one", data), a: NAMESPACE }, RESOURCE_SET_TYPE));
        await write({ a: "1", b: "1" });
        await apply(resourceSet("addons", ["Secret/cni"], "Reconcile"));
        const workload = await startCluster(kubectl, apply, "c1");
        const data = async () => JSON.parse(await workload("get configmap/one -o jsonpath={.data}"));
        await eventually(async () => expect(await data()).toEqual({ a: "1", b: "1" }), WITHIN);
        await workload(`patch configmap/one --type=merge -p {"data":{"mine":"x"}}`);
        await write({ a: "2" });
        await eventually(async () => expect(await data()).toEqual({ a: "2", mine: "x" }), WITHIN);
        expect(await workload("get configmap/one -o yaml --show-managed-fields")).toContain(
          "capstan-resourceset",
        );

        await kubectl("delete clusterresourceset/addons --timeout=60s");
        expect(await kubectl("get clusterresourcesetbindings -o name")).toBe("");
        expect(await data()).toEqual({ a: "2", mine: "x" });
      });

      it("names what a server refuses, a value without objects, and a Secret of another type", async () => {
        const { kubectl, apply } = await ownNamespace(kubeconfigFile, "wrong");
        await apply(
          resource("ConfigMap", "unknown", { a: "apiVersion: x.dev/v1\nkind: Thing\nmetadata: {name: t}" }),
        );
        await apply(resource("ConfigMap", "broken", { a: "a: [" }));
        await apply(resourceSet("addons", ["ConfigMap/unknown", "ConfigMap/broken"]));
        await apply(resource("Secret", "opaque", { a: NAMESPACE }, "Opaque"));
        await apply(resourceSet("typed", ["Secret/opaque"]));
        await startCluster(kubectl, apply, "c1");
        await eventually(async () => {
          expect(await statementOf(kubectl, "addons")).toBe(
            "False NotApplied 0 of 1 Clusters; c1: ConfigMap unknown: Thing t: the server has no kind Thing in x.dev/v1 yet, ConfigMap broken: key a has no YAML on line 1",
          );
          expect(await statementOf(kubectl, "typed")).toBe(
            "False WrongSecretType 0 of 1 Clusters; c1: Secret type of resource opaque is not supported",
          );
        }, WITHIN);
        expect(await kubectl("get secret/opaque -o jsonpath={.metadata.ownerReferences}")).toBe("");

        await kubectl("delete cluster/c1 --timeout=120s");
        await eventually(async () => {
          expect(await kubectl("get clusterresourcesetbindings -o name")).toBe("");
        }, WITHIN);
      });
    },
  );
}
