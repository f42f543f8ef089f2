import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { archiveOf } from "../../infra/deploy/chart/archives.ts";
import { type ChartOptions, chartFiles } from "../../infra/deploy/chart/chart.ts";
import { SIM_PROVIDERS } from "../../infra/playground/release/providers.ts";

const EXAMPLE = new URL("../../infra/playground/sim/example.yaml", import.meta.url);

async function optionsOf(version: string): Promise<ChartOptions> {
  const demo = { providers: SIM_PROVIDERS, cluster: await readFile(EXAMPLE, "utf8") };
  return { version, image: "ghcr.io/example/capstan", demo };
}

/** Returns path → content of the chart of a version. */
export async function renderedChart(version = "v0.1.0"): Promise<ReadonlyMap<string, string>> {
  return chartFiles(await optionsOf(version));
}

/** Archives of the chart in a folder that disposing removes. */
export interface Charts extends AsyncDisposable {
  readonly folder: string;
  /** The archive of a version, such as `v0.1.0`. */
  fileOf(version: string): string;
}

/** Writes the chart of each version as an archive; `change` is what all but the first have changed. */
export async function packedCharts(
  versions: readonly string[],
  change: (text: string) => string = (text) => text,
): Promise<Charts> {
  const folder = await mkdtemp(join(tmpdir(), "capstan-charts-"));
  const fileOf = (version: string) => join(folder, `capstan-${version.slice(1)}.tgz`);
  for (const version of versions) {
    const changed = [...(await renderedChart(version))].map(
      ([path, text]) => [`capstan/${path}`, version === versions[0] ? text : change(text)] as const,
    );
    await writeFile(fileOf(version), archiveOf(new Map(changed)));
  }
  return { folder, fileOf, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}
