import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { loadAll } from "js-yaml";
import { describe, expect, it } from "vitest";
import type { Manifest } from "../../../infra/deploy/deployment.ts";
import { renderRelease } from "../../../infra/deploy/release.ts";
import { renderedFiles } from "../../../infra/deploy/rendered.ts";
import { SIM_PROVIDERS } from "../../../infra/playground/release/providers.ts";
import { PROVIDERS } from "../../support/capstan-release.ts";
import { testFolder } from "../../support/test-folder.ts";

const OPTIONS = {
  providers: SIM_PROVIDERS,
  folder: "/releases",
  version: "v0.1.0",
  image: "ghcr.io/example/capstan",
};
const files = await renderRelease(OPTIONS);

function objectsIn(path: string): readonly Manifest[] {
  return loadAll(files.get(path) ?? "") as Manifest[];
}

interface Workload {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly containers: readonly { readonly name: string; readonly args: readonly string[] }[];
      };
    };
  };
}

const PROVIDER_LABEL = "cluster.x-k8s.io/provider";
const CLUSTER_SCOPED = ["Namespace", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding"];
/** Checks of manifests, which only core brings. */
const POLICIES = ["ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding"];
const COMMON = [
  "CLUSTER_NAME",
  "CONTROL_PLANE_MACHINE_COUNT",
  "KUBERNETES_VERSION",
  "NAMESPACE",
  "WORKER_MACHINE_COUNT",
];

/** Name and arguments of every variable. */
function variablesIn(text: string): readonly (readonly [name: string, args: string])[] {
  return [...text.matchAll(/\$\{([A-Z_]+)([^}]*)\}/g)].map(([, name = "", args = ""]) => [name, args]);
}

describe("a release", () => {
  it("carries what is rendered for kubectl, AWS, Prometheus and Grafana", async () => {
    for (const [path, content] of await renderedFiles())
      expect(files.get(`rendered/v0.1.0/${path}`), path).toBe(content);
  });

  it("has four providers, and the same bytes for the same options", async () => {
    const ofProviders = [...files.keys()].filter((path) => !path.startsWith("rendered/v0.1.0/"));
    expect(ofProviders.toSorted((a, b) => (a < b ? -1 : 1))).toEqual([
      "bootstrap-sim/v0.1.0/bootstrap-components.yaml",
      "bootstrap-sim/v0.1.0/metadata.yaml",
      "cert-manager/v0.0.1/cert-manager.yaml",
      "cluster-api/v0.1.0/core-components.yaml",
      "cluster-api/v0.1.0/metadata.yaml",
      "clusterctl-offline.yaml",
      "clusterctl.yaml",
      "control-plane-sim/v0.1.0/control-plane-components.yaml",
      "control-plane-sim/v0.1.0/metadata.yaml",
      "infrastructure-sim/v0.1.0/cluster-template-machinedeployment.yaml",
      "infrastructure-sim/v0.1.0/cluster-template-machines.yaml",
      "infrastructure-sim/v0.1.0/cluster-template.yaml",
      "infrastructure-sim/v0.1.0/infrastructure-components.yaml",
      "infrastructure-sim/v0.1.0/metadata.yaml",
    ]);
    expect(await renderRelease(OPTIONS)).toEqual(files);
  });

  describe.each(PROVIDERS)("$label", ({ label, components, namespace, variables }) => {
    const path = `${label}/v0.1.0/${components}`;
    const objects = objectsIn(path);
    const isCore = label === "cluster-api";

    it("says of every object whose it is, and where it is", () => {
      const kinds = new Set(objects.map(({ kind }) => kind));
      const others = ["Deployment", "Role", "RoleBinding", "ServiceAccount"];
      const ofCore = isCore ? ["Service", ...POLICIES] : [];
      expect(kinds).toEqual(new Set([...CLUSTER_SCOPED, ...others, ...ofCore]));
      expect(new Set(objects.map(({ metadata }) => metadata.labels?.[PROVIDER_LABEL]))).toEqual(
        new Set([label]),
      );
      const wrong = objects.filter(({ kind, metadata }) =>
        [...CLUSTER_SCOPED, ...POLICIES].includes(kind)
          ? metadata.namespace !== undefined
          : metadata.namespace !== namespace,
      );
      expect(wrong).toEqual([]);
      const named = (kind: RegExp) => objects.filter((each) => kind.test(each.kind));
      expect(named(/^Namespace$/).map(({ metadata }) => metadata.name)).toEqual([namespace]);
      const roles = named(/^ClusterRole/).map(({ metadata }) => metadata.name);
      expect(roles.filter((name) => !name.startsWith(`${namespace}-`))).toEqual([]);
      const crds = named(/^CustomResourceDefinition$/);
      expect(crds.filter(({ metadata }) => metadata.labels?.["clusterctl.cluster.x-k8s.io"] !== "")).toEqual(
        [],
      );
    });

    it("runs its controllers in one container `manager`, core a webhook beside it, and names no namespace there", () => {
      const workloads = objects.filter(
        ({ kind }) => kind === "Deployment",
      ) as readonly unknown[] as readonly Workload[];
      const containers = workloads.flatMap(({ spec }) => spec.template.spec.containers);
      const cloud = label === "infrastructure-sim" ? ["cloud"] : [];
      const webhook = isCore ? ["webhook"] : [];
      expect(containers.map(({ name }) => name)).toEqual(["manager", ...webhook, ...cloud]);
      expect(containers[0]?.args).toEqual(expect.arrayContaining(["--namespace=", "--leader-elect"]));
      expect(JSON.stringify(containers)).not.toContain(namespace);
    });

    it("has a default for every variable, whose name begins with its own prefix", () => {
      const found = variablesIn(files.get(path) ?? "");
      const optional = found.filter(([, args]) => args.startsWith(":=") && args.length > 2);
      expect(new Set(optional.map(([name]) => name))).toEqual(new Set(found.map(([name]) => name)));
      expect(found.filter(([name]) => !name.startsWith(`${variables}_`))).toEqual([]);
    });
  });

  it("lets core work on the kinds of Sim, whose groups are not those of Cluster API", () => {
    for (const { label, components } of PROVIDERS) {
      const roles = objectsIn(`${label}/v0.1.0/${components}`).filter(({ kind }) => kind === "ClusterRole");
      const lent = roles.filter(
        ({ metadata }) => metadata.labels?.["cluster.x-k8s.io/aggregate-to-manager"] === "true",
      );
      const collecting = roles.filter((role) => role["aggregationRule"] !== undefined);
      expect([lent.length, collecting.length]).toEqual(label === "cluster-api" ? [0, 1] : [1, 0]);
    }
  });

  it("has templates that need the common variables only", () => {
    const templates = [...files].filter(([path]) => path.includes("/cluster-template"));
    expect(templates).toHaveLength(3);
    for (const [, text] of templates) {
      const found = variablesIn(text);
      expect(new Set(found.filter(([, args]) => args === "").map(([name]) => name))).toEqual(new Set(COMMON));
      const own = found.filter(([, args]) => args !== "");
      expect(own.length).toBeGreaterThan(0);
      expect(own.filter(([name, args]) => !/^SIM_/.test(name) || !/^:=./.test(args))).toEqual([]);
    }
  });

  it.each([
    ["0.1.0", "ghcr.io/example/capstan", "not a semantic version after a v"],
    ["v0.1", "ghcr.io/example/capstan", "not a semantic version after a v"],
    ["v7.3.0", "ghcr.io/example/capstan", "add { major: 7, minor: 3 } to infra/deploy/release.ts"],
    ["v0.1.0", "capstan", "not a registry with a path and no tag"],
    ["v0.1.0", "example/capstan", "not a registry with a path and no tag"],
    ["v0.1.0", "ghcr.io/example/capstan:v1", "not a registry with a path and no tag"],
    ["v0.1.0", "ghcr.io/example/capstan@sha256:0", "not a registry with a path and no tag"],
  ])("refuses version %s with image %s", async (version, image, message) => {
    await expect(renderRelease({ ...OPTIONS, version, image })).rejects.toThrow(message);
  });

  it("takes an image of a registry with a port", async () => {
    const rendered = await renderRelease({ ...OPTIONS, image: "localhost:5000/capstan" });
    expect(rendered.get("cluster-api/v0.1.0/core-components.yaml")).toContain(
      "image: localhost:5000/capstan:v0.1.0\n",
    );
  });

  it("S-62: names the image by its digest where one is given, and refuses a malformed one", async () => {
    const digest = `sha256:${"5".repeat(64)}`;
    const rendered = await renderRelease({ ...OPTIONS, digest });
    // An overlay names that of the manifests for kubectl.
    const ofProviders = [...rendered].filter(([path]) => !path.startsWith("rendered/"));
    const images = ofProviders.flatMap(([, text]) => text.match(/^ *image: .*$/gm) ?? []);
    expect(images.length).toBeGreaterThan(PROVIDERS.length);
    expect(new Set(images.map((line) => line.trim()))).toEqual(
      new Set([`image: ghcr.io/example/capstan:v0.1.0@${digest}`]),
    );
    const refused = renderRelease({ ...OPTIONS, digest: "sha256:0" });
    await expect(refused).rejects.toThrow(
      "not sha256: and 64 hexadecimal digits, as npm run image prints it",
    );
  });

  it("is written beside the releases of other versions", async () => {
    const folder = testFolder("release");
    const release = (version: string) =>
      promisify(execFile)(process.execPath, [
        "infra/cli/release.ts",
        folder,
        `--version=${version}`,
        "--image=ghcr.io/example/capstan",
        "--no-build",
      ]);
    await release("v0.1.0");
    const { stdout } = await release("v0.1.1");
    expect(stdout).toContain(`clusterctl --config ${folder}/clusterctl.yaml`);
    expect(await readdir(join(folder, "chart/v0.1.1"))).toEqual(["capstan-0.1.1.tgz", "oci"]);
    expect((await readdir(join(folder, "control-plane-sim"))).toSorted()).toEqual(["v0.1.0", "v0.1.1"]);
    const config = await readFile(join(folder, "clusterctl.yaml"), "utf8");
    expect(config).toContain(`url: file://${folder}/cluster-api/latest/core-components.yaml`);
    await expect(release("v9.0.0")).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^capstan: version/),
    });
  });
});
