import { isUtf8 } from "node:buffer";
import { readdir, readFile, stat } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { textAt } from "../../../../shared/api/path.ts";
import { COMMON_VARIABLES } from "../../../../shared/contract/rules/release/common-variables.ts";
import { componentsFileName, providerOf } from "../../../../shared/contract/rules/release/provider-label.ts";
import { seriesOf } from "../../../../shared/contract/rules/release/series.ts";
import type {
  FileProblem,
  ManifestDocument,
  Release,
  ReleaseFile,
} from "../../../../shared/contract/rules/release/subject.ts";
import { parseVersion } from "../../../../shared/contract/rules/release/version.ts";
import { MAX_RELEASE_BYTES, ManifestError, readObjects } from "../render/namespaces.ts";
import { substitutedObjects } from "../render/render.ts";
import type { Values } from "../render/typed.ts";
import { type Lookup, readTemplate, type Template, TemplateError } from "../variables/substitute.ts";

/**
 * Reads a file of a release as text. Throws without its name where it is missing, not a file, larger than `maxBytes` or
 * not UTF-8 text.
 */
export async function readReleaseText(file: string, maxBytes = MAX_RELEASE_BYTES): Promise<string> {
  const found = await stat(file).catch((error: Error) => {
    throw new Error(`cannot read it: ${error.message}`, { cause: error });
  });
  // A pipe has no size, so it could never end.
  if (!found.isFile()) throw new Error("not a file; name a YAML file");
  if (found.size > maxBytes)
    throw new Error(`larger than the ${MAX_RELEASE_BYTES} bytes that a release may have`);
  const bytes = await readFile(file);
  if (!isUtf8(bytes) || bytes.includes(0)) throw new Error("not a text in UTF-8; name a YAML file");
  return bytes.toString("utf8");
}

/** Files of one release that clusterctl reads; real ones have up to 40. */
const MAX_FILES = 200;

/** The most variables of one file; real ones have up to 30. */
const MAX_VARIABLES = 1_000;

/** A file of a release that cannot be read at all. */
export class ReleaseReadError extends Error {
  readonly file: string;
  readonly line: number | undefined;
  constructor(
    message: string,
    { file, line, cause }: { file: string; line?: number | undefined; cause?: unknown },
  ) {
    super(message, { cause });
    this.name = "ReleaseReadError";
    this.file = file;
    this.line = line;
  }
}

/** Label and version of a release whose folder has other names, such as one with the files of a download. */
export interface ReleaseName {
  /** `infrastructure-foo` */
  readonly label: string;
  readonly version: string;
}

/**
 * Reads a release as clusterctl does from a local repository: `<provider-label>/<version>/`. A variable without value
 * and default takes its name for a value, in templates the common ones always do. Missing files and texts that do not
 * parse are left to the rules. Throws ReleaseReadError where a file cannot be read or goes over a bound.
 */
export async function readRelease(folder: string, values: Values, given?: ReleaseName): Promise<Release> {
  const path = resolve(folder);
  const own = given ?? { label: basename(dirname(path)), version: basename(path) };
  const names = await namesIn(folder);
  const read = createReader(folder, values);
  const wanted = [
    componentsFileName(own.label),
    ...names.filter((name) => /components.*\.ya?ml$/.test(name)),
  ];
  const metadata = names.includes("metadata.yaml") ? await read("metadata.yaml", "metadata") : undefined;
  const components = await readFirst(
    wanted.filter((name) => names.includes(name)),
    (name) => read(name, "components"),
  );
  const isNamed = providerOf(own.label) !== undefined || parseVersion(own.version) !== undefined;
  const said = given === undefined && !isNamed ? saidBy(components, metadata) : undefined;
  const { label, version } = said ?? own;
  return {
    ...{ folder, label, version, metadata, components },
    isFlat: said !== undefined,
    versions: given === undefined && said === undefined ? await versionsBeside(path) : [version],
    templates: await readAll(
      names.filter((name) => /^cluster-template(-.*)?\.yaml$/.test(name)),
      (name) => read(name, "template"),
    ),
    classes: await readAll(
      names.filter((name) => /^clusterclass-.*\.yaml$/.test(name)),
      (name) => read(name, "template"),
    ),
  };
}

/** The label that the components carry, and the first version of the newest series. */
function saidBy(
  components: ReleaseFile | undefined,
  metadata: ReleaseFile | undefined,
): ReleaseName | undefined {
  const label = (components?.documents ?? [])
    .map(({ value }) => textAt(value, "metadata.labels[cluster.x-k8s.io/provider]"))
    .find((text) => providerOf(text) !== undefined);
  const [newest] = seriesOf({ metadata }).toSorted((a, b) => b.major - a.major || b.minor - a.minor);
  if (label === undefined || newest === undefined) return undefined;
  return { label, version: `v${newest.major}.${newest.minor}.0` };
}

async function namesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: Error) => {
    throw new ReleaseReadError(`cannot read the folder: ${error.message}`, { file: folder, cause: error });
  });
  const names = entries
    .filter((entry) => !entry.isDirectory() && /\.ya?ml$/.test(entry.name))
    .map(({ name }) => name);
  if (names.length > MAX_FILES) {
    throw new ReleaseReadError(`more than ${MAX_FILES} YAML files; name the folder of one release`, {
      file: folder,
    });
  }
  return names.toSorted();
}

/** Returns the version alone where the folder above cannot be listed. */
async function versionsBeside(path: string): Promise<readonly string[]> {
  const entries = await readdir(dirname(path), { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  return folders.includes(basename(path)) ? folders.toSorted() : [basename(path)];
}

type Role = "metadata" | "components" | "template";
type Reader = (name: string, role: Role) => Promise<ReleaseFile>;

/** One after the other: their sizes add up to one bound. */
function createReader(folder: string, values: Values): Reader {
  let left = MAX_RELEASE_BYTES;
  return async (name, role) => {
    const file = join(folder, name);
    const text = await readReleaseText(file, left).catch((error: Error) => {
      throw new ReleaseReadError(error.message, { file, cause: error });
    });
    left -= Buffer.byteLength(text);
    return { name, file, text, ...contentOf(text, { file, role, values }) };
  };
}

async function readAll(
  names: readonly string[],
  read: (name: string) => Promise<ReleaseFile>,
): Promise<readonly ReleaseFile[]> {
  const files: ReleaseFile[] = [];
  for (const name of names) files.push(await read(name));
  return files;
}

async function readFirst(
  [name]: readonly string[],
  read: (name: string) => Promise<ReleaseFile>,
): Promise<ReleaseFile | undefined> {
  return name === undefined ? undefined : await read(name);
}

interface Source {
  readonly file: string;
  readonly role: Role;
  readonly values: Values;
}

type Content = Pick<ReleaseFile, "variables" | "problem" | "documents">;

function contentOf(text: string, { file, role, values }: Source): Content {
  // clusterctl substitutes nothing in metadata.
  if (role === "metadata") return withDocuments([], file, () => readObjects(text));
  const given: Lookup = (name) =>
    role === "template" && COMMON_VARIABLES.has(name) ? name : values.lookup(name);
  const template = templateOf(text);
  if (!("evaluate" in template)) return { variables: [], problem: template, documents: [] };
  if (template.variables.length > MAX_VARIABLES)
    throw new ReleaseReadError(`more than ${MAX_VARIABLES} variables; make it smaller`, { file });
  const variables = template.variables.map((variable) => ({
    ...variable,
    isGiven: values.lookup(variable.name) !== undefined,
  }));
  const named = new Set(
    variables.filter((variable) => variable.default === undefined).map(({ name }) => name),
  );
  const lookup: Lookup = (name) => given(name) ?? (named.has(name) ? name : undefined);
  return withDocuments(variables, file, () => substitutedObjects(template, lookup));
}

function templateOf(text: string): Template | FileProblem {
  try {
    return readTemplate(text);
  } catch (error) {
    if (error instanceof TemplateError)
      return { at: "substitution", message: error.reason, line: error.line };
    throw error;
  }
}

function withDocuments(
  variables: Content["variables"],
  file: string,
  read: () => readonly ManifestDocument[],
): Content {
  try {
    return { variables, problem: undefined, documents: read() };
  } catch (error) {
    if (error instanceof TemplateError) {
      return {
        variables,
        problem: { at: "substitution", message: error.reason, line: error.line },
        documents: [],
      };
    }
    if (!(error instanceof ManifestError)) throw error;
    const { reason, line, isTooLarge } = error;
    if (isTooLarge) throw new ReleaseReadError(reason, { file, line, cause: error });
    return { variables, problem: { at: "yaml", message: reason, line }, documents: [] };
  }
}
