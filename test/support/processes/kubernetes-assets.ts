import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** `kubebuilder-v1.37.2`, `kubebuilder-1.37`: version, and number of the patch. */
const FOLDER = /^kubebuilder-v?(\d+\.\d+)(?:\.(\d+))?$/;

/**
 * Returns the environment in which tests play the real API server of this version, such as `1.37`: the newest of its
 * folders in `cache`, where each has its version in its name. Without a version it is empty: `KUBEBUILDER_ASSETS` decides.
 * Throws when there is no such folder, and names those that are there.
 */
export function kubernetesAssets(
  version: string | undefined,
  cache: string,
): { readonly KUBEBUILDER_ASSETS?: string } {
  if (version === undefined || version === "") return {};
  const folders = (existsSync(cache) ? readdirSync(cache) : []).flatMap((name) => {
    const [, minor, patch = "0"] = FOLDER.exec(name) ?? [];
    return minor === undefined ? [] : [{ name, minor, patch: Number(patch) }];
  });
  const [newest] = folders.filter(({ minor }) => minor === version).sort((a, b) => b.patch - a.patch);
  if (newest !== undefined) return { KUBEBUILDER_ASSETS: join(cache, newest.name) };
  const there = folders.map(({ name }) => name).join(", ") || "none";
  throw new Error(
    `CAPSTAN_KUBERNETES is ${version}, and ${cache} has no folder kubebuilder-v${version}.*; there: ${there}`,
  );
}
