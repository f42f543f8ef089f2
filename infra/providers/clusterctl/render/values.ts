import { readFile } from "node:fs/promises";
import { isObject, isText, type Members } from "../../../platform/kube/object-shape.ts";
import { FILE_BOUNDS, readYaml, YamlError } from "../../../platform/yaml/read-yaml.ts";
import type { Lookup } from "../variables/substitute.ts";
import type { ImageOverride, ImageOverrides } from "./images.ts";

/** Values of variables and image overrides, as a clusterctl configuration holds them. */
export interface Values {
  readonly lookup: Lookup;
  readonly overrides: ImageOverrides;
}

export const NO_VALUES: Values = { lookup: () => undefined, overrides: new Map() };

/** A variable has a value that is not a text. `message` names it, never the value. */
export class ValueError extends Error {}

/** UTF-16 units; an environment variable of Linux has at most 128 KiB. */
const MAX_VALUE = 128 * 1024;

/**
 * Reads a file in the form of a clusterctl configuration: a map from names to texts, numbers or booleans, and `images`.
 * Upper and lower case of a name are the same, as in clusterctl. Throws with file and line where it is not one; a value
 * of another type is an error only once it is looked up.
 */
export async function readValues(file: string): Promise<Values> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new Error(`cannot read ${file}: ${error.message}`);
  });
  const content = contentOf(text, file);
  const byName = new Map(Object.entries(content).map(([name, value]) => [name.toLowerCase(), value]));
  const lookup: Lookup = (name) => toText(byName.get(name.toLowerCase()), `${file}: ${name}`);
  return { lookup, overrides: overridesOf(byName.get("images"), file) };
}

/** Looks for values as clusterctl does: the environment, by the name in upper case, comes before the file. */
export function withEnvironment({ lookup, overrides }: Values, variables: NodeJS.ProcessEnv): Values {
  const inEnvironment: Lookup = (name) => {
    const key = name.toUpperCase();
    return Object.hasOwn(variables, key) ? toText(variables[key], `environment variable ${key}`) : undefined;
  };
  return { lookup: (name) => inEnvironment(name) ?? lookup(name), overrides };
}

function contentOf(text: string, file: string): Members {
  try {
    const [document, more] = readYaml(text, FILE_BOUNDS);
    const content = document?.value ?? {};
    if (isObject(content) && more === undefined) return content;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { line, bound } = error;
    // Its other words may quote a value.
    const problem = line === undefined ? bound : `line ${line} is not YAML`;
    throw new Error(`${file}: ${problem}; write NAME: value as in clusterctl.yaml`, { cause: error });
  }
  throw new Error(`${file}: not a map from names to values; write NAME: value as in clusterctl.yaml`);
}

function toText(value: unknown, where: string): string | undefined {
  if (value === undefined || value === null) return undefined;
  const text = typeof value === "number" || typeof value === "boolean" ? String(value) : value;
  if (typeof text !== "string") throw new ValueError(`${where} is not a text; put it in quotes`);
  if (text.length > MAX_VALUE)
    throw new ValueError(`${where} has more than ${MAX_VALUE} characters; shorten it`);
  return text;
}

function overridesOf(images: unknown, file: string): ImageOverrides {
  if (images === undefined || images === null) return new Map();
  if (!isObject(images)) throw new Error(`${file}: images is not a map; write all: {repository: …}`);
  return new Map(
    Object.entries(images).map(([key, value]) => [
      key.toLowerCase(),
      toOverride(value, `${file}: images.${key}`),
    ]),
  );
}

function toOverride(value: unknown, where: string): ImageOverride {
  if (!isObject(value)) throw new Error(`${where} is not a map; write repository, name or tag`);
  const { repository, name, tag } = value;
  const isOptionalText = (member: unknown): member is string | undefined =>
    member === undefined || isText(member);
  if (isOptionalText(repository) && isOptionalText(name) && isOptionalText(tag))
    return { repository, name, tag };
  throw new Error(`${where} has a member that is not a text; put it in quotes`);
}
