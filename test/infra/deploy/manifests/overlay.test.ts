import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { BASE } from "../../../support/deployed-accounts.ts";
import { kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";

const README = new URL("../../../../infra/deploy/kustomize/README.md", import.meta.url);

const DIGEST = `sha256:${"5".repeat(64)}`;

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: { readonly spec: { readonly containers: readonly Container[] } } };
}
interface Container {
  readonly image: string;
  readonly args?: readonly string[];
}

describeWith(kubectlMissing())("an overlay of the base", () => {
  it("S-62: names the images of Capstan and of Redis by their digests, as README does", async () => {
    const [, yaml = ""] =
      /```yaml\n(apiVersion: kustomize[\s\S]*?)```/.exec(await readFile(README, "utf8")) ?? [];
    const rendered = await renderOverlay((place) =>
      yaml
        .replaceAll("github.com/example/capstan/infra/deploy/kustomize", place)
        .replaceAll("sha256:…", DIGEST),
    );
    const images = rendered.flatMap(
      ({ spec }) => spec?.template?.spec.containers.map(({ image }) => image) ?? [],
    );
    expect(new Set(images)).toEqual(
      new Set([`registry.example.com/capstan@${DIGEST}`, `docker.io/library/redis@${DIGEST}`]),
    );
  });

  it("S-33: limits the deletions of all workers with the patch of README", async () => {
    const [, section = ""] = (await readFile(README, "utf8")).split("## A limit of deletions\n");
    const [, patches = ""] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
    const header = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
    const rendered = await renderOverlay((place) => `${header}resources: [${place}/base]\n${patches}`);
    const limited = rendered.filter(
      ({ kind, spec }) =>
        kind === "Deployment" &&
        spec?.template?.spec.containers[0]?.args?.at(-1) === "--max-deletions-per-hour=50",
    );
    expect(limited.map(({ metadata }) => metadata.name).toSorted()).toEqual([
      "capstan-worker-core",
      "capstan-worker-credentials",
      "capstan-worker-workload",
    ]);
  });
});

/** Renders a kustomization, which gets the folder of the manifests relative to its own. */
async function renderOverlay(kustomization: (place: string) => string): Promise<readonly Rendered[]> {
  const dir = await mkdtemp(join(tmpdir(), "capstan-overlay-"));
  try {
    await writeFile(join(dir, "kustomization.yaml"), kustomization(relative(dir, resolve(BASE, ".."))));
    return loadAll(await kubectlFor("")(`kustomize ${dir}`)) as readonly Rendered[];
  } finally {
    await rm(dir, { recursive: true });
  }
}
