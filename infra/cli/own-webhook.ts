import { convertObject } from "../../shared/api/older/convert.ts";
import { OLDER } from "../../shared/api/older/table.ts";
import { once } from "../../shared/runtime/once.ts";
import type { ConversionClient } from "../platform/crds/crd.ts";
import { referenceVersions } from "../platform/crds/reference-version.ts";
import type { Server } from "../platform/kube/client.ts";
import { isLoopback } from "../platform/kube/server-access.ts";
import type { ApiServer, JsonObject } from "../playground/apiserver/entry.ts";
import { newAuthority, renewed } from "../worker/webhook/authority.ts";
import { startWebhook, type Webhook, type WebhookOptions } from "../worker/webhook/webhook.ts";

interface OwnWebhookOptions extends Pick<WebhookOptions, "clock" | "log" | "install"> {
  readonly port?: number;
}

/**
 * Converts objects for an API server on this machine, with an authority that ends with this process; `undefined` where the
 * API server is elsewhere and cannot reach it.
 */
export async function startOwnWebhook(
  server: Pick<Server, "url" | "as">,
  { clock, log, port = 0, install }: OwnWebhookOptions,
): Promise<Webhook | undefined> {
  if (!isLoopback(server.url)) return undefined;
  const host = "127.0.0.1";
  return startWebhook({
    client: server.as("webhook"),
    address: { host, port },
    reach: (bound) => ({ url: `https://${host}:${bound}/convert` }),
    serving: renewed(
      once(() => newAuthority(clock)),
      { dns: ["localhost"], ips: [host] },
      clock,
    ),
    install,
    clock,
    log,
  });
}

const DEFINITIONS = "apiextensions.k8s.io/customresourcedefinitions";

/**
 * Lets an embedded API server convert the objects of Cluster API in its own process. Its CRDs name a webhook, as
 * Kubernetes demands; it is never asked.
 */
export function convertsItself(server: ApiServer): ConversionClient {
  const versionOf = referenceVersions((name) => server.storage.collection(DEFINITIONS).find(`/${name}`));
  for (const name of OLDER.keys()) {
    const [group = "", kind = ""] = name.split("/");
    server.converters.add(group, kind, (object, apiVersion) => {
      return convertObject(object, apiVersion, versionOf) as unknown as JsonObject;
    });
  }
  return { url: "https://127.0.0.1/convert" };
}
