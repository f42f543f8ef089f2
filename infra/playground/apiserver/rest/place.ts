import { forbidden, notFound, StatusError } from "../errors/status-error.ts";
import type { KubeObject } from "../objects/kube-object.ts";
import type { ApiRequest, VirtualServer } from "../request/request.ts";

/**
 * Objects live in namespaces that exist and stay, and only of kinds that are served. Throws StatusError 403 or 404.
 */
export function checkPlace({ server, target }: ApiRequest): void {
  const { type, namespace, name } = target;
  if (!server.registry.get(type.id)) throw notFound(type.group, type.plural, name ?? "");
  if (!type.namespaced || namespace === undefined) return;
  const found = namespaceOf(server, namespace);
  if (!found) throw notFound("", "namespaces", namespace);
  if (found.metadata.deletionTimestamp === undefined) return;
  const text = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const refusal = forbidden(type.group, type.plural, name ?? "", text);
  const cause = {
    reason: "NamespaceTerminating",
    message: `namespace ${namespace} is being terminated`,
    field: "metadata.namespace",
  };
  throw new StatusError(refusal.code, refusal.reason, refusal.message, {
    ...refusal.details,
    causes: [cause],
  });
}

function namespaceOf(server: VirtualServer, name: string): KubeObject | undefined {
  return server.storage.collection("/namespaces").find(`/${name}`);
}
