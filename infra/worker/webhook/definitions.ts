import { isDeepStrictEqual } from "node:util";
import { BROUGHT_BY, CustomResourceDefinition, isOurs } from "../../../shared/api/core.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { OLDER } from "../../../shared/api/older/table.ts";
import type { PatchOperation } from "../../../shared/api/patch.ts";
import { listAt, textAt, valueAt } from "../../../shared/api/path.ts";
import { KINDS } from "../../../shared/api/registry.ts";
import { type ConversionClient, loadCrds } from "../../platform/crds/crd.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";

type Reader = Pick<ServerClient, "pages">;
type Writer = Pick<ServerClient, "get" | "apply" | "jsonPatch">;

/** The kinds of ours that have older versions. */
export const OLDER_KINDS: readonly Kind[] = KINDS.filter(({ group, kind }) => OLDER.has(`${group}/${kind}`));

/** Names and labels of all CRDs of a server, which say the versions of references. */
export class Definitions {
  #named: ReadonlyMap<string, Pick<KubeObject, "metadata">> = new Map();

  readonly find = (name: string): Pick<KubeObject, "metadata"> | undefined => this.#named.get(name);

  /** Returns a text that is another one once a CRD of a kind with older versions has changed. */
  stateOfOurs(): string {
    return OLDER_KINDS.map(({ plural, group }) => {
      return this.#named.get(`${plural}.${group}`)?.metadata.resourceVersion ?? "";
    }).join();
  }

  /** Reads them again: a few requests, whatever is converted meanwhile. */
  async read(client: Reader): Promise<void> {
    const named = new Map<string, Pick<KubeObject, "metadata">>();
    for await (const page of client.pages(CustomResourceDefinition, { metadataOnly: true })) {
      if (page.first) named.clear();
      for (const { metadata } of page.items) {
        const { name, labels, resourceVersion } = metadata;
        named.set(name, { metadata: { name, labels, resourceVersion } });
      }
    }
    this.#named = named;
  }
}

/**
 * Lets our CRDs serve their older versions, or without `converting` v1beta2 alone, and returns the names of those that it
 * has changed. One that is missing or is not Capstan's stays as it is, and one that is right is not written: each change
 * ends all watches of the kind. With `isAlone` it trusts no other authority any more.
 */
export async function serveOlderVersions(
  client: Writer,
  converting?: ConversionClient,
  isAlone = false,
): Promise<readonly string[]> {
  const changed: string[] = [];
  for (const wanted of await loadCrds(OLDER_KINDS, converting)) {
    const key = { namespace: "", name: wanted.metadata.name };
    const found = await client.get(CustomResourceDefinition, key);
    if (found === undefined || !isCapstans(found)) continue;
    const caBundle = isAlone ? converting?.caBundle : trustedBy(found, converting);
    if (isServed(found, wanted) && textAt(found, CA_BUNDLE) === (caBundle ?? "")) continue;
    if (converting === undefined)
      await client.jsonPatch(CustomResourceDefinition, key, withoutConversion(wanted));
    else await client.apply(CustomResourceDefinition, key, ownPartOf(wanted, { ...converting, caBundle }));
    changed.push(key.name);
  }
  return changed;
}

/** Helm installs a definition of the chart and replaces it; its versions are the webhook's all the same. */
function isCapstans(crd: CustomResourceDefinition): boolean {
  return isOurs(crd) || crd.metadata.annotations?.[BROUGHT_BY] !== undefined;
}

/** Returns what the webhook writes: labels and the rest stay with who has installed the definition, such as Helm. */
function ownPartOf({ apiVersion, kind, metadata, ...crd }: KubeObject, clientConfig: object): never {
  const webhook = { clientConfig, conversionReviewVersions: ["v1"] };
  const spec = { versions: valueAt(crd, "spec.versions"), conversion: { strategy: "Webhook", webhook } };
  return { apiVersion, kind, metadata: { name: metadata.name }, spec } as never;
}

/** An apply would leave what another field manager has applied as well, as `capstan up` does. */
function withoutConversion(crd: KubeObject): readonly PatchOperation[] {
  return [
    { op: "add", path: "/spec/conversion", value: { strategy: "None" } },
    { op: "replace", path: "/spec/versions", value: valueAt(crd, "spec.versions") },
  ];
}

/** The server fills in defaults below `clientConfig.service`, so parts are compared that it leaves as they are. */
function isServed(found: KubeObject, wanted: KubeObject): boolean {
  const facts = (crd: KubeObject) => {
    const { url, service } = Object(valueAt(crd, CLIENT_CONFIG));
    return [
      listAt(crd, "spec.versions").map((version) => [valueAt(version, "name"), valueAt(version, "served")]),
      [url, service?.namespace, service?.name],
    ];
  };
  return isDeepStrictEqual(facts(found), facts(wanted));
}

const CLIENT_CONFIG = "spec.conversion.webhook.clientConfig";
const CA_BUNDLE = `${CLIENT_CONFIG}.caBundle`;
const BETWEEN = /(?=-----BEGIN)/;

/**
 * Returns the authorities to trust: those that are, and the own one before the first of them. Another replica, or this one
 * until the API server knows the change, still shows a certificate of that. Source: CE-02
 */
function trustedBy(found: KubeObject, { caBundle = "" }: { readonly caBundle?: string } = {}): string {
  const partsOf = (bundle: string) => Buffer.from(bundle, "base64").toString().split(BETWEEN);
  const [own, trusted] = [partsOf(caBundle), partsOf(textAt(found, CA_BUNDLE))];
  if (own.every((authority) => trusted.includes(authority))) return textAt(found, CA_BUNDLE);
  return Buffer.from([...own, ...trusted.slice(0, 1)].join("")).toString("base64");
}
