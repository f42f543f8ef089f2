import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { BASE } from "./deployed-accounts.ts";

const FOLDER = resolve(BASE, "..");
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

/** Writes the overlay of "Install it" into a folder, for the component that was made with an image. */
export async function writeInstallOverlay(folder: string, imageComponent: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const text = (await yamlOf("Install it"))
    .replaceAll("../../infra/deploy/kustomize", relative(folder, FOLDER))
    .replace("../image/kustomize", relative(folder, imageComponent))
    .replaceAll("sha256:…", ANY_DIGEST);
  await writeFile(join(folder, "kustomization.yaml"), text);
}

async function sectionOf(title: string): Promise<string> {
  const [, section] = (await readFile(join(FOLDER, "README.md"), "utf8")).split(`\n## ${title}\n`);
  if (section === undefined) throw new Error(`the README of the manifests has no section "${title}"`);
  return section.split("\n## ")[0] ?? "";
}
