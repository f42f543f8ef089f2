import type { Command, Option } from "commander";
import { messageOf } from "../../shared/function/errors.ts";
import { readSmallFile } from "../platform/read-small-file.ts";
import { FILE_BOUNDS, readYaml } from "../platform/yaml/read-yaml.ts";

const MAX_BYTES = 64 * 1024;
/** Options that the file cannot set: the URL of a queue may hold a password, and its file stands beside. */
const NO_KEYS = new Set(["config", "queue", "help"]);

/** Returns the options of a command that its file may set, by their keys. */
function keysOf(command: Command): ReadonlyMap<string, Option> {
  const options = command.options.filter((option) => !NO_KEYS.has(option.attributeName()));
  // `--no-workloads` is false of `--workloads`, whose description counts.
  const byKey = Map.groupBy(options, (option) => option.attributeName());
  return new Map([...byKey].flatMap(([key, [first]]) => (first === undefined ? [] : [[key, first]])));
}

type Json = { readonly [member: string]: unknown };

/** Returns the JSON schema of the file of `--config`, made from the options that the command declares. */
export function configSchema(command: Command): Json {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: `capstan ${command.name()} --config`,
    type: "object",
    properties: Object.fromEntries([...keysOf(command)].map(([key, option]) => [key, schemaOf(option)])),
    additionalProperties: false,
  };
}

function schemaOf(option: Option): Json {
  const { description, argChoices, defaultValue } = option;
  const value = { type: typeOf(option), ...(argChoices === undefined ? {} : { enum: argChoices }) };
  const shape = isList(option) ? { type: "array", items: value } : value;
  return { description, ...shape, ...(defaultValue === undefined ? {} : { default: defaultValue }) };
}

/** The placeholder of an option says it: `--kube-api-qps <number>`, `--install-crds`. */
function typeOf({ flags, required }: Option): "boolean" | "number" | "string" {
  if (!required) return "boolean";
  return flags.endsWith("<number>") ? "number" : "string";
}

function isList({ variadic, description }: Option): boolean {
  return variadic || description.includes("may be repeated");
}

/**
 * Sets the options of a command from a file, but for those that the command line has set. Each value is read as that of
 * the flag. Throws with file, key and what is allowed.
 */
export function applyConfig(command: Command, file: string): void {
  const keys = keysOf(command);
  for (const [key, value] of Object.entries(contentOf(file))) {
    const problem = (text: string) => new Error(`${file}: ${key}: ${text}`);
    const option = keys.get(key);
    if (option === undefined) {
      const next =
        key === "queue"
          ? "write queueFile, as a URL may hold a password"
          : `allowed are ${[...keys.keys()].join(", ")}`;
      throw problem(`it is not a key of capstan ${command.name()}; ${next}`);
    }
    const read = parsedValue(option, value, problem);
    const isFlag = [key, key === "queueFile" ? "queue" : key].some(
      (name) => command.getOptionValueSource(name) === "cli",
    );
    if (!isFlag) command.setOptionValueWithSource(key, read, "config");
  }
}

function contentOf(file: string): Json {
  const [document, more] = documentsIn(file);
  const { value = {}, duplicates: [twice] = [] } = document ?? {};
  if (twice !== undefined)
    throw new Error(`${file}: ${twice.key}: it is there twice, again on line ${twice.line}; remove one`);
  if (more !== undefined || typeof value !== "object" || value === null || Array.isArray(value))
    throw new Error(`${file}: it is not one map of options; write one line such as logLevel: info for each`);
  return value as Json;
}

function documentsIn(file: string) {
  try {
    return readYaml(readSmallFile(file, MAX_BYTES), FILE_BOUNDS);
  } catch (error) {
    const message = messageOf(error);
    throw new Error(message.startsWith(file) ? message : `${file}: ${message}`);
  }
}

function parsedValue(option: Option, value: unknown, problem: (text: string) => Error): unknown {
  const type = typeOf(option);
  const list = isList(option);
  const values: readonly unknown[] = list && Array.isArray(value) ? value : [value];
  if ((list && !Array.isArray(value)) || values.some((each) => typeof each !== type)) {
    const wanted = list ? `a list of ${type}s` : `a ${type}`;
    throw problem(`${JSON.stringify(value)} is not ${wanted}${choicesText(option)}`);
  }
  const { parseArg } = option;
  if (parseArg === undefined) return value;
  try {
    return values.reduce((before, each) => parseArg(String(each), before), undefined);
  } catch (error) {
    throw problem(messageOf(error));
  }
}

function choicesText({ argChoices }: Option): string {
  return argChoices === undefined ? "" : `; allowed are ${argChoices.join(", ")}`;
}
