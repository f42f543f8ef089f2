import { expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { simCluster, simMachineSet } from "../support/manifests.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { holderOf, type ManagerProcess, startManager } from "../support/processes/managers.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 90_000, stepMs: 300 };
const ELECTED = ["--namespace=", "--watch-filter=", "--leader-elect=true", "--lease-name", "capstan-core"];

const startCloud = (kubeconfigFile: string) =>
  startCli([
    "up",
    "--kubeconfig",
    kubeconfigFile,
    "--install-crds",
    "--roles",
    "cloud",
    "--empty",
    "--quiet",
  ]);

const leads = ({ output }: ManagerProcess) => expect(output()).toContain("every watch has its first list");

/** Machines that were made so far: those that are gone count, too. */
async function madeMachines(server: TestServer): Promise<number> {
  const made = (await server.requests()).filter(
    ({ verb, resource, code }) => verb === "create" && resource === "machines" && code === 201,
  );
  return made.length;
}

async function hasNodes(kubectl: Kubectl, replicas: number): Promise<void> {
  const { items } = JSON.parse(await kubectl("get machines -o json")) as {
    items: readonly { status?: { phase?: string } }[];
  };
  expect(items.map(({ status }) => status?.phase)).toEqual(Array(replicas).fill("Running"));
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`capstan manager on ${flavour.name}`, () => {
    it("hands over when its leader is killed or stops, loses nothing and makes nothing twice (KR-21)", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await using cloud = startCloud(server.kubeconfigFile);
      await eventually(() => expect(cloud.output()).toContain("kubectl"), WITHIN);
      await using first = await startManager(server.kubeconfigFile, ...ELECTED);
      await eventually(() => leads(first), WITHIN);
      await using second = await startManager(server.kubeconfigFile, ...ELECTED);
      await eventually(() => expect(second.output()).toContain("standby"), WITHIN);
      expect(await Promise.all([first, second].map(({ probe }) => probe("/readyz")))).toEqual([200, 200]);

      await kubectl("apply -f -", [simCluster("c1"), simMachineSet("s1", "c1", 2)].join("---"));
      await eventually(() => hasNodes(kubectl, 2), WITHIN);
      await kubectl("scale machineset s1 --replicas 5");
      first.child.kill("SIGKILL");
      await eventually(() => leads(second), WITHIN);
      await eventually(() => hasNodes(kubectl, 5), WITHIN);

      await using third = await startManager(server.kubeconfigFile, ...ELECTED);
      await eventually(() => expect(third.output()).toContain("standby"), WITHIN);
      await kubectl("scale machineset s1 --replicas 8");
      second.child.kill("SIGSTOP");
      await eventually(() => leads(third), WITHIN);
      await eventually(() => hasNodes(kubectl, 8), WITHIN);
      second.child.kill("SIGCONT");
      await eventually(() => expect(second.output()).toContain("no longer leads"), WITHIN);
      expect(await second.probe("/livez")).toBe(200);
      await kubectl("scale machineset s1 --replicas 9");
      await eventually(() => hasNodes(kubectl, 9), WITHIN);
      expect(await madeMachines(server)).toBe(9);

      third.child.kill("SIGTERM");
      expect(await third.ended).toBe(0);
      await eventually(async () => expect(await second.probe("/readyz")).toBe(200), WITHIN);
      await kubectl("scale machineset s1 --replicas 10");
      await eventually(() => hasNodes(kubectl, 10), WITHIN);
      second.child.kill("SIGTERM");
      expect(await second.ended).toBe(0);
      expect(await holderOf(server.kubeconfigFile, "capstan-core")).toBe("");
      expect(await madeMachines(server)).toBe(10);
    });

    it("names the CustomResourceDefinitions that are missing, and works once they are there", async () => {
      await using server = await flavour.start();
      const kubectl = kubectlFor(server.kubeconfigFile);
      await using manager = await startManager(server.kubeconfigFile, "--watch-filter", "blue");
      await eventually(() => {
        expect(manager.output()).toContain("the server lacks these CustomResourceDefinitions: ");
        expect(manager.output()).toContain("machinesets.cluster.x-k8s.io");
      }, WITHIN);
      await using cloud = startCloud(server.kubeconfigFile);
      await eventually(() => expect(cloud.output()).toContain("kubectl"), WITHIN);
      await kubectl("apply -f -", `${simCluster("c1")}---${simCluster("c2")}`);
      await kubectl("label clusters,simclusters,simcontrolplanes c1 cluster.x-k8s.io/watch-filter=blue");
      await eventually(() => kubectl("wait --for=condition=Available cluster/c1 --timeout=1s"), WITHIN);
      expect(await kubectl("get cluster c2 -o jsonpath={.status}{.metadata.finalizers}")).toBe("");
    });
  });
}
