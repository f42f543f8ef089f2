import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { createCertificateAuthority } from "../../../infra/platform/pki/certificate-authority.ts";

// biome-ignore lint/suspicious/noExplicitAny: a test may answer whatever it likes
type Body = any;

/** One question of an API server. */
interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly desiredAPIVersion: string;
    readonly objects: readonly Body[];
  };
}

/** Answer of the webhook to a question: a status code and a body; undefined = it never answers. */
type Reaction = (review: Review) => { readonly code?: number; readonly body: unknown } | undefined;

/** A conversion webhook over HTTPS, with an authority of its own; it can be changed while it runs. */
export interface ConversionWebhook extends AsyncDisposable {
  readonly url: string;
  /** For `caBundle`: base64 of PEM. */
  readonly caBundle: string;
  /** Every question so far. */
  readonly asked: readonly Review[];
  reaction: Reaction;
  /** How long an answer is held back. */
  delay: () => Promise<void>;
}

/** Starts one that converts every object by `convert`; `metadata`, apiVersion and kind are looked after. */
export async function startConversionWebhook(
  convert: (object: Body, apiVersion: string) => Body,
): Promise<ConversionWebhook> {
  const authority = await createCertificateAuthority();
  const asked: Review[] = [];
  const server = createServer(await authority.issue(), async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part);
    const review = JSON.parse(Buffer.concat(parts).toString("utf8")) as Review;
    asked.push(review);
    const answer = webhook.reaction(review);
    await webhook.delay();
    if (answer === undefined) return;
    const { code = 200, body } = answer;
    response.writeHead(code, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const webhook: ConversionWebhook = {
    url: `https://127.0.0.1:${port}/convert`,
    caBundle: Buffer.from(authority.cert).toString("base64"),
    asked,
    reaction: converting(convert),
    delay: () => Promise.resolve(),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return webhook;
}

/** The reaction of a webhook in good order. */
export function converting(convert: (object: Body, apiVersion: string) => Body): Reaction {
  return (review) => ({
    body: reviewOf(review, {
      result: { status: "Success" },
      convertedObjects: review.request.objects.map((object) => ({
        ...convert(object, review.request.desiredAPIVersion),
        apiVersion: review.request.desiredAPIVersion,
      })),
    }),
  });
}

/** A ConversionReview that answers this one. */
export function reviewOf({ apiVersion, kind, request }: Review, response: object): object {
  return { apiVersion, kind, response: { uid: request.uid, ...response } };
}
