import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Architecture } from "./architectures.ts";
import type { Layer } from "./layer.ts";
import { processOf } from "./process.ts";
import type { Source } from "./source.ts";

const IMAGE = "application/vnd.oci.image";

/** How a blob is named elsewhere. */
interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
  readonly platform?: object;
  readonly annotations?: { readonly [key: string]: string };
}

/** The image of one platform. */
export interface Manifest extends Descriptor {
  readonly architecture: Architecture;
  /** Of config, manifest and layers: what a node fetches. */
  readonly compressedBytes: number;
}

/** Writes config and manifest of one platform. */
export async function writeManifest(
  source: Source,
  architecture: Architecture,
  layers: readonly Layer[],
  blobs: string,
): Promise<Manifest> {
  const annotations = labelsOf(source);
  const config = await writeBlob(blobs, `${IMAGE}.config.v1+json`, {
    created: source.at.toISOString(),
    architecture,
    os: "linux",
    config: { ...processOf(source), Labels: annotations },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffID }) => diffID) },
    history: layers.map(() => ({ created: source.at.toISOString(), created_by: "npm run image" })),
  });
  const mediaType = `${IMAGE}.manifest.v1+json`;
  const manifest = await writeBlob(blobs, mediaType, {
    schemaVersion: 2,
    mediaType,
    config,
    layers: layers.map(({ digest, bytes }) => ({
      mediaType: `${IMAGE}.layer.v1.tar+gzip`,
      digest,
      size: bytes,
    })),
    annotations,
  });
  const compressedBytes = layers.reduce((sum, { bytes }) => sum + bytes, config.size + manifest.size);
  return { ...manifest, platform: { architecture, os: "linux" }, architecture, compressedBytes };
}

/** Writes the index over all platforms and the entry of the layout. Returns the digest of the image. */
export async function writeIndex(
  source: Source,
  manifests: readonly Manifest[],
  layout: string,
): Promise<string> {
  const mediaType = `${IMAGE}.index.v1+json`;
  const index = await writeBlob(join(layout, "blobs/sha256"), mediaType, {
    schemaVersion: 2,
    mediaType,
    manifests: manifests.map(({ mediaType, digest, size, platform }) => ({
      mediaType,
      digest,
      size,
      platform,
    })),
    annotations: labelsOf(source),
  });
  const entry = { ...index, annotations: { "org.opencontainers.image.ref.name": source.version } };
  await writeFile(join(layout, "oci-layout"), JSON.stringify({ imageLayoutVersion: "1.0.0" }));
  await writeFile(
    join(layout, "index.json"),
    JSON.stringify({ schemaVersion: 2, mediaType, manifests: [entry] }),
  );
  return index.digest;
}

function labelsOf({ at, revision, version }: Source): { readonly [key: string]: string } {
  const prefix = "org.opencontainers.image";
  return {
    [`${prefix}.created`]: at.toISOString(),
    [`${prefix}.licenses`]: "Apache-2.0",
    [`${prefix}.revision`]: revision,
    [`${prefix}.title`]: "capstan",
    [`${prefix}.version`]: version,
  };
}

async function writeBlob(blobs: string, mediaType: string, content: object): Promise<Descriptor> {
  const text = JSON.stringify(content);
  const digest = createHash("sha256").update(text).digest("hex");
  await writeFile(join(blobs, digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: Buffer.byteLength(text) };
}
