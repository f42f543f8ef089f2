import type { Command } from "commander";
import { toV1beta2 } from "../../shared/api/older/to-v1beta2.ts";
import { messageOf } from "../../shared/function/errors.ts";
import { printError, printSource } from "../platform/terminal/print.ts";
import { writeYaml } from "../platform/yaml/write-yaml.ts";
import { type Manifest, readManifests } from "./up/apply-manifests.ts";

export function convertCommand(command: Command): Command {
  return command
    .argument("<file>", "YAML or JSON with any number of objects")
    .addHelpText(
      "after",
      "\nObjects of other kinds are printed as they are. Comments are lost, and references lose their versions, which the labels of CustomResourceDefinitions say. Renamed fields are named on standard error.\n\nExample:\n  capstan convert cluster.yaml > cluster-v1beta2.yaml",
    )
    .action(async (file: string) => {
      const converted = (await readManifests(file)).map(convert);
      for (const text of converted.flatMap(({ renamed }) => renamed)) printError(text);
      printSource(converted.map(({ object }) => writeYaml(object)).join("---\n"));
    });
}

function convert({ object, place }: Manifest): ReturnType<typeof toV1beta2> {
  try {
    return toV1beta2(object);
  } catch (error) {
    throw new Error(`${place}: ${messageOf(error)}`, { cause: error });
  }
}
