import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { Command } from "commander";
import { messageOf } from "../shared/function/errors.ts";
import { print, printError } from "./cli/terminal/print.ts";
import { type ReleaseOptions, renderRelease } from "./deploy/release.ts";

async function writeRelease(options: ReleaseOptions): Promise<void> {
  for (const [path, content] of await renderRelease(options)) {
    const file = join(options.folder, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, content);
  }
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
    .configureOutput({ outputError: (text) => printError(text.replace(/^error: /, "")) })
    .action(async (folder: string, { version, image, digest }: Omit<ReleaseOptions, "folder">) => {
      const absolute = resolve(folder);
      await writeRelease({ folder: absolute, version, image, digest });
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
