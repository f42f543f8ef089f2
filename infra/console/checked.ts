import type * as z from "zod";
import { problem } from "./problem.ts";

const MAX_CHARS = 200;

/** Returns a value that the schema accepts. Throws the Problem that names its first wrong field. */
export function checked(schema: z.ZodType | undefined, value: unknown, where: "query" | "body"): unknown {
  if (schema === undefined) {
    const names = Object.keys(Object(value));
    if (names.length === 0) return undefined;
    throw invalid(names[0] ?? "", `this path takes no ${where}`);
  }
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") ?? "";
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys[0] : undefined;
  throw invalid(unknown ?? field, issue?.message ?? "it is malformed");
}

function invalid(field: string, message: string) {
  const name = field.slice(0, MAX_CHARS);
  const text = name === "" ? message : `${name}: ${message}`;
  return problem("invalidField", text.slice(0, 2 * MAX_CHARS), "openapi.json describes each field", {
    ...(name === "" ? {} : { field: name }),
  });
}

/** Parameters of a query. One that comes twice is refused. */
export function queryOf(text: string): object {
  const given = new URLSearchParams(text);
  const twice = [...given.keys()].find((name) => given.getAll(name).length > 1);
  if (twice !== undefined) throw invalid(twice, "it is given more than once");
  return Object.fromEntries(given);
}
