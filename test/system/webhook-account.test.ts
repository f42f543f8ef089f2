import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { systemClock as clock } from "../../infra/platform/clock.ts";
import { createServer } from "../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import type { ServerClient } from "../../infra/platform/kube/verbs.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { deployAccounts } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { EXAMPLE_OF_V1BETA1 } from "../support/older/example.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { runCli, startCli } from "../support/processes/cli.ts";
import { freePorts } from "../support/processes/free-ports.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";
import { silentLog as log } from "../support/silent-log.ts";
import { testFolder } from "../support/test-folder.ts";
import { newAuthority, type TestAuthority } from "../support/tls-files.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const CRD = "crd/machinedeployments.cluster.x-k8s.io";

/** Puts a new certificate of this authority into a folder. */
async function give(folder: string, authority: TestAuthority): Promise<void> {
  const { cert, key } = await authority.issue("server");
  for (const [name, text] of Object.entries({ "ca.crt": authority.cert, "tls.crt": cert, "tls.key": key }))
    await writeFile(join(folder, name), text);
}

const KEY = { namespace: "default", name: "d1" };
const OLDER = { ...MachineDeployment, version: "v1beta1" } as Kind;

/** Follows it in v1beta1, as an informer does: with a new watch when one ends. */
function startFollowing(client: ServerClient) {
  const ended = new AbortController();
  let seen = 0;
  const follow = async (): Promise<void> => {
    const from = {
      namespace: KEY.namespace,
      resourceVersion: "",
      timeoutSeconds: 600,
      sendInitialEvents: true,
    };
    for await (const { object } of client.watch(OLDER, from, ended.signal))
      seen = Math.max(seen, Number(object.metadata.annotations?.["number"] ?? 0));
  };
  const following = (async () => {
    while (!ended.signal.aborted) await follow().catch(() => setTimeout(WITHIN.stepMs));
  })();
  return {
    seen: () => seen,
    async end(): Promise<void> {
      ended.abort();
      await following;
    },
  };
}

/** Writes one number after the other in v1beta1, each until it is taken, and reads it in v1beta2. */
function startWriting(client: KubeClient) {
  const lost: number[] = [];
  let [taken, refused, isEnding] = [0, 0, false];
  const write = async (number: number): Promise<void> => {
    const metadata = { ...KEY, annotations: { number: String(number) } };
    const { group, kind } = MachineDeployment;
    const object = { apiVersion: `${group}/v1beta1`, kind, metadata };
    try {
      await client.apply(OLDER, KEY, object);
    } catch {
      refused += 1;
      return write(number);
    }
    const stored = await client.get(MachineDeployment, KEY);
    if (stored?.metadata.annotations?.["number"] !== String(number)) lost.push(number);
    taken = number;
  };
  const writing = (async () => {
    while (!isEnding) await write(taken + 1);
  })();
  return {
    refused: () => refused,
    taken: () => taken,
    /** Waits for so many more. */
    reaches(more: number): Promise<unknown> {
      const enough = taken + more;
      return eventually(() => taken >= enough, WITHIN);
    },
    /** Returns the numbers that were taken and are not there. */
    async end(): Promise<readonly number[]> {
      isEnding = true;
      await writing;
      return lost;
    },
  };
}

describeWith(REAL.missing ?? kubectlMissing(), REAL)(
  "the webhook of the manifests on a real API server",
  () => {
    it("S-05: two of them serve v1beta1 with the rights of their account, and --undo leaves v1beta2 alone", async () => {
      await using server = await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? "");
      const kubectl = kubectlFor(server.kubeconfigFile);
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await using accounts = await deployAccounts(server, ["capstan-webhook"]);
      const [port = 0, other = 0] = await freePorts(2);
      const kubeconfig = ["--kubeconfig", accounts.fileOf("capstan-webhook")];
      const webhookAt = (at: number) =>
        startCli(
          [
            "webhook",
            ...kubeconfig,
            ...["--address", `127.0.0.1:${at}`, "--url", `https://127.0.0.1:${port}`, "--log-level", "info"],
          ],
          { POD_NAMESPACE: "capstan-system" },
        );
      {
        // Both make the authority, or read that of the other.
        await using webhook = webhookAt(port);
        await using second = webhookAt(other);
        await eventually(() => {
          for (const { output } of [webhook, second]) expect(output()).toContain("webhook: converts at port");
        }, WITHIN);
        await eventually(async () => void (await kubectl("apply -f -", EXAMPLE_OF_V1BETA1)), WITHIN);
        const stored = await kubectl("get machinedeployments.v1beta2.cluster.x-k8s.io/d1 -o json");
        expect(JSON.parse(stored).spec.template.spec.deletion).toEqual({ nodeDrainTimeoutSeconds: 600 });
        expect(await kubectl("get secret/capstan-webhook-ca --namespace capstan-system -o name")).toContain(
          "ca",
        );
        expect(`${webhook.output()}${second.output()}`).not.toMatch(/orbidden/);
      }
      const { output } = await runCli("webhook", "--undo", ...kubeconfig);
      expect(output).toContain("machinedeployments.cluster.x-k8s.io: serves no older version");
      const { spec } = JSON.parse(await kubectl(`get ${CRD} -o json`));
      expect(spec.conversion).toEqual({ strategy: "None" });
      expect(spec.versions.map(({ name }: { readonly name: string }) => name)).toEqual(["v1beta2"]);
      await eventually(async () => void (await kubectl("annotate machinedeployment/d1 note=x")), WITHIN);
      expect((await runCli("webhook", "--undo", ...kubeconfig)).output).toContain("nothing to undo");
    });

    it("CE-02: loses no write of v1beta1, and no event of a watch, while it is killed, started again, and given another certificate and authority", async () => {
      await using stack = new AsyncDisposableStack();
      const { kubeconfigFile } = stack.use(await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? ""));
      const kubectl = kubectlFor(kubeconfigFile);
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      const folder = testFolder("webhook");
      const first = await newAuthority();
      await give(folder, first);
      const [port = 0] = await freePorts(1);
      const options = ["--address", `127.0.0.1:${port}`, "--url", `https://127.0.0.1:${port}`];
      const start = () =>
        stack.use(
          startCli([
            ...["webhook", "--kubeconfig", kubeconfigFile, "--cert-dir", folder, "--log-level", "info"],
            ...options,
          ]),
        );
      const killed = start();
      await eventually(async () => void (await kubectl("apply -f -", EXAMPLE_OF_V1BETA1)), WITHIN);
      const access = await loadKubeconfig({ file: kubeconfigFile, env: {} });
      const server = stack.use(createServer(access, { clock, log, version: "test" }));
      const writing = startWriting(server.as("writer"));
      const following = startFollowing(server.as("follower"));

      await writing.reaches(20);
      killed.child.kill("SIGKILL");
      await killed.ended;
      const refused = writing.refused();
      await eventually(() => writing.refused() > refused, WITHIN);
      const webhook = start();
      await writing.reaches(20);
      for (const [number, authority] of [first, await newAuthority()].entries()) {
        await give(folder, authority);
        await eventually(
          () => webhook.output().split("new certificate is in use").length > number + 1,
          WITHIN,
        );
        await writing.reaches(20);
      }
      expect(await writing.end()).toEqual([]);
      await eventually(() => expect(following.seen()).toBe(writing.taken()), WITHIN);
      await following.end();
    });
  },
);
