import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CORE } from "../../infra/deploy/providers.ts";
import type { Series } from "../../infra/deploy/release.ts";
import { renderRelease } from "../../infra/deploy/release.ts";
import { SIM_PROVIDERS as SIM } from "../../infra/playground/release/providers.ts";

/** Folder with releases of ours, as `npm run release` writes them. Disposing removes it. */
export interface Releases extends AsyncDisposable {
  readonly folder: string;
  /** A `clusterctl.yaml` that needs no network. */
  readonly config: string;
}

/** The providers of a release, in the order in which clusterctl installs it. */
export const PROVIDERS = [CORE, ...SIM];

export const SIM_PROVIDERS = (version: string) =>
  `--core cluster-api:${version} --bootstrap sim:${version} --control-plane sim:${version} --infrastructure sim:${version}`;

/** Renders releases of these versions. */
export async function renderReleases(
  versions: readonly string[],
  series?: readonly Series[],
): Promise<Releases> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-releases-"));
  let config = "";
  for (const version of versions) {
    const image = "ghcr.io/example/capstan";
    const files = await renderRelease({ folder, providers: SIM, version, image, ...(series && { series }) });
    for (const [path, content] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    config = files.get("clusterctl-offline.yaml") ?? "";
  }
  return { folder, config, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
