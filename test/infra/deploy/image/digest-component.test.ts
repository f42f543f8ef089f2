import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { writeDigestComponent } from "../../../../infra/deploy/image/digest-component.ts";
import { renderManifests } from "../../../support/deployed-accounts.ts";
import { kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";

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
    const dir = await mkdtemp(join(tmpdir(), "capstan-digest-"));
    const overlay = join(dir, "overlay");
    try {
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
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
