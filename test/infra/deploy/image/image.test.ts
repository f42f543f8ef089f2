import { execFile } from "node:child_process";
import { mkdir, open, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { loadAll } from "js-yaml";
import { beforeAll, expect, it } from "vitest";
import { buildImage, writeDigestComponent } from "../../../../infra/deploy/image/image.ts";
import { USER_ID } from "../../../../infra/deploy/image/stage.ts";
import { NAMESPACE } from "../../../../infra/deploy/manifests/deployments.ts";
import { compareText } from "../../../../shared/rules/conditions/conditions.ts";
import { packedCharts } from "../../../support/chart.ts";
import { commandsIn } from "../../../support/commands.ts";
import { OF_SIMS, renderManifests, userOf } from "../../../support/deployed-accounts.ts";
import { areReady, runDeployedPods } from "../../../support/deployed-pods.ts";
import { eventually } from "../../../support/eventually.ts";
import { filesOf, type ImageLayout, type Process, readLayout } from "../../../support/image-layout.ts";
import { commandsOf, writeInstallOverlay } from "../../../support/kustomize-readme.ts";
import { simCluster, simPool } from "../../../support/manifests.ts";
import { type Pod, secretFiles } from "../../../support/pods.ts";
import { REAL, type TestServer } from "../../../support/processes/api-servers.ts";
import type { AuditedRequest } from "../../../support/processes/audit-log.ts";
import { buildahMissing } from "../../../support/processes/buildah.ts";
import { startCli } from "../../../support/processes/cli.ts";
import { crunMissing, runContainer } from "../../../support/processes/container.ts";
import { HELM_OPTIONAL, helmFor, helmMissing } from "../../../support/processes/helm.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { redisMissing } from "../../../support/processes/redis-server.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";

const ROOT = new URL("../../../../", import.meta.url);
const MIB = 2 ** 20;
const WITHIN = { withinMs: 90_000, stepMs: 200 };
let dir = "";
let out = "";
let layout: ImageLayout;

/** Of amd64, on which the tests run. */
let root = "";

let image: Process;

beforeAll(async () => {
  if (buildahMissing() !== undefined) return;
  dir = testFolder("images");
  const [line = ""] = await commandsIn("infra/deploy/image/README.md");
  await promisify(execFile)("sh", ["-c", line.replace("~", dir)], { cwd: ROOT });
  out = join(dir, "image");
  layout = await readLayout(out);
  root = await layout.rootOf("amd64");
  image = await layout.processOf("amd64");
});

const MACHINES: { readonly [code: number]: string } = { 62: "amd64", 183: "arm64" };

/** Architecture of a program or library, by Debian's names; undefined for another file. */
async function architectureOf(file: string): Promise<string | undefined> {
  const handle = await open(file);
  try {
    const { buffer } = await handle.read(Buffer.alloc(20), 0, 20, 0);
    if (buffer.toString("latin1", 0, 4) !== "\x7fELF") return undefined;
    return MACHINES[buffer.readUInt16LE(18)] ?? "unknown";
  } finally {
    await handle.close();
  }
}

describeWith(buildahMissing())("the image", () => {
  it("S-61: has sorted files of owner 0, no shell, no npm, and nothing that raises rights", async () => {
    for (const architecture of ["amd64", "arm64"]) {
      const { layers } = await layout.manifestOf(architecture);
      for (const layer of layers) {
        const entries = await layout.entriesOf(layer);
        expect(new Set(entries.map(({ owner }) => owner))).toEqual(new Set(["0/0"]));
        expect(new Set(entries.map(({ time }) => time))).toEqual(new Set(["1970-01-01T00:00:00Z"]));
        expect(entries.filter(({ mode }) => /s/i.test(mode))).toEqual([]);
        const others = entries.filter(
          ({ mode, path }) => !mode.startsWith("l") && mode[8] === "w" && path !== "tmp/",
        );
        expect(others).toEqual([]);
        expect(
          entries.filter(({ path }) => /(?:^|\/)(?:\w*sh|busybox|npm|npx|apt|dpkg)$/.test(path)),
        ).toEqual([]);
      }
    }
  });

  it("is small, and both platforms share the layer of the app", async () => {
    const [amd64, arm64] = [await layout.manifestOf("amd64"), await layout.manifestOf("arm64")];
    expect(amd64.layers[2]).toEqual(arm64.layers[2]);
    for (const { layers } of [amd64, arm64]) {
      expect(layers.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(64 * MIB);
    }
    const sizes = await Promise.all((await filesOf(join(root, "app"))).map((file) => stat(file)));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(25 * MIB);
  });

  it("S-64: has the same digest and the same SBOMs when it is built again", async () => {
    const again = join(dir, "again");
    expect((await buildImage({ out: again })).digest).toBe(layout.digest);
    for (const name of (await readdir(out)).filter((each) => each.endsWith(".json"))) {
      expect(await readFile(join(again, name), "utf8")).toBe(await readFile(join(out, name), "utf8"));
    }
    await rm(again, { recursive: true });
  });

  it("has two SBOMs per platform, with the packages of its app and of its system and no other", async () => {
    const npm = await namesIn(join(root, "app/node_modules"));
    expect(npm.length).toBeGreaterThan(50);
    const { dependencies, devDependencies } = JSON.parse(
      await readFile(new URL("package.json", ROOT), "utf8"),
    );
    // The page is made of these.
    expect(new Set(npm.filter((name) => Object.hasOwn(devDependencies, name)))).toEqual(
      new Set(["preact", "uplot"]),
    );
    expect(npm).toEqual(expect.arrayContaining(Object.keys(dependencies)));
    const debian = await readdir(join(root, "var/lib/dpkg/status.d"));
    const wanted = [...npm, ...debian, "node"].toSorted(compareText);
    for (const architecture of ["amd64", "arm64"]) {
      const read = async (format: string) =>
        JSON.parse(await readFile(join(out, `capstan-${architecture}.${format}.json`), "utf8"));
      const { components }: { components: readonly CyclonedxComponent[] } = await read("cdx");
      expect(components.map(({ name }) => name).toSorted(compareText)).toEqual(wanted);
      const purls = components.map(({ purl }) => purl).join("\n");
      expect(purls).toMatch(/^pkg:deb\/debian\/libstdc%2B%2B6@12/m);
      expect(purls).toMatch(/^pkg:generic\/node@24/m);
      const unlicensed = components.filter(
        ({ purl, licenses }) => purl.startsWith("pkg:npm/") && licenses === undefined,
      );
      expect(unlicensed).toEqual([]);
      const spdx: { packages: readonly { name: string }[] } = await read("spdx");
      expect(spdx.packages.map(({ name }) => name).toSorted(compareText)).toEqual(
        [...wanted, "capstan"].toSorted(compareText),
      );
    }
  });

  it("has programs and libraries of its own architecture only", async () => {
    for (const architecture of ["amd64", "arm64"]) {
      const found = await Promise.all((await filesOf(await layout.rootOf(architecture))).map(architectureOf));
      const programs = found.filter((each) => each !== undefined);
      expect(programs).toEqual(Array(8).fill(architecture));
    }
  });
});

interface CyclonedxComponent {
  readonly name: string;
  readonly purl: string;
  readonly licenses?: unknown;
}

/** Names of the packages whose records are in a folder. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const files = (await filesOf(folder)).filter((file) => file.endsWith("/package.json"));
  const records = await Promise.all(files.map((file) => readFile(file, "utf8")));
  return records.map((text) => JSON.parse(text).name);
}

describeWith(buildahMissing() ?? crunMissing())("the image in a container as of our manifests", () => {
  it("S-61: runs as 65532 on a read-only root, where no write succeeds", async () => {
    const { scripts } = JSON.parse(await readFile(new URL("package.json", ROOT), "utf8"));
    const flags = scripts.start.split(" ").filter((word: string) => word.startsWith("--"));
    expect(image.Entrypoint.slice(1, -1)).toEqual(flags);
    const version = await runContainer({ root, image, args: ["version"] });
    expect(version).toEqual({ code: 0, output: expect.stringMatching(/^capstan \d.*Node\.js v24/) });
    const command = ["/usr/local/bin/capstan"];
    expect(await runContainer({ root, image, command, args: ["version"] })).toEqual(version);
    const tried = await runContainer({
      root,
      image,
      command: ["/usr/local/bin/node", "-e", WRITES],
      args: [],
    });
    expect(tried.code, tried.output).toBe(0);
    const { uid, gid, groups, tried: folders, written } = JSON.parse(tried.output);
    expect({ uid, gid, groups, written }).toEqual({
      uid: USER_ID,
      gid: USER_ID,
      groups: [USER_ID],
      written: [],
    });
    expect(folders).toBeGreaterThan(100);
  });
});

/** Tries to write in every folder and over every file. */
const WRITES = `

const { readdirSync, writeFileSync, appendFileSync } = require("node:fs");
const written = [];
let tried = 0;
const attempt = (what, write) => { tried += 1; try { write(); written.push(what); } catch {} };

const walk = (folder) => {
  attempt(folder, () => writeFileSync(folder + "/x", ""));
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = folder + "/" + entry.name;
    if (path === "//proc" || path === "//dev") continue;
    if (entry.isDirectory()) walk(path);
    else if (entry.isFile()) attempt(path, () => appendFileSync(path, ""));
  }
};
walk("/");
console.log(JSON.stringify({ uid: process.getuid(), gid: process.getgid(), groups: process.getgroups(), tried, written }));
`;

/** Installs the image as the manifests' README says, and runs every Pod of it until the deployment is available. */
async function installed(stack: AsyncDisposableStack) {
  const server = stack.use(await REAL.start());
  const { kubeconfigFile } = server;
  const [kubectl, ours] = [kubectlFor(kubeconfigFile), kubectlFor(kubeconfigFile, NAMESPACE)];
  const overlay = join(dir, "overlay");
  const manifests = await renderManifests(join(dir, "rendered"));
  await writeInstallOverlay(overlay, manifests, join(out, "kustomize"));
  const PATH = `${process.env["KUBEBUILDER_ASSETS"]}:${process.env["PATH"]}`;
  const env = { ...process.env, PATH, KUBECONFIG: kubeconfigFile };
  const run = async (line = "") => {
    const text = line.replace(".capstan/overlay", overlay);
    return (await promisify(execFile)("sh", ["-c", text], { cwd: ROOT, env })).stdout;
  };

  // All is rendered, the image is made, and its files are run from here: nothing is pushed.
  const [, , , ...commands] = await commandsOf("Install it");
  const [whenAvailable, leader] = commands.splice(-2);
  for (const command of commands) expect(await run(command)).not.toBe("");
  await kubectl("create --filename 'infra/platform/crds/generated/*.sim.capstan.dev_*.yaml'");
  const parts = ["up", "--roles", "cloud", "relay", "worker", "--empty", "--quiet"];
  const provider = stack.use(startCli([...parts, "--kubeconfig", kubeconfigFile, "--functions", ...OF_SIMS]));
  await eventually(() => expect(provider.output()).toContain("Ctrl-C stops"), WITHIN);
  const rights = (await commandsOf("Rights")).find((line) => line.includes("rbac --from-cluster"));
  expect(await run(rights)).toContain("created");

  const { deployments, pods, redis } = await runDeployedPods(kubeconfigFile, { root, image }, stack);
  expect(pods).toHaveLength(7);
  expect((await run(whenAvailable)).match(/condition met/g)).toHaveLength(deployments.length);
  expect(await run(leader)).not.toBe("");
  return { server, kubectl, ours, redis, pods, run };
}

/** Lets Pods reach the workload cluster of a Cluster. */
async function connectWorkload(kubectl: Kubectl, cluster: string, pods: readonly Pod[]): Promise<void> {
  const port = await eventually(async () => {
    const { value = "" } = await secretFiles(kubectl, `${cluster}-kubeconfig`);
    return Number(/127\.0\.0\.1:(\d+)/.exec(value)?.[1]);
  }, WITHIN);
  const there = { host: "127.0.0.1", port };
  await Promise.all(pods.map(({ network }) => network.forward(there, there)));
}

/** Returns the requests of accounts of ours that the API server has refused. */
async function refusals(server: TestServer): Promise<readonly AuditedRequest[]> {
  const requests = await server.requests();
  return requests.filter(({ code, user }) => code === 403 && user?.startsWith(userOf("")));
}

const { missing: noServer, optional } = REAL;
const missing = buildahMissing() ?? crunMissing() ?? redisMissing() ?? kubectlMissing() ?? noServer;

describeWith(missing, { optional })("containers on a real API server and Redis", () => {
  it("installed as README says, bring a pool to Running as the Pods of the base over TLS, outlive new Secrets, are refused nothing, and SIGTERM drains", async () => {
    await using stack = new AsyncDisposableStack();
    const { server, kubectl, ours, redis, pods, run } = await installed(stack);
    await kubectl("apply -f -", [simCluster("c1"), simPool("p1", "c1", 3)].join("---"));
    await connectWorkload(kubectl, "c1", pods);
    await kubectl("wait machinepool/p1 --for=jsonpath={.status.phase}=Running --timeout=240s");

    const before = await secretFiles(ours, "capstan-worker-queue");
    for (const section of ["Upgrade it", "Renew the Secrets"])
      for (const command of await commandsOf(section)) await run(command);
    expect((await secretFiles(ours, "capstan-worker-queue"))["url"]).not.toBe(before["url"]);
    await redis.renew(await secretFiles(ours, "capstan-redis"));
    // Until now no process could connect: kubelets are slower than Redis.
    for (const pod of pods) await pod.sync();
    await areReady(pods);
    await kubectl("apply -f -", simPool("p2", "c1", 2));
    await kubectl("wait machinepool/p2 --for=jsonpath={.status.phase}=Running --timeout=240s");

    for (const { container } of pods) await container.signal("SIGTERM");
    for (const { container } of pods) expect(await container.ended, container.output()).toBe(0);
    expect(await refusals(server)).toEqual([]);

    for (const command of await commandsOf("Remove it")) await run(command);
    const kinds = "namespaces,clusterroles,clusterrolebindings,priorityclasses";
    const left = (await kubectl(`get ${kinds} -o name`)).split("\n");
    expect(left.filter((name) => name.includes("capstan"))).toEqual([]);
  });
});

describeWith(missing ?? helmMissing(), HELM_OPTIONAL)(
  "the chart in containers on a real API server and Redis",
  () => {
    it("comes by the two commands of the guide with a Redis and a provider, makes the demo's Cluster available, and its Pods are refused nothing", async () => {
      await using stack = new AsyncDisposableStack();
      const server = stack.use(await REAL.start());
      const charts = stack.use(await packedCharts(["v0.1.0"]));
      const { kubeconfigFile } = server;
      const kubectl = kubectlFor(kubeconfigFile);
      const [install = "", demo = ""] = await commandsIn("infra/guides/install.md", "With Helm");
      const file = "releases/chart/v0.1.0/capstan-0.1.0.tgz";
      // Nothing here makes the ReplicaSets that Helm waits for.
      const args = install
        .replace(/^helm /, "")
        .replace(" --wait", "")
        .replace(file, charts.fileOf("v0.1.0"));
      expect(await helmFor(kubeconfigFile)(args)).toContain("STATUS: deployed");
      const { pods } = await runDeployedPods(kubeconfigFile, { root, image }, stack);
      const [get = "", apply = ""] = demo.split(" | ").map((part) => part.replace(/^kubectl /, ""));
      await kubectl(apply, await kubectl(get));
      await connectWorkload(kubectl, "demo", pods);
      await kubectl("wait cluster/demo --for=condition=Available --timeout=240s");
      expect(await refusals(server)).toEqual([]);
    });
  },
);

const DIGEST = `sha256:${"5".repeat(64)}`;

interface Rendered {
  readonly kind: string;
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly image: string;
}

describeWith(kubectlMissing())("the component beside an image", () => {
  it("S-62: names it by its digest in every Deployment, also where an overlay names the registry", async () => {
    const dir = testFolder("digest");
    const overlay = join(dir, "overlay");
    await writeDigestComponent(DIGEST, join(dir, "kustomize"));
    await mkdir(overlay);
    const manifests = await renderManifests(join(dir, "rendered"));
    const kustomization = {
      apiVersion: "kustomize.config.k8s.io/v1beta1",
      kind: "Kustomization",
      resources: [relative(overlay, join(manifests, "base"))],
      components: ["../kustomize"],
      images: [{ name: "capstan", newName: "registry.example.com/capstan" }],
    };
    await writeFile(join(overlay, "kustomization.yaml"), JSON.stringify(kustomization));
    const rendered = loadAll(await kubectlFor("")(`kustomize ${overlay}`)) as readonly Rendered[];
    const images = rendered
      .filter(({ kind }) => kind === "Deployment")
      .flatMap(({ spec }) => spec.template.spec.containers.map(({ image }) => image));
    expect(images.length).toBeGreaterThan(3);
    expect(new Set(images)).toEqual(new Set([`registry.example.com/capstan@${DIGEST}`]));
  });
});
