import { readFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { loadFunctions } from "../../infra/worker/load.ts";
import { type KubeObject, objectKeyOf } from "../../shared/api/kinds.ts";
import { segmentsOf, valueAt } from "../../shared/api/path.ts";
import type { AnyFunction } from "../../shared/function/define-function.ts";
import { done } from "../../shared/function/result.ts";
import { MAX_SIZE, MIN_SIZE } from "../../shared/rules/machines/node-group-size.ts";
import { managedFieldsOf } from "../../shared/runtime/write/field-managers.ts";
import { writeDecision } from "../../shared/runtime/write/write-decision.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simLegacyCluster } from "../support/manifests.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";

const EXAMPLE = "infra/playground/sim/example.yaml";
const REMEDIATION = `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimRemediation
metadata: { name: demo }
spec: {}
`;

const RESOURCE_SET = `
apiVersion: v1
kind: ConfigMap
metadata: { name: addon }
data: { a: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"addon"}}' }
---
apiVersion: addons.cluster.x-k8s.io/v1beta2
kind: ClusterResourceSet
metadata: { name: demo }
spec:
  clusterSelector: { matchLabels: { addon: "yes" } }
  resources: [{ kind: ConfigMap, name: addon }]
`;
const LOST = [{ op: "replace", path: "/metadata/managedFields", value: [{}] }] as const;

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`server-side apply on ${flavour.name}`, () => {
    it("a manifest that is applied again changes nothing, and one that says no replicas any more keeps them", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await using _ = await startCapstan(server.kubeconfigFile);
      const example = await readFile(EXAMPLE, "utf8");
      const apply = (text: string) => kubectl("apply --server-side --field-manager=pipeline -f -", text);
      const versions = async () =>
        (
          await kubectl(
            "get clusters,machinedeployments,machinepools,simclusters,simcontrolplanes,simmachinepools -o yaml",
          )
        )
          .split("\n")
          .filter((line) => / (resourceVersion|generation):/.test(line));
      await apply(example);
      await kubectl("wait cluster/demo machinepool/demo-pool --for=condition=Available --timeout=240s");
      await kubectl("wait machinedeployment/demo-workers --for=condition=Available --timeout=240s");
      await eventually(
        async () => {
          const before = await versions();
          await apply(example);
          expect(await versions()).toEqual(before);
        },
        { withinMs: 60_000, stepMs: 1_000 },
      );
      await kubectl("diff --server-side --force-conflicts --field-manager=pipeline -f -", example);

      const ranges: { readonly [kind: string]: string } = { MachineDeployment: "2", MachinePool: "10" };
      const autoscaled = example
        .replaceAll(
          /kind: (MachineDeployment|MachinePool)\nmetadata:/g,
          (start, kind: string) =>
            `${start}\n  annotations: { ${MIN_SIZE}: "1", ${MAX_SIZE}: "${ranges[kind]}" }`,
        )
        .replaceAll(/\n {2}replicas: 3\n {2}(selector|template):/g, "\n  $1:");
      expect(autoscaled.match(/replicas:/g)).toHaveLength(1);
      await apply(autoscaled);
      await eventually(
        async () => {
          const replicas = "jsonpath={.items[*].spec.replicas}";
          expect(
            await kubectl(`get machinedeployment/demo-workers machinepool/demo-pool -o ${replicas}`),
          ).toBe("2 3");
        },
        { withinMs: 60_000, stepMs: 200 },
      );
    });

    it("lost managedFields keep no field that a function gives up, of any kind, also beside the applies of others", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      const functions = (await loadFunctions()).filter(({ spec }) => spec.owns.length > 0);
      await using client = createServer(await loadKubeconfig({ file: server.kubeconfigFile, env: {} }), {
        clock: systemClock,
      });
      const forget = async ({ spec }: AnyFunction) => {
        for (const object of (await client.as("mishap").list(spec.reconciles, {})).items)
          await client.as("mishap").jsonPatch(spec.reconciles, objectKeyOf(object), LOST);
      };
      {
        await using _ = await startCapstan(server.kubeconfigFile);
        await kubectl("apply -f -", `${await readFile(EXAMPLE, "utf8")}---${simLegacyCluster("old")}`);
        await kubectl(`apply -f infra/guides/examples/health-check.yaml`);
        await kubectl("label cluster/demo addon=yes");
        await kubectl("apply -f -", RESOURCE_SET);
        await kubectl("wait cluster/demo cluster/old --for=condition=Available --timeout=240s");
        await kubectl("wait clusterresourceset/demo --for=condition=ResourcesApplied --timeout=240s");
        for (const fn of functions) await forget(fn);
        await kubectl(
          "apply --server-side --field-manager=pipeline -f -",
          '{"apiVersion":"cluster.x-k8s.io/v1beta2","kind":"Cluster","metadata":{"name":"demo","labels":{"a":"b"}}}',
        );
        await kubectl(
          `patch simcluster/demo --type=json -p [{"op":"remove","path":"/spec/failureDomains/2"}]`,
        );
        await eventually(
          async () => {
            const domains = "jsonpath={.items[*].status.failureDomains[*].name}";
            expect(await kubectl(`get cluster/demo simcluster/demo -o ${domains}`)).toBe(
              "east north east north",
            );
          },
          { withinMs: 60_000, stepMs: 500 },
        );
      }
      await kubectl("apply -f -", REMEDIATION);
      await kubectl(
        `patch simremediation/demo --subresource=status --type=merge -p {"status":{"phase":"Running","retryCount":1}}`,
      );
      for (const fn of functions) {
        const { name, reconciles, owns } = fn.spec;
        const { items } = await client.as(name).list(reconciles, {});
        const found = items.toSorted((a, b) => JSON.stringify(b).length - JSON.stringify(a).length)[0];
        expect(found, `no ${reconciles.kind} is there to try ${name}`).toBeDefined();
        let object = found as KubeObject;
        await forget(fn);
        object = (await client.as(name).get(reconciles, objectKeyOf(object))) as KubeObject;
        const given = fieldsOf(object, owns);
        expect(given.length, `${reconciles.kind} has nothing that ${name} owns`).toBeGreaterThan(0);
        for (const path of given) {
          const status = without(valueAt(object, "status") as object, segmentsOf(path).slice(1));
          const rest = Object.keys(status).length === 0 ? {} : { status };
          const apply = Object.fromEntries(owns.map((owned) => [owned, valueAt(rest, owned)]));
          const { error } = await writeDecision({ apply, result: done }, {
            function: fn,
            object,
            clients: { of: (_cluster, as) => client.as(as) },
            clock: systemClock,
            log: silentLog,
            signal: new AbortController().signal,
          } as Parameters<typeof writeDecision>[1]);
          expect(error, `${name} ${path}`).toBeUndefined();
          object = (await client.as(name).get(reconciles, objectKeyOf(object))) as KubeObject;
          const kept = Object.fromEntries(owns.map((owned) => [owned, valueAt(object, owned)]));
          expect(kept, `${name} ${path}`).toEqual(apply);
          // With the last field of a manager the server takes the whole status, also what has no owner since the loss.
          if (Object.values(apply).some((value) => value !== undefined))
            expect(valueAt(object, "status"), `${name} ${path}`).toEqual(status);
          const managers = managedFieldsOf(object).map(({ manager }) => manager);
          expect(managers, `${name} ${path}`).not.toContain("before-first-apply");
        }
        const before = [{ op: "add", path: "/status", value: valueAt(found, "status") }] as const;
        await client.as("mishap").jsonPatch(reconciles, objectKeyOf(object), before, "status");
      }
    });
  });
}

/** Fields of the status below what is owned, as far as they are there. */
function fieldsOf(object: KubeObject, owns: readonly string[]): readonly string[] {
  return owns.flatMap((path) => {
    const value = valueAt(object, path);
    if (value === undefined) return [];
    return path === "status" ? Object.keys(value as object).map((field) => `status.${field}`) : [path];
  });
}

/** Without the field at these segments, and without what it was the only member of. */
function without(value: object, [name = "", ...below]: readonly string[]): object {
  const { [name]: inner, ...rest } = value as { readonly [field: string]: object };
  const left = below.length === 0 || inner === undefined ? {} : without(inner, below);
  return Object.keys(left).length === 0 ? rest : { ...value, [name]: left };
}
