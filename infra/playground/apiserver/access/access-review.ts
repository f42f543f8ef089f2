import { invalid } from "../errors/status-error.ts";
import type { Review } from "../kinds/registry.ts";
import { isJsonObject, type JsonObject } from "../objects/json.ts";
import { objectAt, textAt } from "../objects/kube-object.ts";
import type { Answer, ApiRequest } from "../request/request.ts";
import type { User } from "../request/user.ts";
import { type Access, isAllowed } from "./permissions.ts";

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
