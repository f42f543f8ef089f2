import { forbidden, invalid, type StatusError } from "../errors/status-error.ts";
import type { Review } from "../kinds/registry.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { type KubeObject, type OwnerReference, objectAt, textAt } from "../objects/kube-object.ts";
import type { Answer, ApiRequest, PermissionRule, Target, User } from "../request/request.ts";

/** A wanted action of a user, in the words of an access review. */
interface Access {
  readonly verb: string;
  readonly group: string;
  /** The resource with its subresource: `pods/eviction`. */
  readonly resource: string;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
}

function isAllowed({ allow }: User, access: Access): boolean {
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

/** A user without any token of this server may do nothing. */
const NOTHING_ALLOWED: readonly never[] = [];

/** Answers `kubectl auth can-i` and `kubectl auth whoami`, and the same questions about another user. */
export function answerReview(request: ApiRequest, review: Review, object: JsonObject): Answer {
  return { form: "document", code: 201, body: { ...object, status: statusOf(request, review, object) } };
}

function statusOf({ server, user }: ApiRequest, review: Review, object: JsonObject): JsonObject {
  if (review === "selfSubject") {
    return { userInfo: { username: user.name, groups: ["system:authenticated"] } };
  }
  const spec = objectAt(object, "spec");
  if (review === "selfAccess") return { allowed: mayAccess(user, spec) };
  const name = textAt(spec, "user");
  return { allowed: mayAccess(server.users.named(name) ?? { name, allow: NOTHING_ALLOWED }, spec) };
}

/** Paths without resources are open to every client with a token. */
function mayAccess(user: User, spec: JsonObject): boolean {
  const { resourceAttributes, nonResourceAttributes } = spec;
  if (isJsonObject(resourceAttributes) !== isJsonObject(nonResourceAttributes)) {
    return (
      isJsonObject(nonResourceAttributes) ||
      isAllowed(user, accessAsked(objectAt(spec, "resourceAttributes")))
    );
  }
  const message =
    "Invalid value: null: exactly one of nonResourceAttributes or resourceAttributes must be specified";
  throw invalid("authorization.k8s.io", "", "", [
    { reason: "FieldValueInvalid", message, field: "spec.resourceAttributes" },
  ]);
}

function accessAsked(attributes: JsonObject): Access {
  const subresource = textAt(attributes, "subresource");
  const resource = textAt(attributes, "resource");
  return {
    verb: textAt(attributes, "verb"),
    group: textAt(attributes, "group"),
    resource: subresource === "" ? resource : `${resource}/${subresource}`,
    namespace: textAt(attributes, "namespace") || undefined,
    name: textAt(attributes, "name") || undefined,
  };
}

/**
 * A client that makes an object block the deletion of its owner must be allowed to update the owner's
 * `finalizers` subresource (S-06). Throws StatusError 403 otherwise.
 * Source: Kubernetes v1.34, plugin/pkg/admission/gc/gc_admission.go
 */
export function checkBlockedOwners(
  { server, user, target }: ApiRequest,
  live: KubeObject | undefined,
  next: KubeObject,
): void {
  if (user.allow === undefined) return;
  const former = blocked(live).map((reference) => reference.uid);
  for (const { apiVersion, kind, uid, name } of blocked(next)) {
    if (former.includes(uid)) continue;
    const group = apiVersion.includes("/") ? (apiVersion.split("/", 1)[0] ?? "") : "";
    const owner = server.registry.findKind(group, kind);
    const resource = `${owner?.plural ?? kind.toLowerCase()}/finalizers`;
    const namespace = owner?.namespaced === false ? undefined : target.namespace;
    if (isAllowed(user, { verb: "update", group, resource, namespace, name })) continue;
    const text =
      "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>";
    throw forbidden(target.type.group, target.type.plural, next.metadata.name, text);
  }
}

function blocked(object: KubeObject | undefined): readonly OwnerReference[] {
  return (object?.metadata.ownerReferences ?? []).filter(
    (reference) => reference.blockOwnerDeletion === true,
  );
}
