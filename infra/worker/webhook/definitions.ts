import { isDeepStrictEqual } from "node:util";
import { CHART_VERSION, CustomResourceDefinition, isOurs } from "../../../shared/api/core.ts";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { OLDER } from "../../../shared/api/older/table.ts";
import { valueAt } from "../../../shared/api/path.ts";
import type { ConversionClient } from "../../platform/crds/crd.ts";
import { loadCrds } from "../../platform/crds/load.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";

type Reader = Pick<ServerClient, "pages">;
type Writer = Pick<ServerClient, "get" | "apply">;

/** Names and labels of all CRDs of a server, which say the versions of references. */
export class Definitions {
  #named: ReadonlyMap<string, Pick<KubeObject, "metadata">> = new Map();

  readonly find = (name: string): Pick<KubeObject, "metadata"> | undefined => this.#named.get(name);

  /** Reads them again: a few requests, whatever is converted meanwhile. */
  async read(client: Reader): Promise<void> {
    const named = new Map<string, Pick<KubeObject, "metadata">>();
    for await (const page of client.pages(CustomResourceDefinition, { metadataOnly: true })) {
      if (page.first) named.clear();
      for (const { metadata } of page.items) {
        named.set(metadata.name, { metadata: { name: metadata.name, labels: metadata.labels } });
      }
    }
    this.#named = named;
  }
}

/**
 * Lets our CRDs serve their older versions, or without `converting` v1beta2 alone, and returns the names of those that it
 * has changed. One that is missing or is not Capstan's stays as it is, and one that is right is not written: each change
 * ends all watches of the kind.
 */
export async function serveOlderVersions(
  client: Writer,
  converting?: ConversionClient,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const wanted of await loadCrds(undefined, converting)) {
    const { group, names } = (wanted as CustomResourceDefinition).spec;
    const key = { namespace: "", name: wanted.metadata.name };
    if (!OLDER.has(`${group}/${names.kind}`)) continue;
    const found = await client.get(CustomResourceDefinition, key);
    if (found === undefined || !isCapstans(found) || isServed(found, wanted)) continue;
    await client.apply(CustomResourceDefinition, key, ownPartOf(wanted as CustomResourceDefinition));
    changed.push(key.name);
  }
  return changed;
}

/** Helm installs a definition of the chart and replaces it; its versions are the webhook's all the same. */
function isCapstans(crd: CustomResourceDefinition): boolean {
  return isOurs(crd) || crd.metadata.annotations?.[CHART_VERSION] !== undefined;
}

/** Returns what the webhook writes: labels and the rest stay with who has installed the definition, such as Helm. */
function ownPartOf(crd: CustomResourceDefinition): CustomResourceDefinition {
  const { versions, conversion } = crd.spec as { readonly versions?: unknown; readonly conversion?: unknown };
  const { apiVersion, kind, metadata } = crd;
  return { apiVersion, kind, metadata: { name: metadata.name }, spec: { versions, conversion } } as never;
}

/** The server fills in defaults below `clientConfig.service`, so parts are compared that it leaves as they are. */
function isServed(found: KubeObject, wanted: KubeObject): boolean {
  const facts = (crd: KubeObject) => {
    const versions = valueAt(crd, "spec.versions");
    const { url, caBundle, service } = Object(valueAt(crd, "spec.conversion.webhook.clientConfig"));
    return [
      (Array.isArray(versions) ? versions : []).map(({ name, served }: { name: string; served: boolean }) => [
        name,
        served,
      ]),
      [url, caBundle, service?.namespace, service?.name],
    ];
  };
  return isDeepStrictEqual(facts(found), facts(wanted));
}
