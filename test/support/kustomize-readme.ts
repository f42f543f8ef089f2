import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";

const README = new URL("../../infra/deploy/kustomize/README.md", import.meta.url);
const ANY_DIGEST = `sha256:${"5".repeat(64)}`;

/** The lines of the shell blocks of a section of the manifests' README, in their order. */
export async function commandsOf(section: string): Promise<readonly string[]> {
  const blocks = (await sectionOf(section)).matchAll(/```sh\n([\s\S]*?)```/g);
  return [...blocks].flatMap(([, block = ""]) => block.trim().split("\n"));
}

/** The first block of YAML of a section. */
export async function yamlOf(section: string): Promise<string> {
  const [, yaml = ""] = /```yaml\n([\s\S]*?)```/.exec(await sectionOf(section)) ?? [];
  return yaml;
}

/** Writes the overlay of "Install it" into a folder, for rendered manifests and the component that was made with an image. */
export async function writeInstallOverlay(
  folder: string,
  manifests: string,
  imageComponent: string,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = (await yamlOf("Install it"))
    .replaceAll("../rendered/kustomize", relative(folder, manifests))
    .replace("../image/kustomize", relative(folder, imageComponent))
    .replaceAll("sha256:…", ANY_DIGEST);
  await writeFile(join(folder, "kustomization.yaml"), text);
}

async function sectionOf(title: string): Promise<string> {
  const [, section] = (await readFile(README, "utf8")).split(`\n## ${title}\n`);
  if (section === undefined) throw new Error(`the README of the manifests has no section "${title}"`);
  return section.split("\n## ")[0] ?? "";
}
