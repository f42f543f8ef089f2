import { writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { writeDigestComponent } from "../../../../infra/deploy/image/image.ts";
import { renderManifests } from "../../../support/deployed-accounts.ts";
import { writeInstallOverlay, yamlOf } from "../../../support/kustomize-readme.ts";
import { kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";
import { testFolder } from "../../../support/test-folder.ts";

const DIGEST = `sha256:${"7".repeat(64)}`;
/** For that of README. */
const REDIS_DIGEST = `sha256:${"5".repeat(64)}`;

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
    const dir = testFolder("install");
    await writeDigestComponent(DIGEST, join(dir, "image"));
    await writeInstallOverlay(
      join(dir, "overlay"),
      await renderManifests(join(dir, "rendered")),
      join(dir, "image"),
    );
    const rendered = await rendering(join(dir, "overlay"));
    const images = rendered.flatMap(
      ({ spec }) => spec?.template?.spec.containers.map(({ image }) => image) ?? [],
    );
    expect(new Set(images)).toEqual(
      new Set([`registry.example.com/capstan@${DIGEST}`, `docker.io/library/redis@${REDIS_DIGEST}`]),
    );
  });

  it("confines the relay to a namespace with the patch of README", async () => {
    const rendered = await renderPatched(await yamlOf("Rights"));
    const confined = rendered.filter(({ spec }) =>
      spec?.template?.spec.containers[0]?.args?.includes("--namespace=team-a"),
    );
    expect(confined.map(({ kind, metadata }) => `${kind}/${metadata.name}`)).toEqual([
      "Deployment/capstan-relay",
    ]);
  });

  it("S-33: limits the deletions of all workers with the patch of README", async () => {
    const rendered = await renderPatched(await yamlOf("A limit of deletions"));
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

/** Renders the base with these lines of an overlay. */
async function renderPatched(lines: string): Promise<readonly Rendered[]> {
  const dir = testFolder("overlay");
  const header = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
  const manifests = await renderManifests(join(dir, "rendered"));
  const text = `${header}resources: [${relative(dir, manifests)}/base]\n${lines}`;
  await writeFile(join(dir, "kustomization.yaml"), text);
  return await rendering(dir);
}

async function rendering(folder: string): Promise<readonly Rendered[]> {
  return loadAll(await kubectlFor("")(`kustomize ${folder}`)) as readonly Rendered[];
}
