import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simPool, simPoolWithMachines } from "../support/manifests.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 200 };

interface List {
  readonly items: readonly {
    readonly metadata: { readonly name: string };
    readonly spec: { readonly version?: string; readonly infrastructureRef?: { readonly name: string } };
    readonly status?: {
      readonly conditions?: readonly { readonly type: string; readonly status: string }[];
    };
  }[];
}

/** `p1-0 v1.34.2 Available, Ready, UpToDate=True`, sorted: the version and the first three conditions. */
async function machinesOf(kubectl: Kubectl): Promise<readonly string[]> {
  const { items } = JSON.parse(await kubectl("get machines -o json")) as List;
  return items
    .map(({ metadata, spec, status }) => {
      const [first, second, third] = status?.conditions ?? [];
      return `${metadata.name} ${spec.version} ${first?.type}, ${second?.type}, ${third?.type}=${third?.status}`;
    })
    .toSorted();
}

async function statusOf(kubectl: Kubectl): Promise<Record<string, unknown>> {
  return (JSON.parse(await kubectl("get machinepool/p1 -o json")) as { status: Record<string, unknown> })
    .status;
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a pool with Machines on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      beforeAll(async () => {
        server = stack.use(await flavour.start());
        stack.use(await startCapstan(server.kubeconfigFile));
      });
      afterAll(() => stack.disposeAsync());

      describe("in a namespace of its own", { concurrent: true }, () => {
        it("W-05 comes to Running with one Machine per instance, and shrinks by deleting the Machine a user marked", async () => {
          const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "shrunk");
          await apply(`${simCluster("c1")}---${simPoolWithMachines("p1", "c1", 3)}`);
          await kubectl("wait machinepool/p1 --for=jsonpath={.status.phase}=Running --timeout=240s");
          await eventually(async () => {
            expect(await machinesOf(kubectl)).toEqual([
              "p1-0 v1.34.2 Available, Ready, UpToDate=True",
              "p1-1 v1.34.2 Available, Ready, UpToDate=True",
              "p1-2 v1.34.2 Available, Ready, UpToDate=True",
            ]);
            expect(await statusOf(kubectl)).toMatchObject({
              phase: "Running",
              replicas: 3,
              readyReplicas: 3,
              availableReplicas: 3,
              upToDateReplicas: 3,
              versions: [{ version: "v1.34.2", replicas: 3 }],
            });
          }, WITHIN);

          await kubectl("annotate machine/p1-0 cluster.x-k8s.io/delete-machine=yes");
          await kubectl("scale machinepool/p1 --replicas=2");
          await eventually(async () => {
            expect(await kubectl("get machines,simmachines,siminstances -o name")).toBe(
              [
                "machine.cluster.x-k8s.io/p1-1",
                "machine.cluster.x-k8s.io/p1-2",
                "simmachine.infrastructure.sim.capstan.dev/p1-1",
                "simmachine.infrastructure.sim.capstan.dev/p1-2",
                "siminstance.cloud.sim.capstan.dev/p1-1",
                "siminstance.cloud.sim.capstan.dev/p1-2",
                "",
              ].join("\n"),
            );
            expect(await statusOf(kubectl)).toMatchObject({ phase: "Running", replicas: 2 });
          }, WITHIN);

          await kubectl("delete machine/p1-1 --timeout=240s");
          await eventually(async () => {
            expect((await machinesOf(kubectl)).map((text) => text.split(" ")[0])).toEqual(["p1-0", "p1-2"]);
            expect(await statusOf(kubectl)).toMatchObject({
              phase: "Running",
              replicas: 2,
              upToDateReplicas: 2,
            });
          }, WITHIN);

          await kubectl("delete machinepool/p1 --timeout=240s");
          await eventually(
            async () => expect(await kubectl("get machines,simmachines,siminstances -o name")).toBe(""),
            WITHIN,
          );
        });

        it("follows the number that the provider's own autoscaler chooses", async () => {
          const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "autoscaled");
          const pool = simPool("p1", "c1", 1)
            .replace("{ name: p1,", '{ name: p1, annotations: { cluster.x-k8s.io/replicas-managed-by: "" },')
            .replace("bootDelaySeconds: 0", "replicas: 2, bootDelaySeconds: 0");
          await apply(`${simCluster("c1")}---${pool}`);
          await running(kubectl, 2);
          for (const replicas of [4, 1]) {
            await kubectl(
              `patch simmachinepool/p1 --type=merge -p '${JSON.stringify({ spec: { replicas } })}'`,
            );
            await running(kubectl, replicas);
          }
        });
      });

      // Alone: it changes what the provider is to all of the server.
      it("is the same with a provider of the contract v1beta1", async () => {
        const { kubectl, apply } = await ownNamespace(server.kubeconfigFile, "older");
        for (const crd of PROVIDER_CRDS) {
          await kubectl(
            `label crd ${crd} cluster.x-k8s.io/v1beta2- cluster.x-k8s.io/v1beta1=v1beta2 --overwrite`,
          );
        }
        await apply(`${simCluster("c1")}---${simPoolWithMachines("p1", "c1", 2)}`);
        await running(kubectl, 2);
        await eventually(async () => expect(await machinesOf(kubectl)).toHaveLength(2), WITHIN);
        await kubectl("wait cluster/c1 --for=jsonpath={.status.phase}=Provisioned --timeout=240s");
      });
    },
  );
}

const PROVIDER_CRDS = [
  "simclusters.infrastructure.sim.capstan.dev",
  "simmachinepools.infrastructure.sim.capstan.dev",
  "simmachines.infrastructure.sim.capstan.dev",
  "simcontrolplanes.controlplane.sim.capstan.dev",
  "simbootstrapconfigs.bootstrap.sim.capstan.dev",
];

async function running(kubectl: Kubectl, replicas: number): Promise<void> {
  await eventually(async () => {
    const pool = JSON.parse(await kubectl("get machinepool/p1 -o json")) as {
      spec: { replicas: number };
      status: { phase: string; replicas: number; nodeRefs?: readonly object[] };
    };
    expect(pool.spec.replicas).toBe(replicas);
    expect(pool.status).toMatchObject({ phase: "Running", replicas });
    expect(pool.status.nodeRefs).toHaveLength(replicas);
  }, WITHIN);
}
