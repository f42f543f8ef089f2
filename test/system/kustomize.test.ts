import { execFile } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Manifest } from "../../infra/deploy/deployment.ts";
import { components } from "../../infra/deploy/manifests/components.ts";
import { NAMESPACE } from "../../infra/deploy/manifests/deployments.ts";
import { renderManifests, writeOverlay } from "../support/deployed-accounts.ts";
import { commandsOf } from "../support/kustomize-readme.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { describeWith } from "../support/requires.ts";
import { inShared, sharedMissing } from "../support/shared.ts";
import { testFolder } from "../support/test-folder.ts";

const CRDS = inShared("data/operator-crds");
const DRY = "apply --dry-run=server --validate=strict -f -";
const NAMES = Object.keys(await components());

interface Workload extends Manifest {
  readonly spec: {
    readonly template: { readonly metadata: object; readonly spec: { readonly volumes: readonly object[] } };
    readonly volumeClaimTemplates?: readonly { readonly metadata: { readonly name: string } }[];
  };
}

/** The Pods that the controllers of these objects would make. */
function podsOf(objects: readonly Manifest[]): readonly Manifest[] {
  const workloads = objects.filter(({ kind }) => kind === "Deployment" || kind === "StatefulSet");
  return (workloads as readonly unknown[] as readonly Workload[]).map(({ metadata: { name }, spec }) => {
    const { template, volumeClaimTemplates = [] } = spec;
    const claimed = volumeClaimTemplates.map(({ metadata }) => ({ name: metadata.name, emptyDir: {} }));
    return {
      apiVersion: "v1",
      kind: "Pod",
      metadata: { ...template.metadata, name, namespace: NAMESPACE },
      spec: { ...template.spec, volumes: [...template.spec.volumes, ...claimed] },
    };
  });
}

function yamlOf(objects: readonly object[]): string {
  return objects.map((object) => JSON.stringify(object)).join("\n---\n");
}

const missing = REAL.missing ?? kubectlMissing() ?? sharedMissing("data/operator-crds");

describeWith(missing, REAL)("the manifests on the real kube-apiserver", () => {
  const stack = new AsyncDisposableStack();
  const assets = process.env["KUBEBUILDER_ASSETS"] ?? "";
  let kubectl: Kubectl;
  let overlays: string;
  let manifests: string;
  let env: NodeJS.ProcessEnv;

  /** The objects of the base with these components. */
  async function built(...names: readonly string[]): Promise<string> {
    const folder = join(overlays, names.join("-") || "none");
    await mkdir(folder, { recursive: true });
    await writeOverlay(folder, manifests, names);
    return kubectl(`kustomize ${folder}`);
  }

  beforeAll(async () => {
    overlays = testFolder("overlays");
    manifests = await renderManifests(join(overlays, "rendered"));
    const server = stack.use(await startRealServer(assets));
    kubectl = kubectlFor(server.kubeconfigFile);
    const PATH = `${assets}:${process.env["PATH"]}`;
    env = { ...process.env, PATH, KUBECONFIG: server.kubeconfigFile };
    await kubectl(
      `apply --server-side -f ${CRDS}/keda -f ${CRDS}/prometheus-operator -f infra/platform/crds/generated`,
    );
    await kubectl("wait crd --all --for=condition=Established --timeout=240s");
    // Its Namespace and its PriorityClasses are needed for a Pod of it.
    await kubectl(`apply --validate=strict -k ${manifests}/base`);
  });
  afterAll(() => stack.disposeAsync());

  it("takes the base a second time without a change of rights, and each namespace binds them", async () => {
    const again = (await kubectl(`apply --validate=strict -k ${manifests}/base`)).split("\n");
    expect(again.filter((line) => /role/.test(line) && !line.endsWith("unchanged"))).toEqual([]);
    const bound = await kubectl(`apply --validate=strict --namespace default -k ${manifests}/namespace`);
    expect(bound).toMatch(/rolebinding\S*\/capstan-relay created/);
  });

  /** Sends objects, and the Pods that they lead to, as they would be stored. */
  async function taken(objects: readonly Manifest[]): Promise<void> {
    const answer = await kubectl(DRY, yamlOf(objects));
    expect(answer.trim().split("\n")).toHaveLength(objects.length);
    const pods = podsOf(objects);
    if (pods.length > 0) await kubectl("create --dry-run=server --validate=strict -f -", yamlOf(pods));
  }

  it.each([
    { more: "nothing more", names: [] },
    { more: "every component", names: NAMES },
  ])("takes the base with $more, strictly, and its Pods are restricted", async ({ names }) => {
    const objects = loadAll(await built(...names)) as readonly Manifest[];
    expect(podsOf(objects).length).toBeGreaterThanOrEqual(5);
    await taken(objects);
  });

  it.each(NAMES)("takes what %s adds to the base or changes in it, strictly", async (name) => {
    const base = new Set(
      (loadAll(await built()) as readonly Manifest[]).map((object) => JSON.stringify(object)),
    );
    const objects = loadAll(await built(name)) as readonly Manifest[];
    const changed = objects.filter((object) => !base.has(JSON.stringify(object)));
    // Some change another component only: they are taken with all of them.
    if (changed.length > 0) await taken(changed);
  });

  it("refuses a Pod of them that is not confined", async () => {
    const [pod] = podsOf(loadAll(await built()) as readonly Manifest[]);
    const spec = JSON.parse(
      JSON.stringify(pod?.["spec"]).replace('"runAsNonRoot":true', '"runAsNonRoot":false'),
    );
    const { ok, output } = await kubectl.try("create --dry-run=server -f -", yamlOf([{ ...pod, spec }]));
    expect(ok).toBe(false);
    expect(output).toContain('violates PodSecurity "restricted');
  });

  // Those that install and remove it are run with containers: test/infra/deploy/image/image.test.ts.
  it("takes every command of their README for what is installed", async () => {
    const sections = ["Renew the Secrets", "The console", "Rights"];
    const commands = (await Promise.all(sections.map(commandsOf))).flat();
    expect(commands).toHaveLength(6);
    await kubectl("create namespace team-a");
    for (const line of commands) {
      const command = line.replace(".capstan/rendered/kustomize", manifests);
      const { stdout } = await promisify(execFile)("sh", ["-c", command], { env });
      expect([command, stdout]).toEqual([
        command,
        expect.stringMatching(/(created|configured|unchanged|serverside-applied|restarted)\n$/),
      ]);
    }
    const [relay] = await relayOfProviders();
    expect(relay).toMatchObject({ verbs: ["get", "list", "watch"] });
  });

  /** Returns the rules of the relay on kinds of providers of other groups. */
  async function relayOfProviders(): Promise<readonly object[]> {
    const { rules } = JSON.parse(await kubectl("get clusterrole/capstan-relay-of-providers -o json"));
    return rules ?? [];
  }

  it("the printed rights apply where no provider needs any, and take the earlier ones back", async () => {
    const [grant = ""] = (await commandsOf("Rights")).filter((command) => command.includes("rbac"));
    const run = () => promisify(execFile)("sh", ["-c", grant], { env });
    await run();
    expect(await relayOfProviders()).not.toEqual([]);
    const crds = (await kubectl("get crd -o name"))
      .split("\n")
      .filter((name) => name.endsWith(".sim.capstan.dev"));
    await kubectl(`delete ${crds.join(" ")} --timeout=240s`);
    const { stdout, stderr } = await run();
    expect(stdout).toContain("clusterrole.rbac.authorization.k8s.io/capstan-relay-of-providers configured");
    expect(stderr).toContain("capstan: nothing to grant: ");
    expect(await relayOfProviders()).toEqual([]);
  });

  it("hardened leaves out what providers grant to Cluster API's manager", async () => {
    const label = "cluster.x-k8s.io/aggregate-to-manager";
    expect(await built()).toContain(label);
    expect(await built("hardened")).not.toContain(label);
  });

  it("S-01: with an account per function, no account of a group is left", async () => {
    const text = await built("per-function");
    expect(text).not.toMatch(/name: capstan-worker-(core|workload|credentials)/);
    expect(text).toContain("name: capstan-machinepool-status");
  });
});
