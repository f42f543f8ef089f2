import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { expect, it } from "vitest";
import { certManagerStandIn } from "../../infra/deploy/release.ts";
import { CLUSTERCTL, describeWithClusterctl, STALE_DISCOVERY } from "../support/clusterctl.ts";
import { commandsIn } from "../support/commands.ts";
import { startKubelet } from "../support/kubelet.ts";
import { kubectlFor } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { testFolder } from "../support/test-folder.ts";

const ASSETS = process.env["KUBEBUILDER_ASSETS"] ?? "";
const shell = promisify(execFile);

describeWithClusterctl("the commands of the guide on clusterctl", () => {
  it("work when they are copied line by line", async () => {
    await using server = await startRealServer(ASSETS);
    await using stack = new AsyncDisposableStack();
    const kubectl = kubectlFor(server.kubeconfigFile);
    const home = testFolder("readme");
    stack.use(await startKubelet(server));
    // GitHub is out of reach: cert-manager is already there when the first `init` asks.
    await kubectl("apply -f -", certManagerStandIn());
    await kubectl("wait crd --all --for=condition=Established --timeout=240s");
    const config = join(home, "empty");
    await mkdir(config);
    const env: { [name: string]: string | undefined } = {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: config,
      KUBECONFIG: server.kubeconfigFile,
      CLUSTERCTL_DISABLE_VERSIONCHECK: "true",
      PATH: `${dirname(CLUSTERCTL)}:${ASSETS}:${process.env["PATH"]}`,
    };
    /** In the clone, with files of one's own at home. */
    const run = async (line: string): Promise<string> => {
      const command = line.replaceAll(/\bdemo\.yaml\b/g, join(home, "demo.yaml"));
      return (await shell("sh", ["-c", command], { env, maxBuffer: 2 ** 24 })).stdout;
    };

    let inits = 0;
    for (const line of await commandsIn("infra/guides/install.md", "With clusterctl")) {
      switch (true) {
        case line.startsWith("export "): {
          const [name = "", value] = line.slice("export ".length).split("=");
          env[name] = value;
          break;
        }
        case line.startsWith("clusterctl init "):
          // The second way to install finds the first one done, and changes nothing.
          inits += 1;
          await kubectl.try("wait --for=delete namespace/cert-manager-test --timeout=240s");
          await run(line);
          expect(await kubectl("get providers.clusterctl.cluster.x-k8s.io -A -o name")).toMatch(
            /(provider.*\n){4}/,
          );
          break;
        case line.startsWith("clusterctl upgrade apply "):
          await run(line);
          expect(await kubectl("get deployments -A -o yaml")).toContain(
            "image: ghcr.io/example/capstan:v0.1.1\n",
          );
          await kubectl("wait cluster/demo --for=condition=Available --timeout=240s");
          break;
        case line.startsWith("clusterctl delete "):
          // The next command of the guide is for where it stops half way.
          await run(line).catch((error: unknown) => expect(String(error)).toMatch(STALE_DISCOVERY));
          break;
        case line.startsWith("kubectl delete crds,"):
          await run(line);
          expect(await kubectl("get crds,namespaces,clusterroles -l cluster.x-k8s.io/provider -o name")).toBe(
            "",
          );
          break;
        case line.includes(" > "):
          expect(await run(line)).toBe("");
          break;
        case /^(npm run release|clusterctl upgrade plan|kubectl (apply|wait|delete clusters)) /.test(line):
          expect(await run(line), line).not.toBe("");
          break;
        default:
          expect.fail(`the guide shows a command that this test does not know: ${line}`);
      }
    }
    expect(inits).toBe(2);
  });
});
