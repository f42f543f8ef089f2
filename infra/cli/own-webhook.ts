import { once } from "../../shared/runtime/once.ts";
import type { Clock, Log } from "../../shared/runtime/ports.ts";
import type { Server } from "../platform/kube/client.ts";
import { isLoopback } from "../platform/kube/server-access.ts";
import { newAuthority, renewed } from "../worker/webhook/authority.ts";
import { startWebhook, type Webhook } from "../worker/webhook/webhook.ts";

/**
 * Converts objects for an API server on this machine, with an authority that ends with this process; `undefined` where the
 * API server is elsewhere and cannot reach it.
 */
export async function startOwnWebhook(
  server: Pick<Server, "url" | "as">,
  { clock, log, port = 0 }: { readonly clock: Clock; readonly log: Log; readonly port?: number },
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
    clock,
    log,
  });
}
