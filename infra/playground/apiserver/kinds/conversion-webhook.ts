import type { Clock, Random } from "../../../../shared/runtime/ports.ts";
import type { Json, JsonObject } from "../objects/json.ts";
import { listAt, objectAt } from "../objects/kube-object.ts";
import type { Converters } from "./conversion.ts";
import { conversionReview, convertedObjects } from "./conversion-review.ts";
import type { ResourceType } from "./registry.ts";
import { callWebhook } from "./webhook-call.ts";

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
