import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const NAMESPACE = `
apiVersion: v1
kind: Namespace
metadata: { name: team }
`;
const BUILT_IN = `
apiVersion: v1
kind: ConfigMap
metadata: { name: settings, namespace: team }
data: { a: b }
---
apiVersion: v1
kind: Secret
metadata: { name: c1-own, namespace: team }
stringData: { a: b }
`;
const OF_A_PROVIDER = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: doors.parts.dev }
spec:
  group: parts.dev
  scope: Namespaced
  names: { kind: Door, listKind: DoorList, plural: doors, singular: door }
  versions:
    - name: v1
      served: true
      storage: true
      schema: { openAPIV3Schema: { type: object, x-kubernetes-preserve-unknown-fields: true } }
---
apiVersion: parts.dev/v1
kind: Door
metadata: { name: front, namespace: team }
`;
const CLASS = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: ClusterClass
metadata: { name: quick, namespace: team }
spec: {}
`;
const FOREIGN = `
apiVersion: nowhere.dev/v1
kind: Thing
metadata: { name: a, namespace: team }
`;

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`up -f on ${flavour.name}`, () => {
    it("applies whatever the server serves, and nothing of a file with a kind that it does not serve", async () => {
      await using server = await flavour.start();
      const dir = testFolder("manifests");
      const kubectl = kubectlFor(server.kubeconfigFile);
      const write = async (...documents: readonly string[]) => {
        await writeFile(join(dir, "m.yaml"), documents.join("---"));
        return ["up", "--kubeconfig", server.kubeconfigFile, "--install-crds", "-f", join(dir, "m.yaml")];
      };
      for (const [bad, message] of [
        [FOREIGN, /m\.yaml:\d+: Thing a: the API server does not serve nowhere\.dev\/v1 Thing; install its/],
        [CLASS, /m\.yaml:\d+: ClusterClass quick: Capstan does not run kind ClusterClass/],
      ] as const) {
        const { code, output } = await runCli(...(await write(NAMESPACE, BUILT_IN, bad)));
        expect(output).toMatch(message);
        expect(code).toBe(1);
        expect(await kubectl("get namespace/team --ignore-not-found")).toBe("");
      }
      const cluster = [simCluster("c1", "team"), simPool("p1", "c1", 1, "team")];
      await using up = startCli(await write(NAMESPACE, BUILT_IN, OF_A_PROVIDER, ...cluster));
      await eventually(() => expect(up.output()).toContain("Ctrl-C stops"), { withinMs: 120_000 });
      const applied = "configmap/settings secret/c1-own doors/front cluster/c1 machinepool/p1";
      expect((await kubectl(`get ${applied} --namespace team -o name`)).trim().split("\n")).toHaveLength(5);
      await kubectl("wait cluster/c1 --namespace team --for=condition=Available --timeout=240s");
    });
  });
}
