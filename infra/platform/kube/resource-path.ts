import type { Kind } from "../../../shared/api/kinds.ts";
import type { ListOptions } from "../../../shared/function/reads.ts";

/** Returns the URL path of a collection (no name) or an object. An empty namespace means all namespaces. */
export function pathOf(
  kind: Kind,
  key: { readonly namespace: string; readonly name?: string },
  subresource?: string,
): string {
  const root = kind.group === "" ? `/api/${kind.version}` : `/apis/${kind.group}/${kind.version}`;
  const namespace =
    kind.namespaced && key.namespace !== "" ? `/namespaces/${encodeURIComponent(key.namespace)}` : "";
  const name = key.name === undefined ? "" : `/${encodeURIComponent(key.name)}`;
  return `${root}${namespace}/${kind.plural}${name}${subresource === undefined ? "" : `/${subresource}`}`;
}

export function selectorsOf({ labelSelector, fieldSelector }: ListOptions): {
  readonly [name: string]: string;
} {
  return {
    ...(labelSelector === undefined ? {} : { labelSelector }),
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
  };
}

export function withQuery(path: string, query: { readonly [name: string]: string }): string {
  const text = new URLSearchParams(query).toString();
  return text === "" ? path : `${path}?${text}`;
}
