import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually, holds } from "../support/eventually.ts";
import { type FooScene, startFooScene } from "../support/foo-pools.ts";
import { FOO_MACHINE_PROVIDER, fooNode } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import {
  allowDisruptions,
  deletingText,
  deletingWriters,
  fooMachine,
  getMachine,
  machineEvents,
  placePod,
  runFooMachine,
} from "../support/going-machines.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 200 };
const PRE_DRAIN = "pre-drain.delete.hook.machine.cluster.x-k8s.io/migrate";
const PRE_TERMINATE = "pre-terminate.delete.hook.machine.cluster.x-k8s.io/backup";

/** Requests of machine-delete to the management server about the objects of this name: `delete foomachines 200`. */
async function requestsOfDelete(scene: FooScene, name: string): Promise<readonly string[]> {
  const requests = await scene.requests();
  return requests
    .filter((request) => request.userAgent.endsWith(" machine-delete") && request.name === name)
    .map(({ verb, resource, code }) => `${verb} ${resource} ${code}`);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `the deletion of a Machine on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let scene: FooScene;
      beforeAll(async () => {
        scene = stack.use(await startFooScene(flavour));
        await scene.kubectl("apply -f -", FOO_MACHINE_PROVIDER);
        await scene.kubectl("wait crd --all --for=condition=Established --timeout=240s");
        // It runs elsewhere: its workers are drained although it has no Machines.
        await patchStatus(scene.kubectl, "foocontrolplane/foo-cp", { externalManagedControlPlane: true });
      });
      afterAll(() => stack.disposeAsync());

      const isGone = async (object: string) => {
        const { kubectl } = scene;
        await kubectl(`wait ${object} --for=delete --timeout=240s`);
      };

      it("drains the Node, held by a budget that status and explain name", async () => {
        const { kubectl, workload, kubeconfigFile } = scene;
        await runFooMachine(scene, "budget");
        await placePod(workload.kubectl, "budget");
        await kubectl("delete machine budget --wait=false");

        const held =
          /^True DrainingNode [\s\S]*Pod default\/web-budget: cannot evict pod as it would violate the pod's disruption budget[\s\S]*budget-budget/;
        await eventually(async () => expect(await deletingText(kubectl, "budget")).toMatch(held), WITHIN);
        expect(await deletingWriters(kubectl, "budget")).toEqual(["capstan-machine-drain"]);
        expect(await workload.kubectl("get node budget -o jsonpath={.spec.unschedulable}")).toBe("true");
        expect((await getMachine(kubectl, "budget")).status?.deletion?.nodeDrainStartTime).toBeDefined();
        const args = ["machine", "default/budget", "--kubeconfig", kubeconfigFile];
        const { output } = await runCli("explain", ...args);
        expect(output).toMatch(/stage +2 of 8, DrainingNode since 20/);
        expect(output).toMatch(/web-budget: cannot evict pod .*budget-budget/);
        expect(output).toMatch(/ends +never by itself: spec\.deletion\.nodeDrainTimeoutSeconds/);
        const { output: json } = await runCli("explain", ...args, "-o", "json");
        expect(JSON.parse(json)).toMatchObject({
          details: expect.arrayContaining([
            expect.objectContaining({ about: "stage", condition: "Deleting" }),
          ]),
        });

        await allowDisruptions(workload.kubectl, "budget", 1);
        await workload
          .kubectl("wait pod/web-budget --for=jsonpath={.metadata.deletionTimestamp} --timeout=240s")
          .catch(() => undefined);
        await workload.kubectl("delete pod web-budget --grace-period=0 --force --ignore-not-found");
        await isGone("machines.cluster.x-k8s.io/budget");
        expect(await workload.kubectl("get node budget --ignore-not-found")).toBe("");
        expect(await kubectl("get foomachine,fooconfig budget --ignore-not-found")).toBe("");
        expect(await machineEvents(kubectl, "budget")).toEqual(
          expect.arrayContaining(["NodeVolumesDetached", "SuccessfulDrainNode"]),
        );
      });

      it("is held by hooks before the drain and before the infrastructure goes", async () => {
        const { kubectl, workload, kubeconfigFile } = scene;
        const annotations = `annotations: { "${PRE_DRAIN}": migrator, "${PRE_TERMINATE}": "" }`;
        await runFooMachine(scene, "hooks", annotations);
        await kubectl("delete machine hooks --wait=false");
        await eventually(
          async () =>
            expect(await deletingText(kubectl, "hooks")).toBe(
              `True WaitingForPreDrainHook Waiting for pre-drain hooks to succeed (hooks: ${PRE_DRAIN})`,
            ),
          WITHIN,
        );
        expect(await deletingWriters(kubectl, "hooks")).toEqual(["capstan-machine-status"]);
        expect(await workload.kubectl("get node hooks -o jsonpath={.spec.unschedulable}")).toBe("");
        const { output } = await runCli(
          "explain",
          "machine",
          "default/hooks",
          "--kubeconfig",
          kubeconfigFile,
        );
        expect(output).toContain(`kubectl --namespace default annotate machine hooks ${PRE_DRAIN}-`);

        await kubectl(`annotate machines.cluster.x-k8s.io/hooks ${PRE_DRAIN}-`);
        await eventually(
          async () =>
            expect(await deletingText(kubectl, "hooks")).toMatch(/^True WaitingForPreTerminateHook/),
          WITHIN,
        );
        expect(await workload.kubectl("get node hooks -o jsonpath={.spec.unschedulable}")).toBe("true");
        expect(await kubectl("get foomachine hooks -o jsonpath={.metadata.deletionTimestamp}")).toBe("");
        await kubectl(`annotate machines.cluster.x-k8s.io/hooks ${PRE_TERMINATE}-`);
        await isGone("machines.cluster.x-k8s.io/hooks");
        expect(await workload.kubectl("get node hooks --ignore-not-found")).toBe("");
      });

      it("counts a timeout that is set during the drain", async () => {
        const { kubectl, workload } = scene;
        await runFooMachine(scene, "timeout");
        await placePod(workload.kubectl, "timeout");
        await kubectl("delete machine timeout --wait=false");
        await eventually(
          async () => expect(await deletingText(kubectl, "timeout")).toContain("disruption budget"),
          WITHIN,
        );
        await patch(kubectl, "machines.cluster.x-k8s.io/timeout", {
          spec: { deletion: { nodeDrainTimeoutSeconds: 1 } },
        });
        await isGone("machines.cluster.x-k8s.io/timeout");
        expect(await workload.kubectl("get pod web-timeout -o jsonpath={.metadata.deletionTimestamp}")).toBe(
          "",
        );
      });

      it("leaves a Node that is another instance, and an object of another controller", async () => {
        const { kubectl, workload } = scene;
        await runFooMachine(scene, "taken");
        const owner = { apiVersion: "example.com/v1", kind: "Stack", name: "s", uid: "u", controller: true };
        await patch(kubectl, "fooconfig/taken", { metadata: { ownerReferences: [owner] } });
        await kubectl(
          "annotate machines.cluster.x-k8s.io/taken machine.cluster.x-k8s.io/exclude-node-draining=",
        );
        await patch(kubectl, "foomachine/taken", { metadata: { finalizers: ["example.com/keep"] } });
        await kubectl("delete machine taken --wait=false");
        await eventually(
          async () =>
            expect(await kubectl("get foomachine taken -o jsonpath={.metadata.deletionTimestamp}")).not.toBe(
              "",
            ),
          WITHIN,
        );
        // While the infrastructure machine is going a run only waits: it asks no server.
        const asked = await requestsOfDelete(scene, "taken");
        expect(asked.at(-1)).toBe("delete foomachines 200");
        await workload.kubectl("label node taken example.com/touched=yes");
        await kubectl("label machines.cluster.x-k8s.io/taken example.com/touched=yes");
        await holds(async () => expect(await requestsOfDelete(scene, "taken")).toEqual(asked), {
          forMs: 1_000,
          stepMs: 200,
        });
        await workload.kubectl("delete node taken");
        const other = fooNode("taken").replace("foo://taken", "foo://new");
        await workload.kubectl("create -f -", other);
        await patch(kubectl, "foomachine/taken", { metadata: { finalizers: null } });
        await isGone("machines.cluster.x-k8s.io/taken");
        // Each deed comes behind live reads of everything that goes before it, side by side.
        expect(asked.toSorted()).toEqual([
          "delete foomachines 200",
          "get foomachines 200",
          "get machines 200",
        ]);
        const later = (await requestsOfDelete(scene, "taken")).slice(asked.length);
        expect(later.at(-1)).toBe("patch machines 200");
        expect(later).toEqual(expect.arrayContaining(["get foomachines 404", "get fooconfigs 200"]));
        expect(await workload.kubectl("get node taken -o jsonpath={.spec.providerID}")).toBe("foo://new");
        expect(await kubectl("get fooconfig taken -o jsonpath={.metadata.deletionTimestamp}")).toBe("");
        expect(await machineEvents(kubectl, "taken")).toContain("NodeHandlingSkipped");
      });

      it("ends without a Node that never was, and an Event says so", async () => {
        const { kubectl } = scene;
        await kubectl("apply -f -", fooMachine("young"));
        await kubectl("wait machines.cluster.x-k8s.io/young --for=condition=Ready=False --timeout=240s");
        await kubectl("delete machines.cluster.x-k8s.io/young --timeout=240s");
        expect(await machineEvents(kubectl, "young")).toContain("NodeHandlingSkipped");
        expect(await kubectl("get foomachine,fooconfig young --ignore-not-found")).toBe("");
      });

      it("the second Machine with a provider ID gets no Node, says why, and leaves that of the first alone", async () => {
        const { kubectl, workload } = scene;
        await runFooMachine(scene, "twin");
        await placePod(workload.kubectl, "twin");
        const second = fooMachine("twin-b").replace("foo://twin-b", "foo://twin");
        await kubectl("apply -f -", second);
        await patchStatus(kubectl, "fooconfig/twin-b", {
          initialization: { dataSecretCreated: true },
          dataSecretName: "twin-b-data",
        });
        await patchStatus(kubectl, "foomachine/twin-b", { initialization: { provisioned: true } });
        await eventually(async () => {
          const { status } = await getMachine(kubectl, "twin-b");
          const { message } = status?.conditions?.find(({ type }) => type === "NodeHealthy") ?? {};
          expect(message).toBe(
            "Machines twin, twin-b have the same provider ID foo://twin; only one of them can have the Node",
          );
          expect(status?.nodeRef).toBeUndefined();
        }, WITHIN);
        await kubectl("delete machines.cluster.x-k8s.io/twin-b --timeout=240s");
        expect(await workload.kubectl("get node twin -o jsonpath={.spec.unschedulable}")).toBe("");
        expect(await workload.kubectl("get pod web-twin -o jsonpath={.metadata.deletionTimestamp}")).toBe("");
        expect((await getMachine(kubectl, "twin")).status).toMatchObject({
          phase: "Running",
          nodeRef: { name: "twin" },
        });
      });

      it("hands labels, annotations and taints on to the Node, and takes them back", async () => {
        const { kubectl, workload } = scene;
        const key = "node.cluster.x-k8s.io/tier";
        await runFooMachine(scene, "marks", `labels: { "${key}": gold, team: a }`);
        const nodeOf = async () => JSON.parse(await workload.kubectl("get node marks -o json"));
        await eventually(async () => {
          const { metadata, spec } = await nodeOf();
          expect(metadata.labels).toMatchObject({ [key]: "gold" });
          expect(metadata.labels).not.toHaveProperty("team");
          expect(metadata.annotations).toMatchObject({
            "cluster.x-k8s.io/machine": "marks",
            "cluster.x-k8s.io/labels-from-machine": key,
          });
          expect(spec.taints ?? []).toEqual([]);
        }, WITHIN);
        await kubectl(`label machines.cluster.x-k8s.io/marks ${key}-`);
        const taint = { key: "example.com/gpu", effect: "NoSchedule", propagation: "Always" };
        await patch(kubectl, "machines.cluster.x-k8s.io/marks", { spec: { taints: [taint] } });
        await eventually(async () => {
          const { metadata, spec } = await nodeOf();
          expect(metadata.labels ?? {}).not.toHaveProperty([key]);
          expect(spec.taints).toEqual([{ key: "example.com/gpu", effect: "NoSchedule" }]);
        }, WITHIN);
      });
    },
  );
}
