import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { BASE } from "../../../support/deployed-accounts.ts";
import { kubectlFor, kubectlMissing } from "../../../support/processes/kubectl.ts";
import { describeWith } from "../../../support/requires.ts";

const README = new URL("../../../../infra/deploy/kustomize/README.md", import.meta.url);

interface Rendered {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: {
    readonly template: {
      readonly spec: { readonly containers: readonly { readonly args?: readonly string[] }[] };
    };
  };
}

describeWith(kubectlMissing())("an overlay of the base", () => {
  it("S-33: limits the deletions of all workers with the patch of README", async () => {
    const [, section = ""] = (await readFile(README, "utf8")).split("## A limit of deletions\n");
    const [, patches = ""] = /```yaml\n([\s\S]*?)```/.exec(section) ?? [];
    const dir = await mkdtemp(join(tmpdir(), "capstan-overlay-"));
    try {
      const kind = "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n";
      const resources = `resources: [${relative(dir, resolve(BASE))}]\n`;
      await writeFile(join(dir, "kustomization.yaml"), `${kind}${resources}${patches}`);
      const rendered = loadAll(await kubectlFor("")(`kustomize ${dir}`)) as readonly Rendered[];
      const limited = rendered.filter(
        (object) =>
          object.kind === "Deployment" &&
          object.spec.template.spec.containers[0]?.args?.at(-1) === "--max-deletions-per-hour=50",
      );
      expect(limited.map(({ metadata }) => metadata.name).toSorted()).toEqual([
        "capstan-worker-core",
        "capstan-worker-credentials",
        "capstan-worker-workload",
      ]);
    } finally {
      await rm(dir, { recursive: true });
    }
  });
});
