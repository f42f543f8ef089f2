import { archiveOf } from "../archive.ts";
import { sha256 } from "../sha256.ts";
import { type ChartOptions, chartFiles } from "./chart.ts";

/** Media types of charts in registries. */
const CHART = "application/vnd.cncf.helm.chart.content.v1.tar+gzip";

const CONFIG = "application/vnd.cncf.helm.config.v1+json";
const MANIFEST = "application/vnd.oci.image.manifest.v1+json";

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

/** Returns path → content of an OCI layout that holds a chart, as `helm push` puts it into a registry. */
export function layoutOf(
  archive: Buffer,
  about: { readonly name: string; readonly version: string },
): ReadonlyMap<string, Buffer> {
  const config = Buffer.from(JSON.stringify({ apiVersion: "v2", type: "application", ...about }));
  const manifest = jsonOf({
    schemaVersion: 2,
    mediaType: MANIFEST,
    config: descriptorOf(config, CONFIG),
    layers: [descriptorOf(archive, CHART)],
    annotations: {
      "org.opencontainers.image.title": about.name,
      "org.opencontainers.image.version": about.version,
    },
  });
  const annotations = { "org.opencontainers.image.ref.name": about.version };
  const index = { schemaVersion: 2, manifests: [{ ...descriptorOf(manifest, MANIFEST), annotations }] };
  const blobs = [archive, config, manifest].map((blob) => [`blobs/sha256/${sha256(blob)}`, blob] as const);
  return new Map([
    ["oci-layout", jsonOf({ imageLayoutVersion: "1.0.0" })],
    ["index.json", jsonOf(index)],
    ...blobs,
  ]);
}

function descriptorOf(blob: Buffer, mediaType: string) {
  return { mediaType, digest: `sha256:${sha256(blob)}`, size: blob.length };
}

function jsonOf(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
