import { isJsonArray, isJsonObject, type Json, type JsonObject } from "../objects/json.ts";
import { type KubeObject, objectAt, textAt } from "../objects/kube-object.ts";

const GROUP = "apiextensions.k8s.io";
const KIND = "ConversionReview";
/** Versions that webhooks may speak; v1beta1 answers carry no uid that could be checked. */
export const REVIEW_VERSIONS: readonly string[] = ["v1", "v1beta1"];

/** A question to a conversion webhook, in the first of its versions that we speak. Throws when there is none. */
export function conversionReview(
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
export function convertedObjects(review: JsonObject, answer: Json): readonly Json[] {
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
