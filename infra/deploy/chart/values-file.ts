import { writeYaml } from "../../platform/yaml/write-yaml.ts";
import type { JsonSchema } from "./values.ts";

/** Defaults that a release gives in place of those of the schema. */
export interface Given {
  readonly [name: string]: unknown;
}

/** Returns `values.yaml`: each default beneath its description. */
export function valuesFile(schema: JsonSchema, given: Given, indent = ""): string {
  return Object.entries(schema.properties ?? {})
    .map(([name, property]) => {
      const own = given[name];
      if (property.properties !== undefined)
        return `${indent}${name}:\n${valuesFile(property, (own ?? {}) as Given, `${indent}  `)}`;
      const value = writeYaml({ [name]: own ?? property.default });
      return `${indent}# ${property.description}\n${indent}${value}`;
    })
    .join(indent === "" ? "\n" : "");
}
