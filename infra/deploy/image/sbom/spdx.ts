import { createHash } from "node:crypto";
import type { Component, Subject } from "./components.ts";

interface NpmPackage {
  readonly SPDXID: string;
  readonly name: string;
  readonly versionInfo: string;
  readonly [more: string]: unknown;
}

interface Relationship {
  readonly spdxElementId: string;
  readonly relationshipType: string;
  readonly relatedSpdxElement: string;
}

/** The parts of `npm sbom --sbom-format=spdx` that are used. */
export interface NpmSpdx {
  readonly creationInfo: { readonly creators: readonly string[] };
  readonly packages: readonly NpmPackage[];
  readonly relationships: readonly Relationship[];
}

const IMAGE = "SPDXRef-Image";

/**
 * Returns the SPDX 2.3 document of an image: what npm says about the packages that are in it, and the rest. The same
 * image gives the same document.
 */
export function toSpdx(subject: Subject, npm: NpmSpdx): object {
  const { components, digest, architecture, version, at } = subject;
  const packages = components.map((component) => packageEntry(component, npm));
  const kept = new Set(packages.map(({ SPDXID }) => SPDXID));
  const files = components.flatMap((component) => component.files);
  const fileID = new Map(files.map(({ path }, at) => [path, `SPDXRef-File-${at + 1}`]));
  const contains = components.flatMap((component, at) =>
    component.files.map(({ path }) => related(packages[at]?.SPDXID, "CONTAINS", fileID.get(path))),
  );
  return {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `capstan-${version}-${architecture}`,
    documentNamespace: `https://capstan.dev/spdx/${digest.replace(":", "-")}`,
    creationInfo: { created: at.toISOString().replace(/\.\d+Z$/, "Z"), creators: npm.creationInfo.creators },
    packages: [
      {
        SPDXID: IMAGE,
        name: "capstan",
        versionInfo: version,
        primaryPackagePurpose: "CONTAINER",
        downloadLocation: "NOASSERTION",
        filesAnalyzed: false,
        checksums: [{ algorithm: "SHA256", checksumValue: digest.replace("sha256:", "") }],
      },
      ...packages,
    ],
    files: files.map(({ path, sha1, sha256 }) => ({
      SPDXID: fileID.get(path),
      fileName: `.${path}`,
      checksums: [
        { algorithm: "SHA1", checksumValue: sha1 },
        { algorithm: "SHA256", checksumValue: sha256 },
      ],
      licenseConcluded: "NOASSERTION",
      copyrightText: "NOASSERTION",
    })),
    relationships: [
      related("SPDXRef-DOCUMENT", "DESCRIBES", IMAGE),
      ...packages.map(({ SPDXID }) => related(IMAGE, "CONTAINS", SPDXID)),
      ...contains,
      ...npm.relationships.filter(
        ({ spdxElementId, relatedSpdxElement }) => kept.has(spdxElementId) && kept.has(relatedSpdxElement),
      ),
    ],
  };
}

function packageEntry(component: Component, npm: NpmSpdx): NpmPackage {
  const { id, name, version, purl, files } = component;
  const known = npm.packages.find((each) => `${each.name}@${each.versionInfo}` === id);
  return {
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
    ...(component.origin === "npm" ? known : undefined),
    SPDXID: known?.SPDXID ?? `SPDXRef-Package-${id.replaceAll(/[^a-zA-Z0-9.-]/g, "-")}`,
    filesAnalyzed: true,
    packageVerificationCode: {
      packageVerificationCodeValue: verificationCode(files.map(({ sha1 }) => sha1)),
    },
  };
}

/** SPDX 2.3, 7.9: SHA-1 over the sorted SHA-1s. */
function verificationCode(sums: readonly string[]): string {
  return createHash("sha1")
    .update([...sums].sort((a, b) => (a < b ? -1 : 1)).join(""))
    .digest("hex");
}

function related(from: string | undefined, type: string, to: string | undefined): Relationship {
  return { spdxElementId: from ?? "", relationshipType: type, relatedSpdxElement: to ?? "" };
}
