import { badRequest, notFound, StatusError } from "../errors/status-error.ts";
import { qualifiedPlural, type Registry, type ResourceType, servedVersion } from "../kinds/registry.ts";
import { memberOf } from "../objects/json.ts";
import type { Target, Verb } from "./request.ts";

const VERBS: Readonly<Record<string, readonly [onCollection: Verb | undefined, onObject: Verb | undefined]>> =
  {
    GET: ["list", "get"],
    HEAD: ["list", "get"],
    POST: ["create", undefined],
    PUT: [undefined, "update"],
    PATCH: [undefined, "patch"],
    DELETE: ["deletecollection", "delete"],
  };

/**
 * The resource behind `/api/v1/…` or `/apis/<group>/<version>/…`; undefined when the path names none. Throws
 * StatusError 404 for an unknown resource in a group of compiled-in kinds, and for an unknown subresource.
 */
export function routeResource(registry: Registry, segments: readonly string[]): Target | undefined {
  const parts = splitPath(segments);
  if (!parts) return undefined;
  const { group, version, namespace, rest } = parts;
  const [plural = "", name, subresource, ...tooMany] = rest;
  const type = registry.find(group, plural);
  const served = type && servedVersion(type, version);
  if (!type || !served || tooMany.length > 0 || !isScoped(type, namespace, name)) {
    if (isCompiledIn(registry, group)) throw unknownResource();
    return undefined;
  }
  if (subresource !== undefined && !hasSubresource(served, subresource)) {
    throw type.custom ? notFound(group, plural, name ?? "") : unknownResource();
  }
  return { type, served, namespace, name: name || undefined, subresource };
}

/** Namespaced objects have a namespace, only their collection may be that of all namespaces. */
function isScoped(
  { namespaced }: ResourceType,
  namespace: string | undefined,
  name: string | undefined,
): boolean {
  return namespaced ? namespace !== undefined || name === undefined : namespace === undefined;
}

function isCompiledIn({ types }: Registry, group: string): boolean {
  for (const type of types) if (type.group === group && !type.custom) return true;
  return false;
}

interface PathParts {
  readonly group: string;
  readonly version: string;
  readonly namespace: string | undefined;
  /** Plural, name, subresource. */
  readonly rest: readonly string[];
}

function splitPath([root, ...segments]: readonly string[]): PathParts | undefined {
  if (root !== "api" && root !== "apis") return undefined;
  const [group = "", version = "", ...rest] = root === "api" ? ["", ...segments] : segments;
  const inNamespace = rest[0] === "namespaces" && rest.length > 2 && !isNamespaceSubresource(rest);
  return {
    group,
    version,
    namespace: inNamespace ? rest[1] : undefined,
    rest: inNamespace ? rest.slice(2) : rest,
  };
}

/**
 * Returns the verb of a method on a resource; undefined for custom resources of all namespaces, which cannot be created
 * or deleted at once. Throws StatusError 405 when there is none.
 */
export function routeVerb(method: string, target: Target, query: URLSearchParams): Verb | undefined {
  const [onCollection, onObject] = VERBS[method] ?? [];
  let verb = target.name === undefined ? onCollection : onObject;
  if (verb === "list" && isTrue(query.get("watch"))) verb = "watch";
  if (method === "POST" && (createsSubresource(target) || isCustomObject(target))) verb = "create";
  if (target.type.custom && target.name === undefined && (method === "PUT" || method === "PATCH")) {
    throw badRequest("name must be provided");
  }
  if (!verb || !allows(target, verb)) throw unsupported(target, method);
  if (target.namespace !== undefined || !isInNamespace(target, verb)) return verb;
  if (target.type.custom) return undefined;
  throw unsupported(target, method);
}

function isInNamespace({ type }: Target, verb: Verb): boolean {
  return type.namespaced && (verb === "create" || verb === "deletecollection");
}

/** Kubernetes' reading of a boolean parameter: present and not `false` or `0`. */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== "0" && text.toLowerCase() !== "false";
}

function isNamespaceSubresource(rest: readonly string[]): boolean {
  return rest.length === 3 && (rest[2] === "status" || rest[2] === "finalize");
}

function hasSubresource(served: Target["served"], subresource: string): boolean {
  if (subresource === "status") return served.hasStatus;
  if (subresource === "scale") return served.scale !== undefined;
  return memberOf(served.subresources ?? {}, subresource) !== undefined;
}

function createsSubresource({ served, subresource }: Target): boolean {
  return subresource !== undefined && served.subresources?.[subresource]?.verbs.includes("create") === true;
}

/** Custom resources are also created at the path of an object, whatever its name. */
function isCustomObject({ type, subresource }: Target): boolean {
  return type.custom && subresource === undefined;
}

function allows(target: Target, verb: Verb): boolean {
  const { type, served, subresource } = target;
  if (subresource === undefined) return type.verbs?.includes(verb) ?? true;
  const listed = served.subresources?.[subresource]?.verbs;
  return listed ? listed.includes(verb) : verb === "get" || verb === "update" || verb === "patch";
}

function unsupported({ type }: Target, method: string): StatusError {
  if (!type.custom) {
    const message = "the server does not allow this method on the requested resource";
    return new StatusError(405, "MethodNotAllowed", message);
  }
  const action = method === "POST" ? "create" : method.toLowerCase();
  const message = `${action} is not supported on resources of kind "${qualifiedPlural(type)}"`;
  return new StatusError(405, "MethodNotAllowed", message, { group: type.group, kind: type.plural });
}

function unknownResource(): StatusError {
  return new StatusError(404, "NotFound", "the server could not find the requested resource");
}
