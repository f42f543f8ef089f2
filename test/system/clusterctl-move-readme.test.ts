import { execFile } from "node:child_process";
import { copyFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { systemClock } from "../../infra/platform/clock.ts";
import { startCloud } from "../../infra/playground/sim/cloud.ts";
import { startCapstan } from "../support/capstan.ts";
import { CLUSTERCTL, clusterctlMissing } from "../support/clusterctl.ts";
import { commandsIn } from "../support/commands.ts";
import { eventually } from "../support/eventually.ts";
import { startSide } from "../support/management-side.ts";
import { simCluster, simPool } from "../support/manifests.ts";
import { EMBEDDED } from "../support/processes/api-servers.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";

const shell = promisify(execFile);

describeWith(clusterctlMissing() ?? kubectlMissing())("the commands of the guide on moves", () => {
  it("move a Cluster, move it on after a move that stopped half way, and move it through a directory", async () => {
    await using stack = new AsyncDisposableStack();
    const [here, there] = [stack.use(await startSide(EMBEDDED)), stack.use(await startSide(EMBEDDED))];
    const serves = [here, there].map(({ server }, at) => ({ server, name: `management-${at}` }));
    stack.use(await startCloud({ serves, clock: systemClock, log: silentLog }));
    const options = { roles: ["relay", "worker"], installCrds: false } as const;
    const manager = stack.use(await startCapstan(here.started.kubeconfigFile, options));
    stack.use(await startCapstan(there.started.kubeconfigFile, options));
    const [source, target] = [here, there].map(({ started }) => kubectlFor(started.kubeconfigFile));
    const home = testFolder("readme");
    const [file, folder] = [join(home, "target.kubeconfig"), join(home, "demo-backup")];
    const assets = process.env["KUBEBUILDER_ASSETS"] ?? "";
    const env: { [name: string]: string | undefined } = {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: home,
      CLUSTERCTL_DISABLE_VERSIONCHECK: "true",
      KUBECONFIG: here.started.kubeconfigFile,
      PATH: `${dirname(CLUSTERCTL)}:${assets}:${process.env["PATH"]}`,
    };
    /** In the clone, with files of one's own at home. */
    const run = async (line: string): Promise<string> => {
      const command = line.replaceAll("target.kubeconfig", file).replaceAll("demo-backup", folder);
      return (await shell("sh", ["-c", command], { env, maxBuffer: 2 ** 24 }).catch(stdoutOf)).stdout;
    };
    const manifest = [simCluster("demo"), simPool("p1", "demo", 2)].join("---");
    await source?.("apply -f -", manifest);
    await source?.("wait cluster/demo --for=condition=Available --timeout=240s");
    await copyFile(there.started.kubeconfigFile, file);

    const [plan = "", move = "", wait = "", planAgain = "", patch = "", repeat = "", ...byFolder] =
      await commandsIn("infra/guides/move.md");
    const [mkdir = "", save = "", restore = "", takeAway = "", ...rest] = byFolder;
    expect(rest).toEqual([]);
    await eventually(async () => expect(await run(plan)).toContain("nothing stops the move"), {
      withinMs: 60_000,
    });
    await run(move);
    await run(wait);
    expect(await source?.("get clusters -o name")).toBe("");

    // Now from the target, where the move stops before it creates anything: the Cluster stays paused.
    env["KUBECONFIG"] = there.started.kubeconfigFile;
    await copyFile(here.started.kubeconfigFile, file);
    await target?.(`patch cluster demo --type=merge -p '{"spec":{"paused":true}}'`);
    expect(await run(planAgain)).toContain("MV-04 Cluster default/demo spec.paused");
    await run(patch);
    await run(repeat);
    await source?.("wait cluster/demo --for=condition=Available --timeout=240s");
    expect(await target?.("get clusters -o name")).toBe("");

    env["KUBECONFIG"] = here.started.kubeconfigFile;
    await copyFile(there.started.kubeconfigFile, file);
    await run(mkdir);
    await run(save);
    await manager[Symbol.asyncDispose]();
    await run(restore);
    await run(wait);
    expect(await run(plan)).toContain(
      "MV-04 Cluster default/demo: runs at the source, and is on the target too",
    );
    await run(takeAway);
    await run(wait);
    expect(await source?.("get clusters -o name")).toBe("");
  });
});

/** A plan that finds a `fail` ends with 1. */
function stdoutOf(error: { readonly code?: unknown; readonly stdout?: unknown }): {
  readonly stdout: string;
} {
  if (error.code === 1 && typeof error.stdout === "string") return { stdout: error.stdout };
  throw error;
}
