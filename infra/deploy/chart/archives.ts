import { gzipSync } from "node:zlib";
import { sha256 } from "../sha256.ts";
import { type ChartOptions, chartFiles } from "./chart.ts";

const BLOCK = 512;
/** Size and place of the fields of a header, in the order of the format. */
const CHECKSUM = { at: 148, bytes: 8 };

/** Returns a gzip of a tar (ustar) with these files, whose time is 0: the same bytes on every machine. */
export function archiveOf(files: ReadonlyMap<string, string>): Buffer {
  const blocks = [...files].flatMap(([path, text]) => {
    const content = Buffer.from(text);
    return [headerOf(path, content.length), content, Buffer.alloc(-content.length & (BLOCK - 1))];
  });
  return gzipSync(Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]), { level: 9 });
}

function headerOf(path: string, bytes: number): Buffer {
  if (Buffer.byteLength(path) > 100) throw new Error(`bug: ${path} is too long for a header of ustar`);
  const octal = (number: number, digits: number) => `${number.toString(8).padStart(digits, "0")}\0`;
  const fields = [
    path.padEnd(100, "\0"),
    octal(0o644, 7),
    octal(0, 7),
    octal(0, 7),
    octal(bytes, 11),
    octal(0, 11),
    " ".repeat(CHECKSUM.bytes),
    "0",
    "\0".repeat(100),
    "ustar\x0000",
  ].join("");
  const header = Buffer.alloc(BLOCK);
  header.write(fields, "utf8");
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${octal(sum, 6)} `, CHECKSUM.at);
  return header;
}

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
