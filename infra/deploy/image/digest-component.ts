import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { IMAGE } from "../manifests/deployments.ts";
import { API_VERSIONS } from "../manifests/kustomization.ts";

/** Writes a component of kustomize that names the image of all Deployments by this digest. Source: S-62 */
export async function writeDigestComponent(digest: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  const kind = "Component";
  const component = { apiVersion: API_VERSIONS[kind], kind, images: [{ name: IMAGE, digest }] };
  await writeFile(join(folder, "kustomization.yaml"), writeYaml(component));
}
