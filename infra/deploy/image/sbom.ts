import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Manifest, run } from "./buildah.ts";
import { type ForeignFile, RELEASE } from "./debian.ts";
import type { Source } from "./stage.ts";

interface Contents {
  readonly source: Source;
  /** Files of others, of this architecture. */
  readonly files: readonly ForeignFile[];
  readonly npm: NpmPackages;
}

/** The packages of npm, the same for every platform. */
interface NpmPackages {
  /** Those that are in the app, by npm's id of them: `<name>@<version>`. npm's package of Node.js is not one of them. */
  readonly ids: ReadonlySet<string>;
  /** The documents of npm, of these and others. */
  readonly cyclonedx: Cyclonedx;
  readonly spdx: Spdx;
}

/** Packages that are in an image. */
interface Parts {
  readonly npm: NpmPackages;
  /** Packages of Debian, and Node.js. */
  readonly system: readonly Part[];
}

interface Part {
  readonly name: string;
  readonly version: string;
  /** Package URL. */
  readonly purl: string;
}

/**
 * Writes `capstan-<architecture>.cdx.json` and `.spdx.json` to `out`: what npm says of its packages that are in the image,
 * and Debian's and Node.js beside them. The same image gives the same documents.
 */
export async function writeSboms(contents: Contents, manifest: Manifest, out: string): Promise<void> {
  const { source, files, npm } = contents;
  const parts = { npm, system: files.map(partOf) };
  const documents = {
    cdx: cyclonedxOf(parts, source, manifest),
    spdx: spdxOf(parts, source, manifest),
  };
  for (const [format, document] of Object.entries(documents)) {
    const file = join(out, `capstan-${manifest.architecture}.${format}.json`);
    await writeFile(file, `${JSON.stringify(document, undefined, 2)}\n`);
  }
}

/**
 * Asks npm about the packages of the checkout `root`. `app` is the folder with what `npm run build` makes: `node_modules`
 * in it names the packages whose code is in the app.
 */
export async function readNpmPackages(root: string, app: string): Promise<NpmPackages> {
  // With --omit=dev it would leave out packages that tools need as well, and the page is made of those.
  const sbom = async (format: string) =>
    JSON.parse(await run("npm", ["sbom", `--sbom-format=${format}`], root));
  return { ids: await npmIds(app), cyclonedx: await sbom("cyclonedx"), spdx: await sbom("spdx") };
}

async function npmIds(app: string): Promise<ReadonlySet<string>> {
  const modules = join(app, "node_modules");
  const records = (await readdir(modules, { recursive: true })).filter((path) =>
    path.endsWith("/package.json"),
  );
  const texts = await Promise.all(records.map((file) => readFile(join(modules, file), "utf8")));
  return new Set(
    texts.map((text) => {
      const { name, version } = JSON.parse(text) as Part;
      return `${name}@${version}`;
    }),
  );
}

function partOf({ origin, name, version, architecture }: ForeignFile): Part {
  if (origin === "npm") return { name: "node", version, purl: `pkg:generic/node@${version}` };
  const place = `${encodeURIComponent(name)}@${encodeURIComponent(version)}`;
  return { name, version, purl: `pkg:deb/debian/${place}?arch=${architecture}&distro=${RELEASE}` };
}

function purlOf({ digest, architecture }: Manifest): string {
  return `pkg:oci/capstan@${encodeURIComponent(digest)}?arch=${architecture}`;
}

/** The parts of `npm sbom --sbom-format=cyclonedx` that are changed. */
interface Cyclonedx {
  readonly metadata: object;
  readonly components: readonly { readonly "bom-ref": string }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

function cyclonedxOf(
  { npm: { ids, cyclonedx: npm }, ...parts }: Parts,
  { version, at }: Source,
  image: Manifest,
) {
  const ref = `capstan-${image.architecture}`;
  const component = { "bom-ref": ref, type: "container", name: "capstan", version, purl: purlOf(image) };
  const system = parts.system.map((part) => ({ "bom-ref": part.purl, type: "library", ...part }));
  const components = [...npm.components.filter((each) => ids.has(each["bom-ref"])), ...system];
  return {
    ...npm,
    // npm draws one by chance.
    serialNumber: undefined,
    metadata: { ...npm.metadata, timestamp: at.toISOString(), component },
    components,
    dependencies: [
      { ref, dependsOn: components.map((each) => each["bom-ref"]) },
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
  readonly relationships: readonly Relationship[];
}

interface Relationship {
  readonly spdxElementId: string;
  readonly relationshipType: string;
  readonly relatedSpdxElement: string;
}

const IMAGE = "SPDXRef-Image";

function spdxOf({ npm: { ids, spdx: npm }, ...parts }: Parts, { version, at }: Source, image: Manifest) {
  const ofNpm = npm.packages.filter((each) => ids.has(`${each.name}@${each.versionInfo}`));
  const packages = [...ofNpm, ...parts.system.map((part) => packageOf(`SPDXRef-System-${part.name}`, part))];
  const known = new Set(ofNpm.map(({ SPDXID }) => SPDXID));
  return {
    ...npm,
    name: `capstan-${version}-${image.architecture}`,
    documentNamespace: `https://capstan.dev/spdx/${image.digest.replace(":", "-")}`,
    documentDescribes: [IMAGE],
    creationInfo: { ...npm.creationInfo, created: at.toISOString().replace(/\.\d+Z$/, "Z") },
    packages: [packageOf(IMAGE, { name: "capstan", version, purl: purlOf(image) }), ...packages],
    relationships: [
      related("SPDXRef-DOCUMENT", "DESCRIBES", IMAGE),
      ...packages.map(({ SPDXID }) => related(IMAGE, "CONTAINS", SPDXID)),
      ...npm.relationships.filter(
        (each) => known.has(each.spdxElementId) && known.has(each.relatedSpdxElement),
      ),
    ],
  };
}

function related(from: string, relationshipType: string, to: string): Relationship {
  return { spdxElementId: from, relationshipType, relatedSpdxElement: to };
}

function packageOf(id: string, { name, version, purl }: Part) {
  return {
    name,
    SPDXID: id.replaceAll(/[^a-zA-Z0-9.-]/g, "-"),
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    externalRefs: [{ referenceCategory: "PACKAGE-MANAGER", referenceType: "purl", referenceLocator: purl }],
  };
}
