import { mkdir, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { blocksIn, commandsIn } from "./commands.ts";

const ANY_DIGEST = `sha256:${"5".repeat(64)}`;

const PAGE = "infra/deploy/kustomize/README.md";

/** The lines of the shell blocks of a section of the manifests' README, in their order. */
export function commandsOf(section: string): Promise<readonly string[]> {
  return commandsIn(PAGE, section);
}

/** The first block of YAML of a section. */
export async function yamlOf(section: string): Promise<string> {
  return (await blocksIn("yaml", PAGE, section))[0] ?? "";
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
