import { expect, it } from "vitest";
import { eventually, holds } from "../support/eventually.ts";
import {
  conditionText,
  eventReasons,
  fooPool,
  getPool,
  joinNodes,
  listInstances,
  nameSecret,
  startFooScene,
} from "../support/foo-pools.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 100 };
const POOL = "machinepool/foo-pool";
const INFRA = "foomachinepool/foo-pool";
const CONFIG = "fooconfig/foo-pool";
const IDS = ["foo://n1", "foo://n2"];
const TOO_MANY = Array.from({ length: 10_001 }, (_, index) => `f://${index}`);

type Deed = (kubectl: Kubectl) => Promise<unknown>;
const lists = (providerIDList: unknown) => (kubectl: Kubectl) =>
  patch(kubectl, INFRA, { spec: { providerIDList } });
const says = (status: object) => (kubectl: Kubectl) => patchStatus(kubectl, INFRA, status);
const ready = { ready: true, replicas: 2 };

/** Deeds of the provider. */
const PROVIDER: readonly Deed[] = [
  lists([]),
  says({ replicas: -1 }),
  lists(["foo://n2", "foo://n1"]),
  says({ replicas: null }),
  lists(["", "foo://n1", "foo://n1", "foo://n2", ""]),
  says({ ready: "yes", replicas: "two", failureReason: 7, conditions: 7 }),
  lists([`foo://${"1".repeat(600)}`]),
  says({ ...ready, conditions: [{ type: "Ready", status: "Maybe", lastTransitionTime: "soon" }] }),
  lists({ not: "a list" }),
  says({ ready: false, replicas: 0, initialization: "no" }),
  lists(null),
  says({ ...ready, conditions: null, infrastructureMachineKind: { a: 1 } }),
  lists([1, 2]),
  (kubectl) => patchStatus(kubectl, CONFIG, { initialization: 1, dataSecretName: ["a"] }),
  (kubectl) =>
    patchStatus(kubectl, CONFIG, { initialization: { dataSecretCreated: true }, dataSecretName: "" }),
];

/** Deeds of a user. */
const USER: readonly Deed[] = [
  (kubectl) => kubectl(`annotate ${POOL} cluster.x-k8s.io/paused=`),
  (kubectl) => patch(kubectl, POOL, { metadata: { ownerReferences: null } }),
  (kubectl) => kubectl(`annotate ${POOL} cluster.x-k8s.io/paused-`),
  (kubectl) => kubectl(`label ${POOL} cluster.x-k8s.io/cluster-name-`),
  (kubectl) => patch(kubectl, POOL, { metadata: { finalizers: null } }),
  (kubectl) => patch(kubectl, "cluster/foo", { spec: { paused: true } }),
  (kubectl) => kubectl(`scale ${POOL} --replicas=1`),
  (kubectl) => patch(kubectl, "cluster/foo", { spec: { paused: false } }),
  (kubectl) => patch(kubectl, INFRA, { metadata: { ownerReferences: null } }),
  (kubectl) => kubectl(`scale ${POOL} --replicas=2`),
  (kubectl) => patch(kubectl, CONFIG, { metadata: { ownerReferences: null, labels: null } }),
];

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `pools among providers and users who do anything on ${flavour.name}`,
    () => {
      it("no Node is lost, nothing dies, and all is Running again once every tenant is reasonable", async () => {
        await using scene = await startFooScene(flavour);
        const { kubectl, workload, capstan } = scene;
        const uids = () => workload.kubectl("get nodes -o jsonpath={.items[*].metadata.uid}");
        const before = await uids();
        const { spec } = await getPool(kubectl, "foo-pool");

        for (const [index, deed] of PROVIDER.entries()) {
          await Promise.all([deed(kubectl), USER[index]?.(kubectl)]);
        }
        // Too long for a command line.
        const { spec: _, ...infra } = JSON.parse(await kubectl(`get ${INFRA} -o json`));
        const tooMany = { ...infra, spec: { providerIDList: TOO_MANY } };
        await kubectl("replace -f -", JSON.stringify(tooMany));
        await eventually(async () => {
          const pool = await getPool(kubectl, "foo-pool");
          expect(conditionText(pool, "InfrastructureReady")).toContain("more than 10000 items");
          expect(pool.spec.template.spec.bootstrap.dataSecretName).toBe("foo-pool-data");
        }, WITHIN);
        expect(await uids()).toBe(before);

        await nameSecret(kubectl, "foo-pool", "foo-pool-data", "foo");
        await patchStatus(kubectl, INFRA, { infrastructureMachineKind: null });
        await listInstances(kubectl, "foo-pool", IDS);
        await eventually(async () => {
          const { metadata, status, ...pool } = await getPool(kubectl, "foo-pool");
          expect(pool.spec).toEqual(spec);
          expect(status).toMatchObject({ phase: "Running", observedGeneration: metadata.generation });
          expect(status?.nodeRefs?.map(({ name }) => name)).toEqual(["n1", "n2"]);
          expect(metadata.finalizers).toEqual(["machinepool.cluster.x-k8s.io"]);
          expect(metadata.labels).toEqual({ "cluster.x-k8s.io/cluster-name": "foo" });
          expect(metadata.ownerReferences?.map(({ kind }) => kind)).toEqual(["Cluster"]);
        }, WITHIN);
        expect(await uids()).toBe(before);
        for (const { spec: fn } of capstan.functions) {
          expect(await capstan.queue.depth(fn.name), fn.name).toMatchObject({ dead: 0 });
        }
      });

      it("a deleted pool gives unreachable Nodes up at its timeout, and at 0 only when its Cluster is gone", async () => {
        await using scene = await startFooScene(flavour);
        const { kubectl, workload } = scene;
        const template = "deletion: { nodeDeletionTimeoutSeconds: 0 }";
        await kubectl("create -f -", fooPool("patient", { template }));
        await nameSecret(kubectl, "patient", "data", "foo");
        await joinNodes(workload, ["p1"]);
        await listInstances(kubectl, "patient", ["foo://p1"]);
        await kubectl("wait machinepool/patient --for=jsonpath={.status.phase}=Running --timeout=240s");
        await patch(kubectl, POOL, {
          spec: { template: { spec: { deletion: { nodeDeletionTimeoutSeconds: 2 } } } },
        });

        await workload.server.stop();
        await kubectl("delete machinepool/foo-pool machinepool/patient --wait=false");
        await kubectl("wait machinepool/foo-pool --for=delete --timeout=240s");
        const waiting = async () =>
          expect(conditionText(await getPool(kubectl, "patient"), "Deleting")).toBe(
            "True Deleting Waiting for 1 Nodes to be deleted",
          );
        await eventually(waiting, WITHIN);
        await holds(waiting, { forMs: 1_000, stepMs: 200 });

        await kubectl("delete cluster/foo --wait=false");
        await eventually(async () => {
          await patch(kubectl, "cluster/foo", { metadata: { finalizers: null } });
        }, WITHIN);
        await kubectl("wait machinepool/patient --for=delete --timeout=240s");
      });

      it.each(["get", "delete"])(
        "a deleted pool that may not %s its Nodes says so, goes at its timeout, or tries for ever",
        async (verb) => {
          await using scene = await startFooScene(flavour);
          const { kubectl, workload, capstan } = scene;
          const template = "deletion: { nodeDeletionTimeoutSeconds: 0 }";
          await kubectl("create -f -", fooPool("patient", { template }));
          await nameSecret(kubectl, "patient", "data", "foo");
          await joinNodes(workload, ["p1"]);
          await listInstances(kubectl, "patient", ["foo://p1"]);
          await kubectl("wait machinepool/patient --for=jsonpath={.status.phase}=Running --timeout=240s");
          await patch(kubectl, POOL, {
            spec: { template: { spec: { deletion: { nodeDeletionTimeoutSeconds: 3 } } } },
          });

          const { faults } = workload.server;
          const on = { verbs: [verb], resource: "nodes" };
          const fault = faults.add({ on, effect: { kind: "status", code: 403, reason: "Forbidden" } });
          await kubectl("delete machinepool/foo-pool machinepool/patient --wait=false");
          await kubectl("wait machinepool/foo-pool --for=delete --timeout=240s");
          await eventually(async () => {
            expect(await eventReasons(kubectl, "patient")).toContain("FailedDeleteNode");
            expect(faults.list[0]?.hits).toBeGreaterThan(4);
            expect(await capstan.queue.depth("machinepool-delete")).toMatchObject({ dead: 0, waiting: 1 });
          }, WITHIN);
          expect(await kubectl("get machinepool/patient -o name")).toContain("patient");

          // Nothing that Capstan watches shows it.
          faults.remove(fault);
          await kubectl("wait machinepool/patient --for=delete --timeout=240s");
          expect(await workload.kubectl("get node/p1 --ignore-not-found")).toBe("");
        },
      );
    },
  );
}
