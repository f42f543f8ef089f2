import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { ConversionClient } from "../../platform/crds/crd.ts";
import { referenceVersions } from "../../platform/crds/reference-version.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { LIMITS, type ListenAddress, startListener } from "../http-listener.ts";
import { base64, type Serving } from "./authority.ts";
import { Definitions, serveOlderVersions } from "./definitions.ts";
import { answerReview } from "./review.ts";

export interface WebhookOptions {
  readonly client: ServerClient;
  readonly address: ListenAddress;
  /** Where the API server reaches the webhook that listens at a port. */
  readonly reach: (port: number) => { readonly service: object } | { readonly url: string };
  /** Returns the certificate to show now; asked every ten seconds. */
  readonly serving: () => Promise<Serving>;
  readonly clock: Clock;
  readonly log: Log;
}

export interface Webhook extends AsyncDisposable {
  readonly port: number;
  /** Our CRDs serve their older versions through it. */
  isReady(): boolean;
}

/** A review holds the objects of a list; the API server sends as many as it has. */
const MAX_BYTES = 64 * 1024 * 1024;
/** The API server keeps its connections, and few others connect. */
const MAX_CONNECTIONS = 256;
const LOOK_EVERY_MS = 10 * SECOND;
const DEFINITIONS_EVERY_MS = MINUTE;

/**
 * Converts objects for an API server at `/convert`, and lets our CRDs serve their older versions once it answers. It keeps
 * nothing but the names and labels of CRDs. A certificate that changes is shown to new connections.
 */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { client, address, reach, serving, clock, log } = options;
  const definitions = new Definitions();
  await definitions.read(client);
  const unknown = new Set<string>();
  const versionOf = referenceVersions(definitions.find, (group, kind) => {
    const name = `${kind}.${group}`;
    if (unknown.has(name) || unknown.size >= MAX_CONNECTIONS) return;
    unknown.add(name);
    log.warn(
      { kind: name },
      "webhook: a referenced kind has no CRD with a contract label; v1beta1 is assumed",
    );
  });
  await using starting = new AsyncDisposableStack();
  let current = await serving();
  const server = createServer(
    // Longer than a review may take, and than the API server waits.
    { ...LIMITS, requestTimeout: MINUTE, minVersion: "TLSv1.2", key: current.key, cert: current.cert },
    (message, response) => {
      void answer(message, response, (body) => answerReview(body, versionOf)).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, "webhook: a request has no answer");
        response.destroy();
      });
    },
  );
  const listener = starting.use(
    await startListener(server, { address, serves: "/convert", log, maxConnections: MAX_CONNECTIONS }),
  );
  const converting = (): ConversionClient => ({ ...reach(listener.port), caBundle: base64(current.ca) });
  let isReady = false;
  const serve = async (): Promise<void> => {
    for (const name of await serveOlderVersions(client, converting())) {
      log.info({ name }, "webhook: the CRD serves its older versions");
    }
    isReady = true;
  };
  await serve();
  let cancel = (): void => undefined;
  let readAtMs = clock.now().getTime();
  const look = async (): Promise<void> => {
    const next = await serving();
    if (next.cert !== current.cert) {
      current = next;
      server.setSecureContext({ key: next.key, cert: next.cert, minVersion: "TLSv1.2" });
      log.info({}, "webhook: a new certificate is in use");
    }
    if (clock.now().getTime() - readAtMs < DEFINITIONS_EVERY_MS) return;
    readAtMs = clock.now().getTime();
    await definitions.read(client);
    await serve();
  };
  const lookLater = (): void => {
    cancel = clock.after(LOOK_EVERY_MS, () => {
      void look()
        .catch((error: unknown) =>
          log.warn({ error: messageOf(error) }, "webhook: the last state stays in use"),
        )
        .then(lookLater);
    });
  };
  lookLater();
  starting.defer(() => cancel());
  const running = starting.move();
  return { port: listener.port, isReady: () => isReady, [Symbol.asyncDispose]: () => running.disposeAsync() };
}

async function answer(
  message: IncomingMessage,
  response: ServerResponse,
  convert: (body: unknown) => object,
): Promise<void> {
  const [path] = message.url?.split("?", 1) ?? [];
  if (path !== "/convert") return send(response, 404, { error: "there is /convert" });
  if (message.method !== "POST") return send(response, 405, { error: "only POST" });
  const body = await read(message);
  if (body === undefined) return send(response, 413, { error: `a review has at most ${MAX_BYTES} bytes` });
  try {
    send(response, 200, convert(JSON.parse(body)));
  } catch (error) {
    send(response, 400, { error: messageOf(error) });
  }
}

/** Returns the text of a body; `undefined`: it is too large, and the rest is not kept. */
async function read(message: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of message as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes <= MAX_BYTES) chunks.push(chunk);
  }
  return bytes > MAX_BYTES ? undefined : Buffer.concat(chunks).toString();
}

function send(response: ServerResponse, code: number, body: object): void {
  response.writeHead(code, { "Content-Type": "application/json", "Cache-Control": "no-store" });
  response.end(JSON.stringify(body));
}
