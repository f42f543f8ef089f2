import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "../layout.ts";
import { run } from "../run.ts";
import { type Contents, componentsOf } from "./components.ts";
import { type NpmCyclonedx, toCyclonedx } from "./cyclonedx.ts";
import { type NpmSpdx, toSpdx } from "./spdx.ts";

/** Answers of npm about every installed package: with `--omit=dev` it leaves out those that tools need, too. */
export interface NpmSboms {
  readonly cyclonedx: NpmCyclonedx;
  readonly spdx: NpmSpdx;
}

/** Asks npm about the packages in `root`. */
export async function readNpmSboms(root: string): Promise<NpmSboms> {
  const [cyclonedx, spdx] = await Promise.all([
    run("npm", ["sbom", "--sbom-format=cyclonedx"], root),
    run("npm", ["sbom", "--sbom-format=spdx"], root),
  ]);
  return { cyclonedx: JSON.parse(cyclonedx) as NpmCyclonedx, spdx: JSON.parse(spdx) as NpmSpdx };
}

/** Writes `capstan-<architecture>.cdx.json` and `.spdx.json` to `out`. */
export async function writeSboms(
  contents: Contents,
  manifest: Manifest,
  npm: NpmSboms,
  out: string,
): Promise<void> {
  const subject = { ...manifest, ...contents.source, components: await componentsOf(contents) };
  const documents = { cdx: toCyclonedx(subject, npm.cyclonedx), spdx: toSpdx(subject, npm.spdx) };
  for (const [format, document] of Object.entries(documents)) {
    const file = join(out, `capstan-${manifest.architecture}.${format}.json`);
    await writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`);
  }
}
