import type { IncomingMessage } from "node:http";
import { request as startRequest } from "node:https";
import { messageOf } from "../../../../shared/function/errors.ts";
import type { Clock, Random } from "../../../../shared/runtime/ports.ts";
import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { type KubeObject, listAt, objectAt, textAt } from "../objects/kube-object.ts";
import { parseJson } from "../objects/strict-json.ts";
import type { Converters } from "./conversion.ts";
import type { ResourceType } from "./registry.ts";

const TIMEOUT_MS = 30_000;
/** The objects of one question: for more, several questions are asked, so that none outgrows what webhooks take. */
const REVIEW_MAX_OBJECTS = 500;

/** Parts of the virtual server that the caller of a webhook needs. */
interface Surroundings {
  readonly converters: Converters;
  readonly clock: Clock;
  readonly random: Random;
  readonly stopped: AbortSignal;
}

/**
 * Returns the converter of a kind with strategy Webhook: the converter of this process for it, else the webhook
 * that its CRD names, asked over HTTPS and given 30 seconds. The promise rejects with the reason when it fails.
 */
export function webhookOf(
  type: ResourceType,
  conversion: JsonObject,
  around: Surroundings,
): NonNullable<ResourceType["convert"]> {
  const webhook = objectAt(conversion, "webhook");
  const versions = listAt(webhook, "conversionReviewVersions").map(String);
  return async (objects, desiredAPIVersion) => {
    const converter = around.converters.find(type.group, type.kind);
    if (converter) {
      return Promise.all(objects.map((object) => converter(structuredClone(object), desiredAPIVersion)));
    }
    const converted: Json[] = [];
    for (let from = 0; from < objects.length; from += REVIEW_MAX_OBJECTS) {
      const part = objects.slice(from, from + REVIEW_MAX_OBJECTS);
      const request = { uid: around.random.uuid(), desiredAPIVersion, objects: part };
      const review = conversionReview(versions, request);
      const answer = await inTime(around, (signal) =>
        callWebhook(objectAt(webhook, "clientConfig"), review, signal),
      );
      converted.push(...convertedObjects(review, answer));
    }
    return converted;
  };
}

/** Does work that is aborted when it takes too long or the server stops. */
async function inTime<T>(
  { clock, stopped }: Surroundings,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const deadline = new AbortController();
  const cancel = clock.after(TIMEOUT_MS, () => deadline.abort(new Error("context deadline exceeded")));
  try {
    return await work(AbortSignal.any([deadline.signal, stopped]));
  } finally {
    cancel();
  }
}

const GROUP = "apiextensions.k8s.io";
const KIND = "ConversionReview";
/** Versions that webhooks may speak; v1beta1 answers carry no uid that could be checked. */
export const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];

/** A question to a conversion webhook, in the first of its versions that we speak. Throws when there is none. */
function conversionReview(
  versions: readonly string[],
  request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly KubeObject[];
  },
): JsonObject {
  const version = versions.find((one) => REVIEW_VERSIONS.includes(one));
  if (version === undefined) throw new Error("no supported conversion review versions");
  return { kind: KIND, apiVersion: `${GROUP}/${version}`, request };
}

/**
 * Returns the objects in the answer to a review, unchecked. Throws when it does not answer the review, or
 * reports a failure.
 */
function convertedObjects(review: JsonObject, answer: Json): readonly Json[] {
  const given = isJsonObject(answer) ? answer : {};
  if (given["kind"] !== KIND || given["apiVersion"] !== review["apiVersion"]) {
    throw new Error(`expected webhook response of ${kindText(review)}, got ${kindText(given)}`);
  }
  const { response } = given;
  if (!isJsonObject(response)) throw new Error("no response provided");
  const uid = textAt(objectAt(review, "request"), "uid");
  const isChecked = review["apiVersion"] === `${GROUP}/v1`;
  if (isChecked && response["uid"] !== uid) {
    throw new Error(`expected response.uid="${uid}", got "${textAt(response, "uid")}"`);
  }
  const result = objectAt(response, "result");
  const status = textAt(result, "status");
  if (status !== "Success") {
    throw new Error(textAt(result, "message") || `response.result.status was '${status}', not 'Success'`);
  }
  const objects = response["convertedObjects"] ?? [];
  if (!isJsonArray(objects)) throw new Error("response.convertedObjects is not a list");
  return objects;
}

/** Returns `group/version, Kind=kind`, as Kubernetes writes it. */
function kindText(object: JsonObject): string {
  const apiVersion = textAt(object, "apiVersion");
  return `${apiVersion.includes("/") ? apiVersion : `/${apiVersion}`}, Kind=${textAt(object, "kind")}`;
}

/** The largest objects that can be stored would fit in by the dozen. */
const ANSWER_MAX_BYTES = 64 * 1024 * 1024;

/** An answer as it came. */
interface Received {
  readonly code: number;
  readonly text: string;
}

/**
 * Posts a JSON document to the webhook of a `clientConfig` (url, caBundle) and returns the one it answers.
 * Throws what went wrong: it cannot be reached, shows a certificate of another authority, refuses, says nothing or no
 * JSON, or takes so long that the signal is aborted, with its reason.
 */
async function callWebhook(
  clientConfig: JsonObject,
  document: JsonObject,
  signal: AbortSignal,
): Promise<Json> {
  const address = addressOf(clientConfig);
  const ca = Buffer.from(textAt(clientConfig, "caBundle"), "base64").toString("utf8").trim();
  const received = await (async () => {
    if (isJsonObject(clientConfig["service"])) throw noSuchService(clientConfig["service"]);
    return exchange(address, JSON.stringify(document), { signal, ...(ca === "" ? {} : { ca }) });
  })().catch((error: Error) => {
    const cause = signal.aborted ? signal.reason : error;
    throw new Error(
      `Post "${address}": ${messageOf(cause instanceof AggregateError ? cause.errors.at(-1) : cause)}`,
      { cause },
    );
  });
  return read(received);
}

/** Returns the address with the parameter for the time limit of the webhook. */
function addressOf(clientConfig: JsonObject): string {
  const { name, namespace, port = 443, path = "/" } = objectAt(clientConfig, "service");
  const url = isJsonObject(clientConfig["service"])
    ? `https://${name}.${namespace}.svc:${port}${path}`
    : textAt(clientConfig, "url");
  const [, start = "", given = ""] = /^([^/]*\/\/[^/]*)(.*)$/.exec(url) ?? [];
  return `${start}${withoutEndSlashes(given) || "/"}?timeout=30s`;
}

function withoutEndSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end -= 1;
  return path.slice(0, end);
}

/** Differs: this server has no cluster network, so no webhook is called by its service. */
function noSuchService({ name }: JsonObject): Error {
  return new Error(
    `service "${name}" not found; there is no cluster network here, so name the webhook by clientConfig.url`,
  );
}

interface Sending {
  readonly ca?: string;
  readonly signal: AbortSignal;
}

async function exchange(address: string, body: string, sending: Sending): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(body),
    accept: "application/json",
  };
  const sent = startRequest(address, { method: "POST", headers, ...sending }, resolve);
  sent.on("error", reject);
  sent.end(body);
  try {
    return await receive(await promise);
  } catch (error) {
    // The other side had given up the connection that was kept from the last time.
    const isStale = sent.reusedSocket && (error as NodeJS.ErrnoException).code === "ECONNRESET";
    if (isStale && !sending.signal.aborted) return exchange(address, body, sending);
    throw error;
  }
}

async function receive(answer: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer) {
    bytes += part.length;
    if (bytes > ANSWER_MAX_BYTES) throw new Error(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
    parts.push(part);
  }
  return { code: answer.statusCode ?? 0, text: Buffer.concat(parts).toString("utf8") };
}

function read({ code, text }: Received): Json {
  if (code < 200 || code > 206) throw new Error(`the webhook answered ${code}`);
  return parseJson(text).value;
}
