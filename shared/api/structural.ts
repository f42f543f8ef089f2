import * as z from "zod";

/** A node of a structural OpenAPI v3 schema as a CRD carries it. */
export interface Structural {
  type?: string;
  format?: string;
  properties?: { [name: string]: Structural };
  items?: Structural;
  required?: string[];
  minimum?: number;
  maximum?: number;
  [member: string]: unknown;
}

const INT32 = { format: "int32", minimum: -(2 ** 31), maximum: 2 ** 31 - 1 };
const INT64 = { format: "int64", minimum: Number.MIN_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER };

/**
 * Returns the structural schema of an object kind: the zod schema in the dialect of Kubernetes.
 *
 * `metadata` is only `type: object`, because the API server knows the rest. Integers carry their format
 * instead of its bounds, times only `date-time`; keywords that Kubernetes prunes or does not know
 * (`additionalProperties: false`, `readOnly`,
 * `anyOf` of int-or-string with bounds) is left out.
 */
export function toStructural(schema: z.ZodType, requiresMetadata = false): Structural {
  const converted = z.toJSONSchema(schema, {
    target: "openapi-3.0",
    io: "input",
    override: ({ zodSchema, jsonSchema }) => adapt(zodSchema, jsonSchema as Structural),
  });
  // Plain data: the conversion shares lists with the schemas and adds members of the library.
  const root: Structural = JSON.parse(JSON.stringify(converted));
  // The API server itself insists on apiVersion, kind and metadata.
  const { required = [], ...rest } = root;
  const itself = ["apiVersion", "kind", ...(requiresMetadata ? [] : ["metadata"])];
  const ours = required.filter((name) => !itself.includes(name));
  return {
    ...rest,
    properties: { ...root.properties, metadata: { type: "object" } },
    ...(ours.length === 0 ? {} : { required: ours }),
  };
}

function adapt(zodSchema: z.core.$ZodType, node: Structural): void {
  if (node["x-kubernetes-int-or-string"] === true) {
    delete node.type;
    node["anyOf"] = [{ type: "integer" }, { type: "string" }];
  }
  // Wrappers (optional, default) come by with the integer that is already adapted.
  if (node.type === "integer" && zodSchema._zod.def.type === "number") adaptInteger(zodSchema, node);
  if (node.format === "date-time") delete node["pattern"];
  if (typeof node["pattern"] === "string") node["pattern"] = node["pattern"].replaceAll("\\/", "/");
  if (node.properties !== undefined) delete node["additionalProperties"];
  delete node["readOnly"];
}

function adaptInteger(zodSchema: z.core.$ZodType, node: Structural): void {
  const { format, minimum, maximum } = Reflect.get(zodSchema._zod.def, "format") === "int32" ? INT32 : INT64;
  node.format = format;
  if (node.minimum === minimum) delete node.minimum;
  if (node.maximum === maximum) delete node.maximum;
}
