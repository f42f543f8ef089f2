import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import {
  conditionText,
  eventReasons,
  type FooScene,
  fooPool,
  getPool,
  joinNodes,
  listInstances,
  nameSecret,
  startFooScene,
} from "../support/foo-pools.ts";
import { FOO_PROVIDER } from "../support/foo-provider.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { simCluster, simPoolWithMachines } from "../support/manifests.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 100 };
const OWNERS = "jsonpath={.metadata.ownerReferences[*].kind}";

/** The same provider, whose CRDs claim no contract. */
const BARE_PROVIDER = FOO_PROVIDER.replaceAll("foo", "bare")
  .replaceAll("Foo", "Bare")
  .replaceAll("  labels: { cluster.x-k8s.io/v1beta2: v1 }\n", "");

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `what holds a pool back on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let scene: FooScene;
      beforeAll(async () => {
        scene = stack.use(await startFooScene(flavour));
        await scene.kubectl("apply -f -", BARE_PROVIDER);
        await scene.kubectl("wait crd --all --for=condition=Established --timeout=240s");
      });
      afterAll(() => stack.disposeAsync());

      it("leaves a paused pool alone but for finalizer and Paused, keeps it while it is deleted, and makes up for it", async () => {
        const { kubectl, workload } = scene;
        const metadata = 'annotations: { cluster.x-k8s.io/paused: "false" }';
        await kubectl("create -f -", fooPool("still", { metadata }));
        await kubectl("wait machinepool/still --for=condition=Paused --timeout=240s");
        const untouched = async () => {
          const pool = await getPool(kubectl, "still");
          expect(pool.metadata.finalizers).toEqual(["machinepool.cluster.x-k8s.io"]);
          expect(pool.metadata.ownerReferences).toBeUndefined();
          expect(pool.status?.conditions?.map(({ type }) => type)).toEqual(["Paused"]);
          expect(conditionText(pool, "Paused")).toBe(
            "True Paused MachinePool has the cluster.x-k8s.io/paused annotation",
          );
          expect(await kubectl(`get foomachinepool/still fooconfig/still -o ${OWNERS}`)).toBe("");
        };
        await holds(untouched, { forMs: 1_000, stepMs: 200 });

        await kubectl("annotate machinepool/still cluster.x-k8s.io/paused-");
        await nameSecret(kubectl, "still", "data", "foo");
        await joinNodes(workload, ["s1"]);
        await listInstances(kubectl, "still", ["foo://s1"]);
        await kubectl("wait machinepool/still --for=jsonpath={.status.phase}=Running --timeout=240s");
        await kubectl("annotate machinepool/still cluster.x-k8s.io/paused=");
        await kubectl("wait machinepool/still --for=condition=Paused --timeout=240s");
        await kubectl("delete machinepool/still --wait=false");
        await holds(
          async () => {
            expect(conditionText(await getPool(kubectl, "still"), "Deleting")).toBe("False NotDeleting ");
            expect(await kubectl("get foomachinepool/still -o jsonpath={.metadata.deletionTimestamp}")).toBe(
              "",
            );
            expect(await workload.kubectl("get node/s1 -o jsonpath={.metadata.deletionTimestamp}")).toBe("");
          },
          { forMs: 1_000, stepMs: 200 },
        );
        await kubectl("annotate machinepool/still cluster.x-k8s.io/paused-");
        await kubectl("wait machinepool/still --for=delete --timeout=240s");
        expect(await kubectl("get foomachinepool/still fooconfig/still --ignore-not-found -o name")).toBe("");
        expect(await workload.kubectl("get node/s1 --ignore-not-found")).toBe("");
      });

      it("writes nothing to objects whose CRD claims no contract, says so, and resumes once it does", async () => {
        const { kubectl } = scene;
        const manifest = fooPool("bare")
          .replaceAll("foo.example.com", "bare.example.com")
          .replaceAll("Foo", "Bare");
        await kubectl("create -f -", manifest);
        await eventually(async () => {
          const pool = await getPool(kubectl, "bare");
          for (const type of ["BootstrapConfigReady", "InfrastructureReady"]) {
            expect(conditionText(pool, type)).toMatch(
              /^Unknown InternalError .* has no label cluster.x-k8s.io/,
            );
          }
        }, WITHIN);
        const objects = "baremachinepools.infrastructure.bare.example.com/bare bareconfigs/bare";
        expect(await kubectl(`get ${objects} -o jsonpath={.items[*].metadata.ownerReferences}`)).toBe("");

        for (const crd of ["baremachinepools.infrastructure", "bareconfigs.bootstrap"]) {
          await kubectl(`label crd ${crd}.bare.example.com cluster.x-k8s.io/v1beta2=v1`);
        }
        await eventually(async () => {
          expect(
            await kubectl(`get ${objects} -o jsonpath={.items[*].metadata.ownerReferences[*].name}`),
          ).toBe("bare bare");
        }, WITHIN);
      });

      it("reports a malformed limit and does nothing more, until it is repaired", async () => {
        const { kubectl, capstan } = scene;
        const metadata = 'annotations: { capstan.dev/remediation-max-in-flight: "many" }';
        await kubectl("create -f -", fooPool("odd", { metadata }));
        const dead = async () => (await capstan.queue.depth("machinepool-remediate")).dead;
        await eventually(async () => {
          expect(await eventReasons(kubectl, "odd")).toContain("InvalidSpec");
          expect(await dead()).toBe(1);
        }, WITHIN);
        await kubectl("annotate machinepool/odd capstan.dev/remediation-max-in-flight=20% --overwrite");
        await eventually(async () => expect(await dead()).toBe(0), WITHIN);
      });

      it("warns of a pool that comes near the size of one object, once", async () => {
        const { kubectl } = scene;
        await kubectl("create -f -", fooPool("huge", { spec: "replicas: 4000" }));
        await nameSecret(kubectl, "huge", "data", "foo");
        const { spec: _, ...infra } = JSON.parse(await kubectl("get foomachinepool/huge -o json"));
        const providerIDList = Array.from({ length: 4_000 }, (_, index) => `foo://huge-${index}`);
        // Too long for a command line.
        await kubectl("replace -f -", JSON.stringify({ ...infra, spec: { providerIDList } }));
        await patchStatus(kubectl, "foomachinepool/huge", { ready: true, replicas: 4_000 });
        await eventually(async () => {
          expect((await getPool(kubectl, "huge")).spec.providerIDList).toHaveLength(4_000);
          expect(await eventReasons(kubectl, "huge")).toContain("TooManyInstances");
        }, WITHIN);
      });
    },
  );

  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a pool with a name that is not a label value on ${flavour.name}`,
    () => {
      it("finds its Machines by the hash of its name", async () => {
        await using server = await flavour.start();
        const kubectl = kubectlFor(server.kubeconfigFile);
        await using _capstan = await startCapstan(server.kubeconfigFile);
        const name = "a-pool-whose-name-is-much-too-long-for-the-value-of-a-label-in-kubernetes";
        await kubectl("apply -f -", `${simCluster("c1")}---${simPoolWithMachines(name, "c1", 1)}`);
        await kubectl(`wait machinepool/${name} --for=jsonpath={.status.phase}=Running --timeout=240s`);
        await kubectl(`wait machinepool/${name} --for=jsonpath={.status.upToDateReplicas}=1 --timeout=240s`);
        const labels = JSON.parse(await kubectl(`get machine/${name}-0 -o json`)).metadata.labels;
        expect(labels["cluster.x-k8s.io/pool-name"]).toMatch(/^hash_[-_A-Za-z0-9]{6}_z$/);
        await patch(kubectl, `machine/${name}-0`, {
          metadata: { labels: { "cluster.x-k8s.io/pool-name": "x" } },
        });
        await eventually(async () => {
          const machine = JSON.parse(await kubectl(`get machine/${name}-0 -o json`));
          expect(machine.metadata.labels).toEqual(labels);
        }, WITHIN);
      });
    },
  );
}
