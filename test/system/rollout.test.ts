import { afterAll, beforeAll, expect, it } from "vitest";
import type { RolloutReport } from "../../infra/operate/rollout/rollout-report.ts";
import type { Event } from "../../shared/api/core.ts";
import { startCapstan } from "../support/capstan.ts";
import { simCluster, simMachineDeployment } from "../support/manifests.ts";
import { objectsOf } from "../support/objects.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { type RolledDeployments, rolledDeployments } from "../support/rolled-deployments.ts";

const VERSION = "version=v1.34.3";

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(`capstan rollout on ${flavour.name}`, () => {
    const stack = new AsyncDisposableStack();
    let server: TestServer;
    let world: RolledDeployments;
    const rollout = (...args: readonly string[]) =>
      runCli("rollout", ...args, "--kubeconfig", server.kubeconfigFile);

    /** Machines that a set has deleted, in their order, by its Events. */
    const deletedBy = async (set: string): Promise<readonly string[]> => {
      const events = await world.objects.list<Event>("events", `fieldSelector=involvedObject.name=${set}`);
      return events
        .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
        .flatMap(({ message }) => /^Deleted Machine "(.*)"$/.exec(message)?.[1] ?? []);
    };

    beforeAll(async () => {
      server = stack.use(await flavour.start());
      world = rolledDeployments(objectsOf(server.kubeconfigFile));
      stack.use(await startCapstan(server.kubeconfigFile));
      const objects = [simCluster("c1"), simMachineDeployment("md", "c1", 3)];
      await kubectlFor(server.kubeconfigFile)("apply -f -", objects.join("---"));
      await world.rolledOut("md", 3);
    });
    afterAll(() => stack.disposeAsync());

    it("predicts the set, each victim and the sizes of a rollout that then happens", async () => {
      expect((await rollout("plan", "default/md")).code).toBe(0);
      const { code, output } = await rollout("plan", "default/md", "--set", VERSION, "-o", "json");
      expect(code).toBe(2);
      const never = await rollout("plan", "md", "--set", VERSION, "--new-machines", "never");
      expect(never).toMatchObject({ code: 2, output: expect.stringContaining("stands still") });
      const { steps, newSet, end } = JSON.parse(output) as RolloutReport;
      const predicted = steps.flatMap(({ gone }) => gone.map(({ machine }) => machine));
      expect({ end, victims: predicted.length }).toEqual({ end: "done", victims: 3 });

      const [former] = await world.setsOf("md");
      await world.edit("md", { template: { spec: { version: "v1.34.3" } } });
      const status = await rollout("status", "machinedeployment/md");
      expect(status).toMatchObject({ code: 0, output: expect.stringMatching(/done, 3 Machines available/) });
      expect((await world.rolledOut("md", 3)).metadata.name).toBe(newSet);
      expect(await deletedBy(former?.metadata.name ?? "")).toEqual(predicted);
    });

    it("names a missing template, a failing check, and a wish that cannot be read", async () => {
      const missing = await rollout("plan", "md", "--set", "infrastructure=nothing");
      expect(missing).toMatchObject({
        ...{ code: 1, output: expect.stringContaining("SimMachineTemplate default/nothing does not exist") },
      });
      const checked = await rollout("plan", "md", "--set", "version=v1.99.0");
      expect(checked).toMatchObject({ code: 2, output: expect.stringContaining("KubernetesVersionSkew") });
      const limits = await rollout("plan", "md", "--set", "maxSurge=0", "--set", "maxUnavailable=0");
      expect(limits).toMatchObject({ code: 1, output: expect.stringContaining("are both 0") });
      expect((await rollout("plan", "gone")).output).toContain(
        "MachineDeployment default/gone does not exist",
      );
    });

    it("pauses, resumes and restarts as clusterctl does", async () => {
      expect(await rollout("pause", "md")).toMatchObject({ code: 0 });
      expect(await rollout("pause", "md")).toMatchObject({
        code: 1,
        output: expect.stringContaining("already paused"),
      });
      expect(await rollout("restart", "md")).toMatchObject({
        code: 1,
        output: expect.stringContaining("rollout resume"),
      });
      const held = await rollout("plan", "md", "--set", "version=v1.34.4");
      expect(held).toMatchObject({ code: 2, output: expect.stringContaining("spec.paused is true") });
      expect(await rollout("resume", "md")).toMatchObject({ code: 0 });
      const { metadata } = await world.rolledOut("md", 3);
      expect(await rollout("restart", "md")).toMatchObject({ code: 0 });
      expect(await rollout("status", "md")).toMatchObject({ code: 0 });
      expect((await world.rolledOut("md", 3)).metadata.uid).not.toBe(metadata.uid);
    });
  });
}
