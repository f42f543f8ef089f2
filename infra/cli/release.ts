import type { KeyObject } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { messageOf } from "../../shared/function/errors.ts";
import { chartArchives } from "../deploy/chart/archives.ts";
import { hasBuildah } from "../deploy/image/buildah.ts";
import { buildImage } from "../deploy/image/image.ts";
import { readSource } from "../deploy/image/stage.ts";
import { npmArchive } from "../deploy/npm-package.ts";
import { type ReleaseOptions, renderRelease } from "../deploy/release.ts";
import { writeFiles } from "../deploy/rendered.ts";
import { type Files, signingKey, signRelease } from "../deploy/sign-release.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { print, printError } from "../platform/terminal/print.ts";
import { SIM_PROVIDERS } from "../playground/release/providers.ts";

const MAX_KEY_BYTES = 16 * 1024;

interface Flags extends Omit<ReleaseOptions, "folder" | "providers"> {
  /** File with the private key of the publisher. */
  readonly signKey?: string;
  /** Whether the image and the npm package are made, which takes minutes. */
  readonly build: boolean;
}

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const EXAMPLE = join(ROOT, "infra/playground/sim/example.yaml");

async function writeRelease(folder: string, flags: Flags): Promise<void> {
  const { build, signKey, ...given } = flags;
  // Before the minutes of a build, which a wrong key would waste.
  const key = signKey === undefined ? undefined : signingKey(readSmallFile(signKey, MAX_KEY_BYTES));
  const built = build ? await buildRelease(folder, given) : { files: new Map(), digest: undefined };
  const options = { ...given, digest: given.digest ?? built.digest, folder, providers: SIM_PROVIDERS };
  const rendered = await renderRelease(options);
  const cluster = await readFile(EXAMPLE, "utf8");
  const charts = await chartArchives({ ...options, demo: { providers: SIM_PROVIDERS, cluster } });
  const files = new Map([...rendered, ...charts, ...built.files]);
  const signed = key === undefined ? [] : await signedBy(key, files, options);
  await writeFiles(folder, [...files, ...signed]);
}

/** Makes the npm package, and the image with its bills of materials unless its digest is given or buildah is missing. */
async function buildRelease(
  folder: string,
  { version, digest }: Pick<Flags, "digest" | "version">,
): Promise<{ readonly files: Files; readonly digest: string | undefined }> {
  const npm = await npmArchive(version);
  const files = new Map([[`npm/${npm.name}`, npm.content]]);
  if (digest !== undefined) return { files, digest };
  if (!hasBuildah()) {
    printError(
      "buildah is missing, so the release has no image; npm run setup installs it, or name one by --digest",
    );
    return { files, digest };
  }
  const out = join(folder, "image", version);
  const image = await buildImage({ out });
  for (const name of (await readdir(out)).filter((each) => each.endsWith(".json")))
    files.set(`image/${version}/${name}`, await readFile(join(out, name)));
  return { files, digest: image.digest };
}

async function signedBy(
  key: KeyObject,
  files: Files,
  options: ReleaseOptions,
): Promise<ReadonlyMap<string, string>> {
  const { revision } = await readSource(ROOT);
  const isClean = !revision.endsWith("-modified");
  if (!isClean)
    printError("the work tree has changes, so the provenance names no commit; sign from a clean clone");
  return signRelease(files, { ...options, key, commit: isClean ? revision : undefined });
}

function releaseCommand(): Command {
  return new Command("release")
    .description(
      "Make a release: image, Helm chart, npm package, manifests, and a local repository of clusterctl",
    )
    .argument("<folder>", "folder of the repository; releases of other versions in it stay")
    .requiredOption("--version <version>", "semantic version after a v, such as v0.1.0")
    .requiredOption(
      "--image <repository>",
      "image without tag, such as ghcr.io/example/capstan; the tag is the version",
    )
    .option(
      "--digest <digest>",
      "sha256:… of the image, as npm run image prints it; the manifests then name it beside the tag",
    )
    .option(
      "--sign-key <file>",
      "private key of the publisher (PEM, ECDSA P-256): adds signed/VERSION with sums, signature and provenance",
    )
    .option("--no-build", "leave out the image and the npm package, which take minutes")
    .configureOutput({ outputError: (text) => printError(text.replace(/^error: /, "")) })
    .action(async (folder: string, flags: Flags) => {
      const absolute = resolve(folder);
      await writeRelease(absolute, flags);
      print(
        `release: ${flags.version} is in ${absolute}; clusterctl --config ${join(absolute, "clusterctl.yaml")} reads it`,
      );
    });
}

if (import.meta.main) {
  try {
    await releaseCommand().parseAsync();
  } catch (error) {
    printError(messageOf(error));
    process.exitCode = 1;
  }
}
