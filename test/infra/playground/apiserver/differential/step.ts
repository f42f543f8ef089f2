import type { Json } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { APPLY, JSON_PATCH, MERGE, STRATEGIC } from "../api-client.ts";

/**
 * One request of a sequence. Texts may hold placeholders that each server fills in for itself: `{ns}` the namespace of
 * the sequence, `{uid:Kind/name}`, `{version:Kind/name}` and `{first:Kind/name}` what it last (first) said about an
 * object, `{continue}` the token of its last list.
 */
export interface Step {
  /** `EDIT` reads the object and puts it back changed by the body, a merge patch; `WATCH` reports what came until the end of the sequence. */
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "EDIT" | "WATCH";
  readonly path: string;
  /** Text is sent as it is. */
  readonly body?: unknown;
  readonly type?: string;
  readonly accept?: string;
}

export interface Sequence {
  readonly name: string;
  readonly steps: readonly Step[];
}

type Query = Readonly<Record<string, string | undefined>>;

/** A path with those parameters that have a value. */
export function withQuery(path: string, query: Query): string {
  const given = Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined);
  if (given.length === 0) return path;
  return `${path}?${given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&")}`;
}

const step = (method: Step["method"], path: string, body?: unknown, type?: string): Step => ({
  method,
  path,
  ...(body === undefined ? {} : { body }),
  ...(type === undefined ? {} : { type }),
});

export const get = (path: string, accept?: string): Step => ({
  method: "GET",
  path,
  ...(accept ? { accept } : {}),
});
export const post = (path: string, body: unknown, type?: string) => step("POST", path, body, type);
export const put = (path: string, body: unknown) => step("PUT", path, body);
export const merge = (path: string, body: unknown) => step("PATCH", path, body, MERGE);
export const json = (path: string, body: unknown) => step("PATCH", path, body, JSON_PATCH);
export const strategic = (path: string, body: unknown) => step("PATCH", path, body, STRATEGIC);
export const apply = (path: string, body: unknown) => step("PATCH", path, body, APPLY);
export const remove = (path: string, body?: unknown) => step("DELETE", path, body);
export const edit = (path: string, changes: Json) => step("EDIT", path, changes);
export const watch = (path: string, accept?: string): Step => ({ ...get(path, accept), method: "WATCH" });

const FORM = (kind: string) => `application/json;as=${kind};v=v1;g=meta.k8s.io,application/json`;
export const TABLE = FORM("Table");
export const PARTIAL = FORM("PartialObjectMetadata");
export const PARTIAL_LIST = FORM("PartialObjectMetadataList");

/** `PATCH /apis/… (merge-patch) {"spec":…}`: one line. */
export function stepText({ method, path, body, type = "", accept = "" }: Step): string {
  const form = /as=(\w+)/.exec(accept)?.[1] ?? "";
  const kind = /application\/([\w-]+)-patch/.exec(type)?.[1] ?? type;
  const content = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  return [method, decodeURIComponent(path), kind, form, content].filter((part) => part !== "").join(" ");
}
