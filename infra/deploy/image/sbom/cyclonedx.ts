import type { Component, Subject } from "./components.ts";

/** The parts of `npm sbom --sbom-format=cyclonedx` that are used. */
export interface NpmCyclonedx {
  readonly $schema: string;
  readonly specVersion: string;
  readonly metadata: { readonly tools: object };
  readonly components: readonly { readonly "bom-ref": string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

/**
 * Returns the CycloneDX document of an image: what npm says about the packages that are in it, and the rest. The same
 * image gives the same document.
 */
export function toCyclonedx(subject: Subject, npm: NpmCyclonedx): object {
  const { components, digest, architecture, version, at } = subject;
  const ids = new Set(components.map(({ id }) => id));
  const image = `capstan-${architecture}`;
  return {
    $schema: npm.$schema,
    bomFormat: "CycloneDX",
    specVersion: npm.specVersion,
    serialNumber: `urn:uuid:${uuidOf(digest)}`,
    version: 1,
    metadata: {
      timestamp: at.toISOString(),
      tools: npm.metadata.tools,
      component: {
        "bom-ref": image,
        type: "container",
        name: "capstan",
        version,
        purl: `pkg:oci/capstan@${encodeURIComponent(digest)}?arch=${architecture}`,
      },
    },
    components: components.map((component) => {
      const known = npm.components.find((each) => each["bom-ref"] === component.id);
      return {
        ...(component.origin === "npm" ? known : ownEntry(component)),
        components: filesOf(component),
      };
    }),
    dependencies: [
      { ref: image, dependsOn: [...ids] },
      ...npm.dependencies
        .filter(({ ref }) => ids.has(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((each) => ids.has(each)) })),
    ],
  };
}

function ownEntry({ id, origin, name, version, purl }: Component): object {
  const cpe = origin === "node" ? { cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` } : {};
  const type = origin === "debian" ? "library" : "application";
  return { "bom-ref": id, type, name, version, purl, ...cpe };
}

function filesOf({ files }: Component): readonly object[] {
  return files.map(({ path, sha1, sha256 }) => ({
    "bom-ref": `file:${path}`,
    type: "file",
    name: path,
    hashes: [
      { alg: "SHA-1", content: sha1 },
      { alg: "SHA-256", content: sha256 },
    ],
  }));
}

/** A UUID of version 8, whose bits are free, from `sha256:…`. */
function uuidOf(digest: string): string {
  const hex = digest.replace("sha256:", "");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join("-");
}
