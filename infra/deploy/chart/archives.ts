import { archiveOf } from "../archive.ts";
import { type ChartOptions, chartFiles } from "./chart.ts";
import { layoutOf } from "./layout.ts";

/** Returns the Helm chart of a release: an archive, and the same as an OCI layout, which registries take. */
export async function chartArchives(options: ChartOptions): Promise<ReadonlyMap<string, Buffer>> {
  const version = options.version.slice(1);
  const files = [...(await chartFiles(options))].map(([path, text]) => [`capstan/${path}`, text] as const);
  const archive = archiveOf(new Map(files));
  const layout = [...layoutOf(archive, { name: "capstan", version })];
  const place = `chart/${options.version}`;
  return new Map([
    [`${place}/capstan-${version}.tgz`, archive],
    ...layout.map(([path, content]) => [`${place}/oci/${path}`, content] as const),
  ]);
}
