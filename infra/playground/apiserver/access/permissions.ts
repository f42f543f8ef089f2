import { forbidden, type StatusError } from "../errors/status-error.ts";
import type { Target } from "../request/request.ts";
import type { PermissionRule, User } from "../request/user.ts";

/** A wanted action of a user, in the words of an access review. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** The resource with its subresource: `pods/eviction`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

export function isAllowed({ allow }: User, access: Access): boolean {
  return allow === undefined || allow.some((rule) => covers(rule, access));
}

function covers(rule: PermissionRule, { verb, group, resource, namespace, name }: Access): boolean {
  const { verbs, groups = [""], resources, namespaces, names } = rule;
  return (
    includes(verbs, verb) &&
    includes(groups, group) &&
    includes(resources, resource) &&
    (namespaces === undefined || (namespace !== undefined && includes(namespaces, namespace))) &&
    (names === undefined || (name !== undefined && includes(names, name)))
  );
}

function includes(list: readonly string[], value: string): boolean {
  return list.includes(value) || list.includes("*");
}

/** Throws StatusError 403 when the user may not do this to the target. Every user may ask about itself. */
export function checkPermission(user: User, verb: string, target: Target): void {
  if (target.type.review?.startsWith("self")) return;
  const access = toAccess(verb, target);
  if (!isAllowed(user, access)) throw denied(user, access, target);
}

function toAccess(verb: string, { type, subresource, namespace, name }: Target): Access {
  const resource = subresource === undefined ? type.plural : `${type.plural}/${subresource}`;
  return { verb, group: type.group, resource, namespace, name };
}

function denied(user: User, access: Access, { type, name = "" }: Target): StatusError {
  const { verb, group, resource, namespace } = access;
  const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
  const text = `User "${user.name}" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  return forbidden(type.group, type.plural, name, text);
}
