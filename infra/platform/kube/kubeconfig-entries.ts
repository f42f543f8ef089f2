import * as z from "zod";
import { TerminalError } from "../../../shared/function/errors.ts";
import { readYaml, type YamlBounds, YamlError } from "../yaml/read-yaml.ts";

const MAX_BYTES = 256 * 1024;
/** A kubeconfig of 100 clusters has about 1,000 lines. No aliases: a few lines of them expand to gigabytes. */
const BOUNDS: YamlBounds = { maxBytes: MAX_BYTES, maxDocuments: 1, maxMarks: 10_000, maxAliases: 0 };
/** Longest name in a message, and longest message: names come from the file. */
const MAX_NAME = 100;
const MAX_MESSAGE = 512;
export const text = z.string().max(MAX_BYTES);
const named = z.array(z.looseObject({ name: text })).optional();

const fileSchema = z.looseObject({
  "current-context": text.optional(),
  contexts: named,
  clusters: named,
  users: named,
});
const contextSchema = z.looseObject({ cluster: text, user: text.optional() });
const entrySchema = z.looseObject({});

/** A cluster or a user of a kubeconfig. */
export type Entry = Record<string, unknown>;

export interface UsedEntries {
  readonly cluster: Entry;
  readonly user: Entry;
  readonly userName: string | undefined;
}

/** Returns whether a field has a value: kubectl writes empty fields. */
export function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== false && value !== "";
}

/**
 * Returns the cluster and the user that the current context names, and reads nothing else of the file. Throws
 * TerminalError `InvalidKubeconfig` that names the field, never a value that may be a credential.
 */
export function usedEntries(kubeconfig: string, origin = "kubeconfig"): UsedEntries {
  const file = checked(fileSchema, contentOf(kubeconfig, origin), origin);
  const contexts = file.contexts ?? [];
  const name = file["current-context"] ?? "";
  if (name === "" && contexts.length > 1) {
    throw invalid("field current-context is empty but there are several contexts; name the one to use");
  }
  const context = single(
    name === "" ? contexts : contexts.filter((entry) => entry.name === name),
    "contexts",
    name,
  );
  const used = checked(contextSchema, context["context"], `contexts entry ${context.name}`);
  const entry = (field: "cluster" | "user", name: string) => {
    const list = field === "cluster" ? file.clusters : file.users;
    const found = single(
      (list ?? []).filter((candidate) => candidate.name === name),
      `${field}s`,
      name,
    );
    return checked(entrySchema, found[field] ?? {}, `${field}s entry ${name}`);
  };
  return {
    cluster: entry("cluster", used.cluster),
    user: used.user === undefined || used.user === "" ? {} : entry("user", used.user),
    userName: used.user?.slice(0, MAX_NAME),
  };
}

function contentOf(kubeconfig: string, origin: string): unknown {
  try {
    const [document] = readYaml(kubeconfig, BOUNDS);
    const [twice] = document?.duplicates ?? [];
    if (twice !== undefined) {
      throw invalid(`line ${twice.line} of ${origin} gives field ${printable(twice.key)} again; keep one`);
    }
    return document?.value;
  } catch (error) {
    if (!(error instanceof YamlError)) throw error;
    const { bound, line } = error;
    // The parser's message quotes the text around the error, which may be a credential.
    const problem = bound === undefined ? "is not YAML" : `has ${bound}`;
    const where = line === undefined ? "" : ` (line ${line})`;
    throw invalid(
      `${origin} ${problem}${where}; write a kubeconfig with clusters, users, contexts and current-context`,
    );
  }
}

function single<T>(found: readonly T[], field: string, name: string): T {
  const [first] = found;
  if (first === undefined) {
    const what = name === "" ? "is empty" : `has no entry "${name.slice(0, MAX_NAME)}"`;
    throw invalid(`field ${field} ${what}; add it or correct the reference`);
  }
  if (found.length > 1)
    throw invalid(`field ${field} has ${found.length} entries "${name.slice(0, MAX_NAME)}"; keep one`);
  return first;
}

/** Returns the value when it has the shape. Throws TerminalError `InvalidKubeconfig`. */
export function checked<T extends z.ZodType>(schema: T, value: unknown, where: string): z.infer<T> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const unknown = issue?.code === "unrecognized_keys" ? issue.keys.map(printable).join(", ") : undefined;
  const field = unknown ?? (issue?.path.join(".") || where);
  throw invalid(
    unknown === undefined
      ? `field ${field} of ${where} is missing or has the wrong type; write a kubeconfig as kubectl reads it`
      : `field ${field} of ${where} is not supported; remove it`,
  );
}

export function serverUrl(server: string): URL {
  const url = URL.parse(server);
  if (url === null) throw invalid("field server is not a URL; write https://<host>:<port>");
  return url;
}

/** Returns the PEM text of a `-data` field. */
export function pem(data: string | undefined, field: string): string | undefined {
  if (data === undefined) return undefined;
  const decoded = Buffer.from(data, "base64").toString("latin1");
  if (!decoded.includes("-----BEGIN "))
    throw invalid(`field ${field} is not base64 of a PEM text; encode the PEM`);
  return decoded;
}

/** Returns a text field; undefined when it is empty or missing. */
export function textIn(entry: Entry, field: string): string | undefined {
  const value = entry[field];
  if (!isSet(value)) return undefined;
  if (typeof value !== "string") throw invalid(`field ${field} is not a text; put the value into quotes`);
  return value;
}

/** Returns a token that can stand in a header. */
export function bearer(token: string | undefined, field: string): string | undefined {
  if (token !== undefined && !/^[\x21-\x7e]*$/.test(token)) {
    throw invalid(`field ${field} has blanks or characters that a token cannot have; write the token alone`);
  }
  return token;
}

/** Shows only names that look like fields: any other may be a credential in the wrong place. */
function printable(field: string): string {
  return /^[a-zA-Z-]{1,40}$/.test(field) ? field : "with an unusual name";
}

export function invalid(message: string): TerminalError {
  return new TerminalError("InvalidKubeconfig", message.slice(0, MAX_MESSAGE));
}
