import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { KubeObject } from "../../../shared/api/kinds.ts";
import { convertObject } from "../../../shared/api/older/convert.ts";
import { isFields } from "../../../shared/api/older/fields.ts";
import type { VersionLookup } from "../../../shared/api/older/forms.ts";
import { listAt, textAt, valueAt } from "../../../shared/api/path.ts";
import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import type { Clock, Log } from "../../../shared/runtime/ports.ts";
import type { ConversionClient } from "../../platform/crds/crd.ts";
import { referenceVersions } from "../../platform/crds/reference-version.ts";
import type { ServerClient } from "../../platform/kube/verbs.ts";
import { x509 } from "../../platform/pki/x509.ts";
import { LIMITS, type ListenAddress, startListener } from "../http-listener.ts";
import type { WebhookNotes } from "../telemetry/process-metrics.ts";
import { base64, type Serving } from "./authority.ts";
import { Definitions, serveOlderVersions } from "./definitions.ts";

export interface WebhookOptions {
  readonly client: ServerClient;
  readonly address: ListenAddress;
  /** Where the API server reaches the webhook that listens at a port. */
  readonly reach: (port: number) => { readonly service: object } | { readonly url: string };
  /** Returns the certificate to show now; asked every ten seconds. */
  readonly serving: () => Promise<Serving>;
  /** Installs our CRDs with who converts them, once the webhook answers; default: they are there. */
  readonly install?: ((converting: ConversionClient) => Promise<void>) | undefined;
  readonly notes?: WebhookNotes | undefined;
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

const MAX_LOGGED_KINDS = 256;
const LOOK_EVERY_MS = 10 * SECOND;
const DEFINITIONS_EVERY_MS = MINUTE;
/** How long another authority is trusted: every replica has the new one by then. Source: CE-02 */
const TRUSTED_AFTER_MS = 24 * 60 * MINUTE;
const API_VERSION = "apiextensions.k8s.io/v1";
const KIND = "ConversionReview";

/** Longest message of a failure: a value of a user may be in it. */
const MAX_MESSAGE = 2_000;

/**
 * Converts objects for an API server at `/convert`, and lets our CRDs serve their older versions once it answers. It keeps
 * nothing but the names and labels of CRDs. A certificate that changes is shown to new connections.
 */
export async function startWebhook(options: WebhookOptions): Promise<Webhook> {
  const { client, address, reach, serving, notes, clock, log } = options;
  const definitions = new Definitions();
  await definitions.read(client);
  const versionOf = referenceVersions(definitions.find, noteUnknown(options));
  await using starting = new AsyncDisposableStack();
  let current = await serving();
  const showEnd = () => notes?.certificate(x509.read(current.cert)[0].notAfter);
  showEnd();
  const server = createServer(
    // Longer than a review may take, and than the API server waits.
    { ...LIMITS, requestTimeout: MINUTE, minVersion: "TLSv1.2", key: current.key, cert: current.cert },
    (message, response) => {
      const convert = (body: unknown) => noted(body, () => answerReview(body, versionOf), notes);
      void answer(message, response, convert).catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, "webhook: a request has no answer");
        response.destroy();
      });
    },
  );
  const listener = starting.use(
    await startListener(server, { address, serves: "/convert", log, maxConnections: MAX_CONNECTIONS }),
  );
  let trusted = current.ca;
  let aloneAtMs = clock.now().getTime() + TRUSTED_AFTER_MS;
  const converting = (): ConversionClient => ({ ...reach(listener.port), caBundle: base64(trusted) });
  let served = "";
  /** Reads and renders them only where one has changed, or the authority has, or where others are trusted no longer. */
  const serve = async (isAlone = false): Promise<void> => {
    const wanted = JSON.stringify([converting(), definitions.stateOfOurs()]);
    if (wanted === served && !isAlone) return;
    for (const name of await serveOlderVersions(client, converting(), isAlone))
      log.info({ name }, "webhook: the CRD serves its older versions");
    served = wanted;
  };
  await options.install?.(converting()).then(() => definitions.read(client));
  await serve();
  let readAtMs = clock.now().getTime();
  const look = async (): Promise<void> => {
    const next = await serving();
    const nowMs = clock.now().getTime();
    if (next.ca !== trusted) [trusted, aloneAtMs] = [next.ca, nowMs + TRUSTED_AFTER_MS];
    if (nowMs - readAtMs >= DEFINITIONS_EVERY_MS) {
      readAtMs = nowMs;
      await definitions.read(client);
    }
    const [before, isAlone] = [served, nowMs >= aloneAtMs];
    await serve(isAlone);
    if (isAlone) aloneAtMs = Number.POSITIVE_INFINITY;
    // A certificate is shown at a look that has written nothing: the API server must trust its authority first.
    if (served !== before || next.cert === current.cert) return;
    current = next;
    server.setSecureContext({ key: next.key, cert: next.cert, minVersion: "TLSv1.2" });
    showEnd();
    log.info({}, "webhook: a new certificate is in use");
  };
  starting.use(lookEvery(look, options));
  const running = starting.move();
  return {
    port: listener.port,
    isReady: () => served !== "",
    [Symbol.asyncDispose]: () => running.disposeAsync(),
  };
}

/** Looks every ten seconds until disposed: a look that is under way then is the last. */
function lookEvery(look: () => Promise<void>, { clock, log }: Pick<WebhookOptions, "clock" | "log">) {
  let [isEnded, cancel] = [false, (): void => undefined];
  const warn = (error: unknown): void =>
    log.warn({ error: messageOf(error) }, "webhook: the last state stays in use");
  const lookLater = (): void => {
    if (!isEnded) cancel = clock.after(LOOK_EVERY_MS, () => void look().catch(warn).then(lookLater));
  };
  lookLater();
  const end = (): void => {
    isEnded = true;
    cancel();
  };
  return { [Symbol.dispose]: end };
}

/**
 * Answers a ConversionReview: all objects in the version that is asked for, in their order, or a failure that names the
 * first that cannot be converted. Throws Error when the body is not such a review.
 */
export function answerReview(body: unknown, versionOf: VersionLookup): object {
  const request =
    isFields(body) && body["kind"] === KIND && isFields(body["request"]) ? body["request"] : undefined;
  const { uid, desiredAPIVersion: to, objects } = request ?? {};
  if (body === null || typeof uid !== "string" || typeof to !== "string" || !Array.isArray(objects)) {
    throw new Error(`write a ${KIND} of ${API_VERSION} with request.uid, desiredAPIVersion and objects`);
  }
  const answer = (response: object) => ({
    apiVersion: API_VERSION,
    kind: KIND,
    response: { uid, ...response },
  });
  try {
    const convertedObjects = objects.map((object: unknown) => convertObject(checked(object), to, versionOf));
    return answer({ convertedObjects, result: { status: "Success" } });
  } catch (error) {
    return answer({ result: { status: "Failure", message: messageOf(error).slice(0, MAX_MESSAGE) } });
  }
}

function checked(object: unknown): KubeObject {
  if (isFields(object) && isFields(object["metadata"]) && typeof object["kind"] === "string") {
    if (typeof object["apiVersion"] === "string") return object as unknown as KubeObject;
  }
  throw new Error("an object has no apiVersion, kind or metadata");
}

/** Returns what notes each kind without a contract, and logs it once. */
function noteUnknown({ notes, log }: Pick<WebhookOptions, "notes" | "log">) {
  const known = new Set<string>();
  return (group: string, kind: string): void => {
    notes?.unknownReference();
    const name = `${kind}.${group}`;
    if (known.has(name) || known.size >= MAX_LOGGED_KINDS) return;
    known.add(name);
    log.warn(
      { kind: name },
      "webhook: a referenced kind has no CRD with a contract label; v1beta1 is assumed",
    );
  };
}

/** Returns the answer to a review; its result and how long it took are noted. */
function noted(body: unknown, answer: () => object, notes: WebhookNotes | undefined): object {
  const beganAtMs = performance.now();
  let isFailure = true;
  try {
    const answered = answer();
    isFailure = valueAt(answered, "response.convertedObjects") === undefined;
    return answered;
  } finally {
    const [first] = listAt(body, "request.objects");
    const seconds = (performance.now() - beganAtMs) / SECOND;
    notes?.review({ kind: textAt(first, "kind"), isFailure, seconds });
  }
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
