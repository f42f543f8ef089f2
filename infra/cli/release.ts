import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { Command } from "commander";
import { messageOf } from "../../shared/function/errors.ts";
import { readSource } from "../deploy/image/source.ts";
import { type ReleaseOptions, renderRelease } from "../deploy/release.ts";
import { writeFiles } from "../deploy/rendered.ts";
import { signRelease } from "../deploy/sign-release.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { print, printError } from "../platform/terminal/print.ts";
import { SIM_PROVIDERS } from "../playground/release/providers.ts";

const MAX_KEY_BYTES = 16 * 1024;

interface Flags extends Omit<ReleaseOptions, "folder" | "providers"> {
  /** File with the private key of the publisher. */
  readonly signKey?: string;
}

async function writeRelease(options: ReleaseOptions, signKey: string | undefined): Promise<void> {
  const files = await renderRelease(options);
  const signed = signKey === undefined ? [] : await signedBy(signKey, files, options);
  await writeFiles(options.folder, [...files, ...signed]);
}

async function signedBy(
  keyFile: string,
  files: ReadonlyMap<string, string>,
  options: ReleaseOptions,
): Promise<ReadonlyMap<string, string>> {
  const key = readSmallFile(keyFile, MAX_KEY_BYTES);
  const { revision } = await readSource(fileURLToPath(new URL("../..", import.meta.url)));
  const isClean = !revision.endsWith("-modified");
  if (!isClean)
    printError("the work tree has changes, so the provenance names no commit; sign from a clean clone");
  return signRelease(files, { ...options, key, commit: isClean ? revision : undefined });
}

function releaseCommand(): Command {
  return new Command("release")
    .description("Render the four providers of a release as a local repository of clusterctl")
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
    .configureOutput({ outputError: (text) => printError(text.replace(/^error: /, "")) })
    .action(async (folder: string, { version, image, digest, signKey }: Flags) => {
      const absolute = resolve(folder);
      await writeRelease({ folder: absolute, version, image, digest, providers: SIM_PROVIDERS }, signKey);
      print(
        `release: ${version} is in ${absolute}; clusterctl --config ${join(absolute, "clusterctl.yaml")} reads it`,
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
