import { copyFile, glob, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "rolldown";
import { buildPage } from "../console/build-page.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));

const ENTRIES = [
  "infra/cli/main.ts",
  "infra/cli/lambda/entry.ts",
  "infra/operate/replay/replay-process.ts",
  "functions/*/*.ts",
  "infra/playground/functions/*/*.ts",
];

/** Files that are read at run time, beside the code that reads them. */
const DATA = ["package.json", "infra/**/*.{lua,yaml}", "node_modules/wasmoon/dist/glue.wasm"];

/**
 * Folders that become one file each, with what they import and no folder before them has: every function process loads
 * most of their files.
 */
const WHOLE = [
  "shared",
  "infra/queue/letters",
  "infra/platform/kube",
  "infra/queue",
  "infra/worker",
  "shared/contract/rules",
];

/** Parts of these folders that few processes load: rules on providers, the queue of one process, ioredis, metrics and traces. */
const APART = [
  "shared/contract/rules",
  "infra/queue/backends/embedded",
  "infra/queue/backends/redis/server/primary-connector.ts",
  "infra/worker/telemetry",
];

/**
 * Beginnings of the other files that the start of a function process loads: what composes its parts. One file in place of
 * 25.
 */
const START = [
  "infra/cli/compose",
  "infra/cli/listen-options",
  "infra/cli/management",
  "infra/cli/open-",
  "infra/cli/options",
  "infra/cli/start-",
  "infra/platform/terminal/table",
  "infra/cli/terminal/log",
  "infra/platform/terminal/paint",
  "infra/platform/terminal/print",
  "infra/cli/tie-queue",
  "infra/cli/up/up",
  "infra/cli/worker-clients",
  "infra/platform/config",
  "infra/relay/workload/clients",
  "infra/relay/workload/workload-access",
  "infra/platform/rest",
  "infra/platform/terminal/escape",
  "infra/worker/telemetry/log",
];

/** Texts that a license wants beside the code. */
const LICENSE = /^(?:licen[cs]e|notice|copying|copyright)/i;

/**
 * Builds JavaScript into `folder`: what images and npx start. The command line, the entry of Lambda and
 * every function are files of their own; what they share lies in chunks, with the libraries that they use, so that a
 * start reads 20 files instead of 400 (KC-04). The folder needs nothing beside it but Node.js. `node_modules` in it
 * names the packages whose code is in the chunks, with their licenses.
 */
export async function buildInto(folder: string): Promise<void> {
  const input: Record<string, string> = {};
  for await (const file of glob(ENTRIES, { cwd: ROOT })) input[file.replace(/\.ts$/, "")] = join(ROOT, file);
  await rm(folder, { recursive: true, force: true });
  const { output } = await build({
    input,
    cwd: ROOT,
    platform: "node",
    plugins: [bundledRequires, globalProcess, noSubprograms, anyPlace, ownPlace, builtins, ascii],
    output: {
      dir: folder,
      chunkFileNames: "chunks/shared/[name]-[hash].js",
      codeSplitting: {
        groups: [
          ...WHOLE.map((name) => ({
            name: name.replaceAll("/", "-"),
            test: (id: string) =>
              isWithin(name, id) && !APART.some((part) => part !== name && isWithin(part, id)),
          })),
          { name: "start", test: (id) => START.some((each) => placeOf(id).startsWith(each)) },
        ],
      },
    },
    checks: { ineffectiveDynamicImport: false },
    logLevel: "warn",
  });
  for await (const file of glob(DATA, { cwd: ROOT })) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await copyFile(join(ROOT, file), join(folder, file));
  }
  const page = await buildPage(join(folder, "infra/console/page/built"));
  const modules = output.flatMap((chunk) => (chunk.type === "chunk" ? Object.entries(chunk.modules) : []));
  const rendered = modules.flatMap(([file, { renderedLength }]) => (renderedLength > 0 ? [file] : []));
  await writePackageRecords([...rendered, ...page], ROOT, folder);
}

/**
 * Writes a record of each npm package that one of `modules` is from to `<folder>/node_modules/<package>`: name,
 * version and license in `package.json`, by which scanners find packages in images, and its license texts.
 */
async function writePackageRecords(modules: readonly string[], root: string, folder: string): Promise<void> {
  const packages = new Set(modules.flatMap((file) => packageOf(file) ?? []));
  await Promise.all([...packages].map((place) => writeRecord(join(root, place), join(folder, place))));
}

/** Returns the path of the innermost package of a file, from `node_modules/`; undefined for a file of none. */
function packageOf(file: string): string | undefined {
  return /\/(node_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+)\//.exec(file)?.[1];
}

async function writeRecord(from: string, to: string): Promise<void> {
  const { name, version, license } = JSON.parse(await readFile(join(from, "package.json"), "utf8"));
  await mkdir(to, { recursive: true });
  await writeFile(join(to, "package.json"), `${JSON.stringify({ name, version, license }, undefined, 2)}\n`);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isFile() && LICENSE.test(entry.name)) {
      await copyFile(join(from, entry.name), join(to, entry.name));
    }
  }
}

/** Stands for the way from a built file to the folder of the build. */
const FROM_ROOT = "capstan-root:/";

function isWithin(folder: string, file: string): boolean {
  return `${placeOf(file)}/`.startsWith(`${folder}/`);
}

/** Returns the path from the root of the checkout, with slashes. */
function placeOf(file: string): string {
  return relative(ROOT, file).split(sep).join("/");
}

/** Keeps relative paths of data files valid, however deep the built file lies. */
const ownPlace: Plugin = {
  name: "own-place",
  transform(code, id) {
    if (id.includes("node_modules") || !code.includes("import.meta.url")) return null;
    const place = JSON.stringify(`${FROM_ROOT}${placeOf(id)}`);
    return code.replaceAll("import.meta.url", `new URL(${place}, import.meta.url).href`);
  },
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      chunk.code = chunk.code.replaceAll(FROM_ROOT, "../".repeat(chunk.fileName.split("/").length - 1));
    }
  },
};

/**
 * Takes modules of Node.js without `import`, which reads every export of a module at once: that of `node:crypto` loads
 * WebCrypto, which no process uses. Chunks begin with their imports, each on a line.
 */
const builtins: Plugin = {
  name: "builtins",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      chunk.code = chunk.code.replace(
        /^import (?:([\w$]+), )?(?:\* as )?(\{[^}]*\}|[\w$]+) from "(node:[\w/]+)";$/gm,
        (_, whole: string | undefined, names: string, name: string) =>
          [whole ?? [], names.replaceAll(" as ", ": ")]
            .flat()
            .map((each) => `const ${each} = process.getBuiltinModule("${name}");`)
            .join(" "),
      );
    }
  },
};

/** Escapes all other characters: V8 keeps the text of a file, in two bytes for each character where one of them needs it. */
const ascii: Plugin = {
  name: "ascii",
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk") continue;
      const escaped = (one: string) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`;
      chunk.code = chunk.code.replaceAll(/[\u0080-\uffff]/g, escaped);
    }
  },
};

/** Leaves the global in place of an import, which reads everything in it and so loads 4 MiB that no process uses. */
const globalProcess: Plugin = {
  name: "global-process",
  transform: (code) => code.replace(/^import process from ["']node:process["'];$/m, ""),
};

/** Leaves out what commander runs commands in files of their own with: we have none, and it loads the network, too. */
const noSubprograms: Plugin = {
  name: "no-subprograms",
  transform: (code, id) =>
    id.includes("/node_modules/commander/")
      ? code.replace(/^import (\w+) from ["']node:child_process["'];$/m, "const $1 = undefined;")
      : null,
};

/** Gives wasmoon a place of its own, which chunks have not; it is given the path of its WebAssembly. */
const anyPlace: Plugin = {
  name: "any-place",
  transform: (code, id) =>
    id.includes("/node_modules/wasmoon/") ? code.replaceAll("__filename", '"/wasmoon.js"') : null,
};

/** Shows the bundler a package that is loaded late without waiting: it follows only the `require` that is not declared. */
const bundledRequires: Plugin = {
  name: "bundled-requires",
  transform(code, id) {
    if (id.includes("node_modules")) return null;
    return code.replace(/^const require = createRequire\(import\.meta\.url\);$/m, "");
  },
};

if (import.meta.main) await buildInto(join(ROOT, "dist"));
