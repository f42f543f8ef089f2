import { textAt } from "../../../api/path.ts";
import { isClusterScoped } from "./cluster-scoped.ts";
import { mapAt, nameOf, objectsAt } from "./release-rule.ts";
import type { Manifest, ManifestDocument, ReleaseFile } from "./subject.ts";

/** The Namespace objects; a text within a string does not count. */
export function namespacesIn({ documents }: ReleaseFile): readonly ManifestDocument[] {
  return documents.filter(({ value }) => value["kind"] === "Namespace");
}

/** Returns the name of the first Namespace object, where clusterctl installs by default; empty without one. */
export function namespaceOf(file: ReleaseFile): string {
  const [first] = namespacesIn(file);
  return first === undefined ? "" : nameOf(first.value);
}

interface Named {
  readonly path: string;
  readonly found: string;
}

/** Places of an object that clusterctl puts into the target namespace, and that name another one or none. */
export function foreignNamespaces(value: Manifest, expected: string): readonly Named[] {
  return placesOf(value).filter(({ found }) => found !== expected);
}

function placesOf(value: Manifest): readonly Named[] {
  const kind = textAt(value, "kind");
  const own = isClusterScoped(kind)
    ? []
    : [{ path: "metadata.namespace", found: textAt(value, "metadata.namespace") || "absent" }];
  return [...own, ...referencesOf(kind, value)];
}

/** Namespaces in subjects of bindings and in services of webhooks. */
function referencesOf(kind: string, value: Manifest): readonly Named[] {
  switch (kind) {
    case "ClusterRoleBinding":
    case "RoleBinding":
      return objectsAt(value, "subjects").flatMap((subject, index) => {
        const found = textAt(subject, "namespace");
        return found === "" ? [] : [{ path: `subjects[${index}].namespace`, found }];
      });
    case "MutatingWebhookConfiguration":
    case "ValidatingWebhookConfiguration":
      return objectsAt(value, "webhooks").flatMap((webhook, index) =>
        serviceOf(webhook, `webhooks[${index}].clientConfig`, "clientConfig.service"),
      );
    case "CustomResourceDefinition":
      return serviceOf(
        value,
        "spec.conversion.webhook.clientConfig",
        "spec.conversion.webhook.clientConfig.service",
      );
    default:
      return [];
  }
}

function serviceOf(value: Manifest, shown: string, path: string): readonly Named[] {
  const service = mapAt(value, path);
  if (Object.keys(service).length === 0) return [];
  return [{ path: `${shown}.service.namespace`, found: textAt(service, "namespace") || "absent" }];
}
