import type { KubeObject } from "../../../shared/api/kinds.ts";
import { convertObject } from "../../../shared/api/older/convert.ts";
import { isFields } from "../../../shared/api/older/fields.ts";
import type { VersionLookup } from "../../../shared/api/older/forms.ts";
import { messageOf } from "../../../shared/function/errors.ts";

const API_VERSION = "apiextensions.k8s.io/v1";
const KIND = "ConversionReview";

/** Longest message of a failure: a value of a user may be in it. */
const MAX_MESSAGE = 2_000;

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
