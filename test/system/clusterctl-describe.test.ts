import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { type Clusterctl, clusterctlMissing, startClusterctl } from "../support/clusterctl.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simMachine, simMachineSet, simPool, simPoolWithMachines } from "../support/manifests.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };

/** A tree without widths, ages, and random ends of names. */
function linesOf(output: string): readonly string[] {
  return output
    .trimEnd()
    .split("\n")
    .map((line) =>
      line
        .replace(/\bs1-[a-z0-9]{5}\b/g, "s1-*")
        .replace(/(?<= )(\d+[smhd])+(?= |$)/, "AGE")
        .replaceAll(/ +/g, " ")
        .trimEnd(),
    );
}

async function isComplete(kubectl: Kubectl): Promise<void> {
  await kubectl("wait --for=condition=Available cluster/c1 --timeout=1s");
  const { items } = JSON.parse(await kubectl("get machines -o json")) as {
    items: readonly { status?: { conditions?: readonly { type: string; status: string }[] } }[];
  };
  const said = items.map(({ status }) =>
    ["Ready", "Available", "UpToDate"].map(
      (type) => status?.conditions?.find((one) => one.type === type)?.status,
    ),
  );
  expect(said).toEqual(Array(5).fill(["True", "True", "True"]));
  const { status } = JSON.parse(await kubectl("get cluster c1 -o json"));
  expect(status.workers).toMatchObject({
    desiredReplicas: 5,
    readyReplicas: 5,
    availableReplicas: 5,
    upToDateReplicas: 5,
  });
}

const TREE = [
  "NAME REPLICAS AVAILABLE READY UP TO DATE STATUS REASON SINCE MESSAGE",
  "Cluster default/c1 6/6 6 6 6 True Available AGE",
  "├─SimCluster default/c1 True Ready AGE",
  "├─SimControlPlane default/c1, v1.34.2 1/1 1 1 1 True Available AGE",
  "└─Workers",
  " ├─MachinePool default/p1, v1.34.2",
  " │ └─2 Machines... 2 2 2 True Ready AGE See p1-0, p1-1",
  " └─Other",
  " ├─Machine default/m1, v1.34.2 1 1 1 1 True Ready AGE",
  " ├─Machine default/s1-*, v1.34.2 1 1 1 1 True Ready AGE",
  " └─Machine default/s1-*, v1.34.2 1 1 1 1 True Ready AGE",
];
const UNGROUPED = [
  ...TREE.slice(0, 6),
  " │ ├─Machine default/p1-0, v1.34.2 1 1 1 1 True Ready AGE",
  " │ │ └─SimMachine default/p1-0 True Ready AGE",
];

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? clusterctlMissing() ?? kubectlMissing(), flavour)(
    `clusterctl describe and get kubeconfig on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      let clusterctl: Clusterctl;
      beforeAll(async () => {
        const { kubeconfigFile } = stack.use(await flavour.start());
        stack.use(await startCapstan(kubeconfigFile));
        kubectl = kubectlFor(kubeconfigFile);
        clusterctl = stack.use(await startClusterctl({ kubeconfigFile, config: "" }));
        const slow = simPool("p2", "c2", 1).replace("bootDelaySeconds: 0", "bootDelaySeconds: 36000");
        const all = [
          simCluster("c1"),
          simMachineSet("s1", "c1", 2),
          simPoolWithMachines("p1", "c1", 2),
          simMachine("m1", "c1"),
          simCluster("c2"),
          slow,
        ];
        await kubectl("apply -f -", all.join("---"));
        await eventually(() => isComplete(kubectl), WITHIN);
      });
      afterAll(() => stack.disposeAsync());

      it("show Cluster, infrastructure, control plane, pools, and Machines that are all ready, available and up to date", async () => {
        expect(linesOf(await clusterctl("describe cluster c1"))).toEqual(TREE);
        const more = await clusterctl("describe cluster c1 --show-machinesets --show-templates");
        expect(linesOf(more)).toEqual(TREE);
      });

      it("show each Machine and its provider objects without grouping", async () => {
        const lines = linesOf(await clusterctl("describe cluster c1 --grouping=false --echo"));
        expect(lines.slice(0, UNGROUPED.length)).toEqual(UNGROUPED);
        expect(
          lines.filter((line) => /Machine default\//.test(line) && !line.includes("SimMachine")),
        ).toHaveLength(5);
        expect(lines.filter((line) => line.includes("─Sim"))).toHaveLength(2 + 5 + 3 + 2);
      });

      it("show every condition", async () => {
        const lines = linesOf(await clusterctl("describe cluster c1 --show-conditions all --grouping=false"));
        for (const type of ["Ready", "Available", "UpToDate"]) {
          const found = lines.filter((line) => new RegExp(`─${type} True ${type} AGE`).test(line));
          expect([type, found.length >= 5]).toEqual([type, true]);
        }
        expect(lines.filter((line) => line.includes(" Unknown "))).toEqual([]);
      });

      it("show the infrastructure of a pool that is not ready", async () => {
        const lines = linesOf(await clusterctl("describe cluster c2"));
        expect(lines.some((line) => /─SimMachinePool default\/p2 False \w+ AGE \S/.test(line))).toBe(true);
        expect(lines.some((line) => line.includes("SimBootstrapConfig"))).toBe(false);
      });

      it("give the kubeconfig of the Secret", async () => {
        const secret = await kubectl("get secret c1-kubeconfig -o jsonpath={.data.value}");
        const given = await clusterctl("get kubeconfig c1");
        expect(given.trim()).toBe(Buffer.from(secret, "base64").toString().trim());
        expect(given).toContain("current-context:");
      });
    },
  );
}
