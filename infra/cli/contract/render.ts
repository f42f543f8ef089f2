import { basename } from "node:path";
import type { Command } from "commander";
import type { Manifest } from "../../../shared/contract/rules/release/subject.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { readVariables } from "../../platform/config.ts";
import { escapedLines } from "../../platform/terminal/escape.ts";
import { printError, printJson, printSource } from "../../platform/terminal/print.ts";
import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import { readReleaseText } from "../../providers/clusterctl/release/read-release.ts";
import { ManifestError } from "../../providers/clusterctl/render/namespaces.ts";
import { renderClusterTemplate, renderComponents } from "../../providers/clusterctl/render/render.ts";
import { NO_VALUES, readValues, withEnvironment } from "../../providers/clusterctl/render/typed.ts";
import { TemplateError } from "../../providers/clusterctl/variables/substitute.ts";
import { outputOption } from "../options.ts";

interface RenderOptions {
  readonly provider: string;
  readonly targetNamespace?: string;
  readonly variables?: string;
  readonly output: "yaml" | "json";
}

export function renderCommand(command: Command): Command {
  return command
    .argument("<components>", "components YAML of a release, or one of its templates")
    .requiredOption("--provider <label>", "label of the provider, for example infrastructure-aws")
    .option(
      "-n, --target-namespace <namespace>",
      "namespace of the provider (default: that of its Namespace object)",
    )
    .option("--variables <file>", "values in the form of clusterctl.yaml; the environment comes before them")
    .addOption(outputOption("yaml", "json"))
    .action(async (components: string, options: RenderOptions) => {
      try {
        const objects = await render(components, options);
        if (options.output === "json") printJson({ apiVersion: "v1", kind: "List", items: objects });
        else printSource(objects.map(toYaml).join("---\n"));
      } catch (error) {
        // Wrong components are a wrong input here; `check` judges them.
        printError(messageOf(error));
        process.exitCode = 2;
      }
    });
}

/** A file that `clusterctl generate cluster` reads, by its name. */
function isTemplate(file: string): boolean {
  return /^(?:cluster-template|clusterclass-)[^/]*$/.test(basename(file));
}

function namespaceOf(targetNamespace = ""): string {
  if (targetNamespace !== "") return targetNamespace;
  throw new Error("a template has no namespace of its own; name one with --target-namespace");
}

/** Writes YAML: as JSON, which is YAML, where the terminal's escapes would change a text that stands without quotes. */
function toYaml(object: Manifest): string {
  const yaml = writeYaml(object);
  return escapedLines(yaml) === yaml ? yaml : `${JSON.stringify(object)}\n`;
}

async function render(components: string, { provider, targetNamespace, variables }: RenderOptions) {
  const text = await readReleaseText(components).catch((error: Error) => {
    throw new Error(`${components}: ${error.message}`, { cause: error });
  });
  const file = variables === undefined ? NO_VALUES : await readValues(variables);
  const values = withEnvironment(file, readVariables());
  try {
    if (isTemplate(components))
      return renderClusterTemplate(text, { targetNamespace: namespaceOf(targetNamespace), values });
    return renderComponents(text, { label: provider, targetNamespace: targetNamespace || undefined, values });
  } catch (error) {
    if (!(error instanceof TemplateError || error instanceof ManifestError)) throw error;
    const place = error.line === undefined ? components : `${components}:${error.line}`;
    throw new Error(`${place}: ${error.reason}`, { cause: error });
  }
}
