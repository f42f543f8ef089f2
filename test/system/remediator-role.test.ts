import { readFile, writeFile } from "node:fs/promises";
import { expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { createServer, type Server } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import type { PatchOperation } from "../../shared/api/patch.ts";
import { blocksIn } from "../support/commands.ts";
import { FOREIGN_REMEDIATORS, foreignTemplate } from "../support/foreign-remediators.ts";
import { simMachine } from "../support/manifests.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";

/** The kinds of Metal3 in the guide are played by kinds that look like them. */
function asMetal3(text: string): string {
  return text
    .replaceAll("MetalRemediation", "Metal3Remediation")
    .replaceAll("metalremediation", "metal3remediation");
}

/** The manifest of the guide with both roles. */
async function rolesOfGuide(): Promise<string> {
  const blocks = await blocksIn("yaml", "infra/guides/health-checks.md");
  return blocks.find((block) => block.includes("kind: ClusterRole")) ?? "";
}

const { manifest: TEMPLATE } = foreignTemplate("MetalRemediation", "v1beta2", "metal", "{ spec: {} }");
const GROUP = "infrastructure.cluster.x-k8s.io";
const REQUEST = JSON.stringify({
  apiVersion: `${GROUP}/v1beta2`,
  kind: "Metal3Remediation",
  metadata: { name: "m1", namespace: "default" },
  spec: {},
});
const GIVEN_UP: readonly PatchOperation[] = [
  {
    op: "add",
    path: "/status",
    value: {
      conditions: [
        {
          type: "OwnerRemediated",
          status: "False",
          reason: "WaitingForRemediation",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        },
      ],
    },
  },
];

/** A ServiceAccount that has the ClusterRole of its name and no other: kubectl with its token, and its kubeconfig. */
async function accountWith(kubectl: Kubectl, kubeconfigFile: string, role: string) {
  await kubectl(`create serviceaccount ${role}`);
  await kubectl(`create clusterrolebinding ${role} --clusterrole=${role} --serviceaccount=default:${role}`);
  const token = (await kubectl(`create token ${role}`)).trim();
  const file = `${kubeconfigFile}-${role}`;
  const text = await readFile(kubeconfigFile, "utf8");
  await writeFile(file, text.replace(/"token":"[^"]*"/, `"token":"${token}"`), { mode: 0o600 });
  return { as: kubectlFor(file), file };
}

/** kubectl first reads what it patches, which controllers do not. */
async function patchMachineStatus(file: string, operations: readonly PatchOperation[]): Promise<void> {
  const access = await loadKubeconfig({ file, env: {} });
  using server: Server = createServer(access, { clock: systemClock, version: "test" });
  const key = { namespace: "default", name: "m1" };
  await server.as("remediator").jsonPatch(Machine, key, operations, "status");
}

async function isForbidden(
  attempt: Promise<{ readonly ok: boolean; readonly output: string }>,
): Promise<void> {
  const { ok, output } = await attempt;
  expect([ok, output]).toEqual([false, expect.stringContaining("Forbidden")]);
}

const patchOf = (what: string, body: object, more = "") =>
  `patch ${what} --type=merge ${more} -p '${JSON.stringify(body)}'`;
const ANNOTATED = { metadata: { annotations: { a: "b" } } };

describeWith(REAL.missing ?? kubectlMissing(), REAL)(
  "the roles of the guide for an external remediator on a real kube-apiserver",
  () => {
    it("let it and Capstan do their work, and neither change nor delete a Machine", async () => {
      await using server = await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? "");
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await kubectl("apply -f -", asMetal3(FOREIGN_REMEDIATORS));
      await kubectl("wait crd --all --for=condition=Established --timeout=240s");
      await kubectl("apply -f -", [simMachine("m1", "c1"), asMetal3(TEMPLATE)].join("---"));
      await kubectl("apply -f -", await rolesOfGuide());
      const account = (role: string) => accountWith(kubectl, server.kubeconfigFile, role);
      const { as: remediator, file } = await account("remediator-metal3");
      const { as: capstan, file: ofCapstan } = await account("capstan-remediation-metal3");

      for (const as of [capstan, remediator]) {
        expect(await as("get metal3remediationtemplates -o name")).toContain("metal");
        await isForbidden(as.try(patchOf("metal3remediationtemplate/metal", ANNOTATED)));
      }
      await isForbidden(remediator.try("create -f -", REQUEST));
      await capstan("create -f -", REQUEST);

      const [finalizers, none] = [["a.example.com/busy"], null];
      await remediator(patchOf("metal3remediation/m1", { metadata: { finalizers } }));
      await remediator(
        patchOf("metal3remediation/m1", { status: { phase: "Running" } }, "--subresource=status"),
      );
      expect(await capstan("get metal3remediations -o jsonpath={.items[0].status.phase}")).toBe("Running");
      expect(await remediator("get machine/m1 -o name")).toContain("m1");
      await patchMachineStatus(file, GIVEN_UP);
      await patchMachineStatus(ofCapstan, [{ op: "remove", path: "/status/conditions/0" }]);

      for (const as of [capstan, remediator]) {
        await isForbidden(as.try(patchOf("machine/m1", ANNOTATED)));
        await isForbidden(as.try("delete machine/m1 --wait=false"));
        await isForbidden(as.try("get secrets"));
      }
      await isForbidden(remediator.try("delete metal3remediation/m1 --wait=false"));
      await capstan("delete metal3remediation/m1 --wait=false");
      await remediator(patchOf("metal3remediation/m1", { metadata: { finalizers: none } }));
      expect(await kubectl("get metal3remediations -o name")).toBe("");
    });
  },
);
