import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, it } from "vitest";
import { eventually } from "../support/eventually.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { startCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { commandLine } from "../support/processes/run-command.ts";
import { spawnChild } from "../support/processes/spawn-child.ts";
import { describeWith } from "../support/requires.ts";
import { inShared, sharedMissing } from "../support/shared.ts";

const TEMPLATES = "data/templates";
const WITHIN = { withinMs: 120_000, stepMs: 500 };

/** The result of one template, as run.mjs says it. */
interface Played {
  readonly file: string;
  readonly refused: readonly string[];
  readonly running: boolean;
  readonly waiting: readonly string[];
  readonly deletion?: { readonly left: readonly string[] };
}

function files(): readonly string[] {
  return readdirSync(inShared(`${TEMPLATES}/rendered`)).map((name) =>
    inShared(`${TEMPLATES}/rendered/${name}`),
  );
}

/** A Cluster with a topology has its class in the same file, or names one. */
function hasTopology(file: string): boolean {
  return /^ {2}topology:/m.test(readFileSync(file, "utf8"));
}

/** As kubectl applies on the server's side, and on the client's; and as v1beta2. */
const FORMS = ["", "--create", "--convert"];

/** Applies each file into a namespace of its own, waits until it runs, and deletes it. */
async function played(
  kubeconfig: string,
  form: string,
  names: readonly string[],
): Promise<readonly Played[]> {
  const run = commandLine(process.execPath, [inShared(`${TEMPLATES}/run.mjs`), kubeconfig], process.env);
  const { stdout } = await run.try(`${form} --jobs 2 --timeout 300 -o json ${names.join(" ")}`);
  return stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

/** A MachineDeployment as most templates have it: labels that are null, or no selector, and a version without a v. */
function deployment(name: string, selector: string): string {
  const reference = (group: string, kind: string) =>
    `{ apiGroup: ${group}.cluster.x-k8s.io, kind: ${kind}, name: md }`;
  return `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineDeployment
metadata: { name: ${name} }
spec:
  clusterName: demo
  replicas: 2
  ${selector}
  template:
    spec:
      clusterName: demo
      version: 1.34.2
      bootstrap: { configRef: ${reference("bootstrap", "KubeadmConfigTemplate")} }
      infrastructureRef: ${reference("infrastructure", "DockerMachineTemplate")}
`;
}

async function generationOf(kubectl: Kubectl, name: string): Promise<string> {
  return kubectl(`get machinedeployment/${name} -o jsonpath={.metadata.generation}`);
}

for (const [at, flavour] of API_SERVERS.entries()) {
  describeWith(flavour.missing ?? kubectlMissing() ?? sharedMissing(TEMPLATES), flavour)(
    `cluster templates as providers publish them, on ${flavour.name}`,
    () => {
      const stack = new AsyncDisposableStack();
      let kubeconfigFile: string;
      beforeAll(async () => {
        ({ kubeconfigFile } = stack.use(await flavour.start()));
        const roles = ["--install-crds", "--empty", "--quiet", "--roles", "relay", "worker"];
        stack.use(startCli(["up", "--kubeconfig", kubeconfigFile, ...roles]));
        const kubectl = kubectlFor(kubeconfigFile);
        await kubectl(`apply --server-side -f ${inShared(`${TEMPLATES}/standins.yaml`)}`);
        const older = ["clusters", "machinedeployments", "machinepools", "machinehealthchecks"].map(
          (plural) => `${plural}.v1beta1.cluster.x-k8s.io`,
        );
        const addons = "clusterresourcesets.v1beta1.addons.cluster.x-k8s.io";
        await eventually(() => kubectl(`get ${[...older, addons].join()}`), WITHIN);
        // A real server learns of the kinds of a group one after the other.
        const names = await kubectl("get crds -o jsonpath={.items[*].metadata.name}");
        await eventually(() => kubectl(`get ${names.split(" ").join()}`), WITHIN);
        const standin = spawnChild(process.execPath, [
          inShared(`${TEMPLATES}/standin.mjs`),
          kubeconfigFile,
          "--quiet",
        ]);
        stack.defer(() => void standin.kill());
      });
      afterAll(() => stack.disposeAsync());

      it("run without a topology, and nothing is left of them; a ClusterClass beside one is refused alone", async () => {
        const names = files().filter((file) => !hasTopology(file));
        expect(names.length).toBeGreaterThan(40);
        // Each file in one form here, and in another one on the other server.
        const parts = FORMS.map((form, part) => {
          const own = names.filter((_, number) => (number + at) % FORMS.length === part);
          return played(kubeconfigFile, form, own);
        });
        const results = (await Promise.all(parts)).flat();
        const refused = results.flatMap((result) => result.refused);
        expect(refused.filter((text) => !text.startsWith("ClusterClass/"))).toEqual([]);
        expect(results.filter(({ running }) => !running).map(({ file, waiting }) => [file, waiting])).toEqual(
          [],
        );
        expect(
          results.flatMap(({ file, deletion }) => deletion?.left.map((left) => [file, left]) ?? []),
        ).toEqual([]);
        expect(results).toHaveLength(names.length);
      });

      it.each([
        ["null-labels", "selector: { matchLabels: null }"],
        ["no-selector", ""],
      ])("are the same when they are applied again: %s", async (name, selector) => {
        const { kubectl } = await ownNamespace(kubeconfigFile, name);
        await kubectl("apply -f -", deployment("client", selector));
        await kubectl("apply --server-side -f -", deployment("server", ""));
        const cluster = "apiVersion: cluster.x-k8s.io/v1beta2\nkind: Cluster\nmetadata: { name: demo }\n";
        const spec =
          "{ infrastructureRef: { apiGroup: infrastructure.cluster.x-k8s.io, kind: DockerCluster, name: demo } }";
        await kubectl("apply -f -", `${cluster}spec: ${spec}`);
        await eventually(async () => {
          for (const each of ["client", "server"]) {
            const labels = await kubectl(
              `get machinedeployment/${each} -o jsonpath={.spec.selector.matchLabels}`,
            );
            expect(JSON.parse(labels)).toMatchObject({ "cluster.x-k8s.io/cluster-name": "demo" });
          }
        }, WITHIN);
        const before = [await generationOf(kubectl, "client"), await generationOf(kubectl, "server")];
        await kubectl("apply -f -", deployment("client", selector));
        await kubectl("apply --server-side -f -", deployment("server", ""));
        expect([await generationOf(kubectl, "client"), await generationOf(kubectl, "server")]).toEqual(
          before,
        );
      });
    },
  );
}
