import { copyFile, glob, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { buildInto } from "./build.ts";
import { run } from "./image/buildah.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const START = "infra/cli/capstan.js";

/**
 * Returns the archive of the npm package: what `npm run build` makes, with its licenses, and a command `capstan`. It
 * brings everything with it, so its installation asks no registry for more.
 */
export async function npmArchive(
  version: string,
): Promise<{ readonly name: string; readonly content: Buffer }> {
  const [stage, out] = [await newFolder(), await newFolder()];
  try {
    await buildInto(stage);
    await copyFile(join(ROOT, "LICENSE"), join(stage, "LICENSE"));
    await copyFile(join(ROOT, "infra/deploy/npm/README.md"), join(stage, "README.md"));
    await copyFile(join(ROOT, "infra/deploy/npm/capstan.js"), join(stage, START));
    await writeFile(
      join(stage, "package.json"),
      `${JSON.stringify(await packageOf(stage, version), undefined, 2)}\n`,
    );
    const name = (await run("npm", ["pack", "--silent", "--pack-destination", out], stage)).trim();
    return { name, content: await readFile(join(out, name)) };
  } finally {
    for (const folder of [stage, out]) await rm(folder, { recursive: true, force: true });
  }
}

function newFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), "capstan-npm-"));
}

/** Returns the package.json: it names as bundled what the build has bundled. */
async function packageOf(stage: string, version: string): Promise<object> {
  const { name, description, license, type } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  const bundled: [string, string][] = [];
  for await (const file of glob("node_modules/{*,@*/*}/package.json", { cwd: stage })) {
    const record = JSON.parse(await readFile(join(stage, file), "utf8"));
    bundled.push([record.name, record.version]);
  }
  return {
    name,
    version: version.slice(1),
    description,
    license,
    type,
    engines: { node: ">=24" },
    bin: { capstan: START },
    dependencies: Object.fromEntries(bundled),
    bundleDependencies: bundled.map(([each]) => each),
  };
}
