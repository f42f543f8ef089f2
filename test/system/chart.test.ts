import { loadAll } from "js-yaml";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Manifest } from "../../infra/deploy/deployment.ts";
import { loadCrds } from "../../infra/platform/crds/crd.ts";
import { type Charts, packedCharts, renderedChart } from "../support/chart.ts";
import { commandsIn } from "../support/commands.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { HELM_OPTIONAL, helmFor, helmMissing } from "../support/processes/helm.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import type { CommandLine } from "../support/processes/run-command.ts";
import { describeWith } from "../support/requires.ts";

const IN = "--namespace capstan-system";
const TRIAL = "--set redis.enabled=true,demo.enabled=true";
/** Adds a column to a definition, as a newer version does. */
const NEWER = (text: string) =>
  text.replaceAll(
    "additionalPrinterColumns:",
    "additionalPrinterColumns:\n        - { name: Newer, type: string, jsonPath: .spec.newer }",
  );

const missing = helmMissing() ?? REAL.missing ?? kubectlMissing();

describeWith(missing, HELM_OPTIONAL)("the chart on the real kube-apiserver", () => {
  const stack = new AsyncDisposableStack();
  let charts: Charts;
  let helm: CommandLine;
  let kubectl: Kubectl;
  let kubeconfigFile = "";
  /** Reads a Secret, encoded. */
  const secret = async (name: string) =>
    JSON.parse(await kubectl(`get secret/${name} ${IN} --output json`)).data as {
      readonly [file: string]: string;
    };
  const definition = async (name = "clusters.cluster.x-k8s.io") =>
    JSON.stringify(JSON.parse(await kubectl(`get crd/${name} --output json`)));
  const upgrade = (version: string, more = "") =>
    helm(`upgrade capstan ${charts.fileOf(version)} ${IN} --reset-then-reuse-values ${more}`);

  beforeAll(async () => {
    const server = stack.use(await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? ""));
    kubeconfigFile = server.kubeconfigFile;
    helm = helmFor(kubeconfigFile);
    kubectl = kubectlFor(kubeconfigFile);
    charts = stack.use(await packedCharts(["v0.1.0", "v0.2.0"], NEWER));
  });
  afterAll(() => stack.disposeAsync());

  it("refuses definitions that are not Capstan's, and names them; those that are only served stay their owner's", async () => {
    const crds = await foreign(["clusters.cluster.x-k8s.io", "ipaddresses.ipam.cluster.x-k8s.io"]);
    await kubectl("create -f -", crds.map((crd) => JSON.stringify(crd)).join("\n---\n"));
    const install = `install capstan ${charts.fileOf("v0.1.0")} ${IN} --create-namespace ${TRIAL}`;
    const { ok, output } = await helm.try(install);
    expect(ok).toBe(false);
    expect(output).toContain("clusters.cluster.x-k8s.io exists and is not Capstan's");
    expect(output).toContain("--set crds.install=false");
    await kubectl("delete crd clusters.cluster.x-k8s.io --timeout=240s");

    const [guide = ""] = await commandsIn("infra/guides/install.md", "With Helm");
    const file = "releases/chart/v0.1.0/capstan-0.1.0.tgz";
    expect(guide).toContain(file);
    // Nothing runs Pods here; test/infra/deploy/image/image.test.ts does.
    const said = await helm(
      guide
        .replace(/^helm /, "")
        .replace(file, charts.fileOf("v0.1.0"))
        .replace(" --wait", ""),
    );
    expect(said).toContain("STATUS: deployed");
    expect(await definition("ipaddresses.ipam.cluster.x-k8s.io")).not.toContain("helm.sh/resource-policy");
    expect(await definition()).toContain('"capstan.dev/version":"0.1.0"');
  });

  it("S-24: keeps certificates and passwords at an upgrade, and renews all of them on demand", async () => {
    const names = ["capstan-redis", "capstan-relay-queue", "capstan-diagnostics-client", "capstan-console"];
    const before = await Promise.all(names.map(secret));
    await upgrade("v0.1.0", "--set logLevel=warn");
    expect(await Promise.all(names.map(secret))).toEqual(before);
    await upgrade("v0.1.0", "--set secrets.renewal=2026-12");
    const after = await Promise.all(names.map(secret));
    for (const [at, files] of after.entries())
      for (const [file, text] of Object.entries(files))
        expect([file, text]).not.toEqual([file, before[at]?.[file]]);
  });

  it("refuses a second release in the namespace and in another one, and names the first", async () => {
    for (const namespace of ["capstan-system", "other"]) {
      const { ok, output } = await helm.try(
        `install second ${charts.fileOf("v0.1.0")} --namespace ${namespace} --create-namespace ${TRIAL}`,
      );
      expect(ok).toBe(false);
      expect(output).toContain("Release capstan in namespace capstan-system is a Capstan already");
    }
    expect(await helm("list --all-namespaces --short")).toBe("capstan\n");
  });

  it("brings the definitions of a newer chart, and leaves them as they are on the way back", async () => {
    expect(await definition()).not.toContain('"Newer"');
    await upgrade("v0.2.0");
    expect(await definition()).toContain('"Newer"');
    const newer = JSON.parse(await definition()).metadata.generation;
    await upgrade("v0.1.0");
    expect(JSON.parse(await definition()).metadata.generation).toBe(newer);
    await upgrade("v0.2.0");
    expect(await definition()).toContain('"capstan.dev/version":"0.2.0"');
  });

  it("leaves older versions that the webhook serves, and brings them no more once it is left out", async () => {
    const name = "machinesets.cluster.x-k8s.io";
    const spec = async () =>
      JSON.parse(await definition(name)).spec as { readonly versions: readonly object[] };
    const converting = { url: "https://127.0.0.1:9443/convert" };
    const served = (await loadCrds(undefined, converting)).find(({ metadata }) => metadata.name === name);
    const apply = "apply --server-side --force-conflicts --field-manager=capstan-webhook -f -";
    const { apiVersion, kind } = served ?? {};
    const { versions, conversion } = Object(served).spec;
    await kubectl(
      apply,
      JSON.stringify({ apiVersion, kind, metadata: { name }, spec: { versions, conversion } }),
    );
    const before = await spec();
    expect(before.versions.length).toBeGreaterThan(1);
    await upgrade("v0.2.0", "--set logLevel=info");
    expect(await spec()).toEqual(before);
    await upgrade("v0.2.0", "--set webhook.enabled=false");
    expect((await spec()).versions).toHaveLength(1);
    expect((await runCli("webhook", "--undo", "--kubeconfig", kubeconfigFile)).output).toContain(name);
    expect(await spec()).toMatchObject({ conversion: { strategy: "None" } });
  });

  it("keeps definitions and objects when it is removed, and one command names what is held", async () => {
    const [, demo = "", held = ""] = await commandsIn("infra/guides/install.md", "With Helm");
    const notes = (await renderedChart()).get("templates/NOTES.txt");
    expect(notes).toContain(held);
    const [get = "", apply = ""] = demo.split(" | ").map((part) => part.replace(/^kubectl /, ""));
    await kubectl(apply, await kubectl(get));
    const finalizer = JSON.stringify({ metadata: { finalizers: ["cluster.cluster.x-k8s.io"] } });
    await kubectl(`patch cluster/demo --type=merge --patch '${finalizer}'`);

    expect(await helm(`uninstall capstan ${IN}`)).toContain("kept due to the resource policy");
    expect(await kubectl(`get deployments,secrets,services ${IN} --output name`)).not.toContain("capstan");
    const left = await kubectl("get clusterroles,clusterrolebindings --output name");
    // The server fills these, and would bring them back; nothing binds them any more.
    const ours = left.split("\n").filter((name) => name.includes("capstan") && !name.endsWith("-providers"));
    expect(ours).toEqual([]);
    expect(
      (await kubectl("get machinepools,machinedeployments,simclusters --output name")).trim().split("\n"),
    ).toHaveLength(3);

    await kubectl("delete cluster/demo --wait=false");
    const row = (await kubectl(held.replace(/^kubectl /, "")))
      .split("\n")
      .find((line) => /^Cluster\s/.test(line));
    expect(row).toMatch(/^Cluster +default +demo +20\S+Z +\[cluster\.cluster\.x-k8s\.io\]$/);
  });

  it("takes its definitions up again when it is installed once more", async () => {
    const install = `install capstan ${charts.fileOf("v0.2.0")} ${IN} ${TRIAL}`;
    expect(await helm(install)).toContain("STATUS: deployed");
  });

  /** Returns these definitions as Cluster API has them, without its labels on the owner. */
  async function foreign(names: readonly string[]): Promise<readonly Manifest[]> {
    const all = loadAll(
      await helm(`template x ${charts.fileOf("v0.1.0")} ${TRIAL} --kube-version 1.34.0`),
    ) as readonly (Manifest | null)[];
    return all.flatMap((each) =>
      each?.kind === "CustomResourceDefinition" && names.includes(each.metadata.name)
        ? [{ ...each, metadata: { name: each.metadata.name } }]
        : [],
    );
  }
});
