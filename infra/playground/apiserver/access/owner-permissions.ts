import { forbidden } from "../errors/status-error.ts";
import type { KubeObject, OwnerReference } from "../objects/kube-object.ts";
import type { ApiRequest } from "../request/request.ts";
import { isAllowed } from "./permissions.ts";

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
