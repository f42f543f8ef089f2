import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Manifest } from "./buildah.ts";
import { RELEASE } from "./debian.ts";
import type { ForeignFile } from "./lock.ts";
import { run } from "./run.ts";
import type { Source } from "./source.ts";

interface Contents {
  readonly source: Source;
  /** Files of others, of this architecture. */
  readonly files: readonly ForeignFile[];
  /** Folder with what `npm run build` makes: `node_modules` in it names the packages whose code is in the app. */
  readonly app: string;
}

/** A package of npm, Debian or the Node.js project that is in the image. */
interface Part {
  /** `<name>@<version>`, npm's own id of its packages. */
  readonly id: string;
  readonly name: string;
  readonly version: string;
  /** Package URL; absent: npm knows it. */
  readonly purl?: string;
}

/**
 * Writes `capstan-<architecture>.cdx.json` and `.spdx.json` to `out`: what npm says of its packages that are in the image,
 * and Debian's and Node.js beside them. The same image gives the same documents. Source: D-106
 */
export async function writeSboms(contents: Contents, manifest: Manifest, out: string): Promise<void> {
  const { source, files, app } = contents;
  const parts = [...(await npmParts(app)), ...files.map(partOf)];
  const documents = {
    cdx: await cyclonedxOf(parts, source, manifest),
    spdx: await spdxOf(parts, source, manifest),
  };
  for (const [format, document] of Object.entries(documents)) {
    const file = join(out, `capstan-${manifest.architecture}.${format}.json`);
    await writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`);
  }
}

async function npmParts(app: string): Promise<readonly Part[]> {
  const modules = join(app, "node_modules");
  const records = (await readdir(modules, { recursive: true })).filter((path) =>
    path.endsWith("/package.json"),
  );
  const texts = await Promise.all(records.sort().map((file) => readFile(join(modules, file), "utf8")));
  return texts.map((text) => {
    const { name, version } = JSON.parse(text) as Part;
    return { id: `${name}@${version}`, name, version };
  });
}

function partOf({ origin, name, version, architecture }: ForeignFile): Part {
  if (origin === "npm") {
    return { id: `node@${version}`, name: "node", version, purl: `pkg:generic/node@${version}` };
  }
  const place = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  const purl = `pkg:deb/debian/${place}?arch=${architecture}&distro=${RELEASE}`;
  return { id: `${name}@${version}`, name, version, purl };
}

/** The parts of `npm sbom --sbom-format=cyclonedx` that are changed. */
interface Cyclonedx {
  readonly metadata: object;
  readonly components: readonly { readonly "bom-ref": string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

async function cyclonedxOf(
  parts: readonly Part[],
  { root, version, at }: Source,
  image: Manifest,
): Promise<object> {
  // With --omit=dev it would leave out packages that tools need as well, and the page is made of those.
  const npm = JSON.parse(await run("npm", ["sbom", "--sbom-format=cyclonedx"], root)) as Cyclonedx;
  const ids = new Set(parts.map(({ id }) => id));
  const ref = `capstan-${image.architecture}`;
  const purl = `pkg:oci/capstan@${encodeURIComponent(image.digest)}?arch=${image.architecture}`;
  const component = { "bom-ref": ref, type: "container", name: "capstan", version, purl };
  const others = parts.flatMap(({ id, purl, ...named }) =>
    purl === undefined ? [] : [{ "bom-ref": id, type: "library", ...named, purl }],
  );
  return {
    ...npm,
    // npm draws one by chance.
    serialNumber: undefined,
    metadata: { ...npm.metadata, timestamp: at.toISOString(), component },
    components: [...npm.components.filter((each) => ids.has(each["bom-ref"])), ...others],
    dependencies: [
      { ref, dependsOn: [...ids] },
      ...npm.dependencies
        .filter((each) => ids.has(each.ref))
        .map((each) => ({ ...each, dependsOn: each.dependsOn.filter((id) => ids.has(id)) })),
    ],
  };
}

/** The parts of `npm sbom --sbom-format=spdx` that are changed. */
interface Spdx {
  readonly creationInfo: object;
  readonly packages: readonly {
    readonly name: string;
    readonly SPDXID: string;
    readonly versionInfo: string;
  }[];
  readonly relationships: readonly {
    readonly spdxElementId: string;
    readonly relatedSpdxElement: string;
  }[];
}

const IMAGE = "SPDXRef-Image";

async function spdxOf(
  parts: readonly Part[],
  { root, version, at }: Source,
  image: Manifest,
): Promise<object> {
  const npm = JSON.parse(await run("npm", ["sbom", "--sbom-format=spdx"], root)) as Spdx;
  const ids = new Set(parts.map(({ id }) => id));
  const ofNpm = npm.packages.filter((each) => ids.has(`${each.name}@${each.versionInfo}`));
  const others = parts.flatMap(({ id, name, version, purl }) =>
    purl === undefined
      ? []
      : [packageOf(`SPDXRef-Package-${id.replaceAll(/[^a-zA-Z0-9.-]/g, "-")}`, name, version, purl)],
  );
  const known = new Set(ofNpm.map(({ SPDXID }) => SPDXID));
  const purl = `pkg:oci/capstan@${encodeURIComponent(image.digest)}?arch=${image.architecture}`;
  return {
    ...npm,
    name: `capstan-${version}-${image.architecture}`,
    documentNamespace: `https://capstan.dev/spdx/${image.digest.replace(":", "-")}`,
    documentDescribes: [IMAGE],
    creationInfo: { ...npm.creationInfo, created: at.toISOString().replace(/\.\d+Z$/, "Z") },
    packages: [packageOf(IMAGE, "capstan", version, purl), ...ofNpm, ...others],
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: IMAGE },
      ...[...ofNpm, ...others].map(({ SPDXID }) => ({
        spdxElementId: IMAGE,
        relationshipType: "CONTAINS",
        relatedSpdxElement: SPDXID,
      })),
      ...npm.relationships.filter(
        (each) => known.has(each.spdxElementId) && known.has(each.relatedSpdxElement),
      ),
    ],
  };
}

function packageOf(id: string, name: string, version: string, purl: string) {
  return {
    name,
    SPDXID: id,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}
