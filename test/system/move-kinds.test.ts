import { afterAll, beforeAll, expect, it } from "vitest";
import { readMovePlan } from "../../infra/providers/clusterctl/move/read-plan.ts";
import { traitsOf } from "../../shared/api/traits.ts";
import { staysBehind } from "../../shared/contract/rules/move/left-behind.ts";
import { ALL_KINDS } from "../support/all-kinds.ts";
import { startCapstan } from "../support/capstan.ts";
import { checkedSet, checkedSets, WITHIN } from "../support/checked-sets.ts";
import { eventually } from "../support/eventually.ts";
import { startSide, type TestSide } from "../support/management-side.ts";
import {
  simClusterOfMachines,
  simLegacyCluster,
  simMachineDeployment,
  simPool,
  simPoolWithMachines,
} from "../support/manifests.ts";
import { objectsThrough } from "../support/objects.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const SIM = "infrastructure.sim.capstan.dev/v1beta2";
const TEMPLATE = `{ apiVersion: ${SIM}, kind: SimRemediationTemplate, name: slow }`;
/** One object of each kind that people make; Capstan makes the others of them. */
const MANIFEST = [
  simClusterOfMachines("c1", 1),
  simLegacyCluster("c2"),
  simPool("p2", "c2", 1),
  simPoolWithMachines("p1", "c1", 1),
  simMachineDeployment("d1", "c1", 1),
  checkedSet("s1", { replicas: 1, remediation: `{ templateRef: ${TEMPLATE} }` }),
  `
apiVersion: ${SIM}
kind: SimRemediationTemplate
metadata: { name: slow, namespace: default }
spec: { template: { spec: { delaySeconds: 3600 } } }
---
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: { name: s1, namespace: default }
spec: { clusterName: c1 }
---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDrainRule
metadata: { name: d1, namespace: default }
spec: { drain: { behavior: Skip } }
---
apiVersion: v1
kind: ConfigMap
metadata: { name: addon, namespace: default }
data: { a: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"addon"}}' }
---
apiVersion: addons.cluster.x-k8s.io/v1beta2
kind: ClusterResourceSet
metadata: { name: r1, namespace: default }
spec: { clusterSelector: { matchLabels: { addon: "yes" } }, resources: [{ kind: ConfigMap, name: addon }] }
`,
].join("---");

/** Kinds that only a ClusterClass of Cluster API uses: it makes them move. */
const OF_CLUSTER_API: ReadonlySet<string> = new Set([
  "SimClusterTemplate",
  "SimControlPlaneLegacyTemplate",
  "SimControlPlaneTemplate",
  "SimMachinePoolTemplate",
]);

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`what moves on ${flavour.name}`, () => {
    const stack = new AsyncDisposableStack();
    let side: TestSide;
    beforeAll(async () => {
      side = stack.use(await startSide(flavour));
      stack.use(await startCapstan(side.started.kubeconfigFile, { installCrds: false }));
    });
    afterAll(() => stack.disposeAsync());

    it("an object of every kind of Capstan moves with its Cluster, and none stays behind", async () => {
      const kubectl = kubectlFor(side.started.kubeconfigFile);
      await kubectl("apply -f -", MANIFEST);
      await kubectl("label cluster/c1 addon=yes");
      const scene = checkedSets(objectsThrough(kubectl));
      const [machine] = await scene.healthy("s1", 1);
      await scene.fail(machine);
      const ours = ALL_KINDS.filter(
        (kind) => kind.crd !== undefined && !OF_CLUSTER_API.has(kind.kind) && !traitsOf(kind).isServedOnly,
      );
      await eventually(async () => {
        const plan = await readMovePlan({ source: side.server }, { namespace: "default" });
        const moving = new Set(plan.objects.filter(({ fate }) => fate === "moves").map(({ kind }) => kind));
        expect(ours.map(({ kind }) => kind).filter((kind) => !moving.has(kind))).toEqual([]);
        expect(staysBehind(plan)).toEqual([]);
      }, WITHIN);
    });
  });
}
