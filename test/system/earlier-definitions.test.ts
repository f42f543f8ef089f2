import { expect, it } from "vitest";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { simCluster, simMachineDeployment, simPool } from "../support/manifests.ts";
import { nothingIsWritten } from "../support/nothing-is-written.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const HOOK = "pre-drain.delete.hook.machine.cluster.x-k8s.io/test";

/** Fields of v1.14 that the statuses of Cluster API v1.13 lack, by plural. */
const LACKING: { readonly [plural: string]: readonly (readonly string[])[] } = {
  clusters: [
    ["controlPlane", "versions"],
    ["workers", "versions"],
  ],
  machinedeployments: [["versions"]],
  machinepools: [["versions"]],
  machines: [
    ["deletion", "waitForPreDrainHookStartTime"],
    ["deletion", "waitForPreTerminateHookStartTime"],
  ],
  machinesets: [["versions"]],
};

interface Schema {
  readonly properties: { [field: string]: Schema };
}

/** Takes fields out of the definitions that Capstan has installed; returns these, whole. */
async function installEarlier(kubectl: Kubectl): Promise<string> {
  const names = Object.keys(LACKING).map((plural) => `crd/${plural}.cluster.x-k8s.io`);
  const whole = await kubectl(`get ${names.join(" ")} -o json`);
  const list = JSON.parse(whole);
  for (const { metadata, spec } of list.items) {
    delete metadata.annotations;
    for (const { schema } of spec.versions) {
      for (const path of LACKING[spec.names.plural] ?? []) {
        const parents = path.slice(0, -1);
        const of = (at: Schema, field: string) => at.properties[field] as Schema;
        const parent = parents.reduce(of, of(schema.openAPIV3Schema, "status"));
        delete parent.properties[path.at(-1) ?? ""];
      }
    }
  }
  await kubectl("replace -f -", JSON.stringify(list));
  return whole;
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `definitions of an earlier release on ${flavour.name}`,
    () => {
      it("are served: the fields that they lack stay empty, nothing fails or is written at rest, and newer ones get all", async () => {
        await using server = await flavour.start();
        const kubectl = kubectlFor(server.kubeconfigFile);
        const start = (roles: readonly ("cloud" | "relay" | "worker")[]) =>
          startCapstan(server.kubeconfigFile, { roles, installCrds: false });
        {
          await using _installed = await startCapstan(server.kubeconfigFile);
        }
        const whole = await installEarlier(kubectl);
        await using _cloud = await start(["cloud"]);
        const versionsOf = async (what: string) => kubectl(`get ${what} -o jsonpath={.status.versions}`);
        {
          await using capstan = await start(["relay", "worker"]);
          const objects = [simCluster("c1"), simPool("p1", "c1", 1), simMachineDeployment("d1", "c1", 2)];
          await kubectl("apply -f -", objects.join("---"));
          await kubectl(
            "wait cluster/c1 machinedeployment/d1 machinepool/p1 --for=condition=Available --timeout=240s",
          );

          const machine = (await kubectl("get machines -o name")).split("\n")[0] ?? "";
          await kubectl(`annotate ${machine} ${HOOK}=me`);
          await kubectl(`delete ${machine} --wait=false`);
          await eventually(async () => {
            const { status }: Machine = JSON.parse(await kubectl(`get ${machine} -o json`));
            const deleting = status?.conditions?.find(({ type }) => type === "Deleting");
            expect(deleting?.reason).toBe("WaitingForPreDrainHook");
          }, WITHIN);
          await nothingIsWritten(server);
          await kubectl(`annotate ${machine} ${HOOK}-`);
          await kubectl(`wait ${machine} --for=delete --timeout=240s`);
          await kubectl("wait machinedeployment/d1 --for=condition=Available --timeout=240s");
          expect(await capstan.deadLetters.list()).toEqual([]);
          expect(await versionsOf("machinedeployment/d1")).toBe("");
          await eventually(async () => {
            const explain = ["explain", "cluster", "default/c1", "--kubeconfig", server.kubeconfigFile];
            expect((await runCli(...explain)).output).not.toContain("would");
          }, WITHIN);
        }
        await kubectl("replace -f -", whole.replaceAll(/"resourceVersion": "\d+",?/g, ""));
        await using _later = await start(["relay", "worker"]);
        await eventually(async () => {
          for (const what of ["machinedeployment/d1", "machinepool/p1"])
            expect(await versionsOf(what), what).toContain("v1.34.2");
        }, WITHIN);
        await kubectl("delete cluster/c1 --timeout=240s");
      });
    },
  );
}
