import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { connect } from "node:tls";
import { describe, expect, it } from "vitest";
import { loadCrds } from "../../../../infra/platform/crds/crd.ts";
import { newAuthority, renewed } from "../../../../infra/worker/webhook/authority.ts";
import { answerReview, startWebhook } from "../../../../infra/worker/webhook/webhook.ts";
import { textAt, valueAt } from "../../../../shared/api/path.ts";
import { virtualClock } from "../../../support/clock.ts";
import { eventually } from "../../../support/eventually.ts";
import { silentLog as log } from "../../../support/silent-log.ts";

const [V1BETA1, V1BETA2] = ["cluster.x-k8s.io/v1beta1", "cluster.x-k8s.io/v1beta2"];
const lookup = (group: string) => `${group}/v1`;

function review(desiredAPIVersion: string, ...objects: readonly unknown[]): object {
  const request = { uid: "u1", desiredAPIVersion, objects };
  return { apiVersion: "apiextensions.k8s.io/v1", kind: "ConversionReview", request };
}

function cluster(apiVersion: string, name: string, spec?: object): object {
  return { apiVersion, kind: "Cluster", metadata: { name }, ...(spec && { spec }) };
}

describe("a conversion review", () => {
  it("of mixed versions is answered in its order, also of objects without a spec", () => {
    const answer = answerReview(
      review(V1BETA2, cluster(V1BETA1, "a", { paused: true }), cluster(V1BETA2, "b"), cluster(V1BETA1, "c")),
      lookup,
    );
    expect(answer).toEqual({
      apiVersion: "apiextensions.k8s.io/v1",
      kind: "ConversionReview",
      response: {
        uid: "u1",
        result: { status: "Success" },
        convertedObjects: [
          cluster(V1BETA2, "a", { paused: true }),
          cluster(V1BETA2, "b"),
          cluster(V1BETA2, "c"),
        ],
      },
    });
  });

  it.each([
    [
      cluster(V1BETA1, "b", { paused: 1 }),
      "Cluster b of cluster.x-k8s.io/v1beta1: spec.paused: must be of type boolean",
    ],
    [
      { apiVersion: V1BETA1, kind: "Sphere", metadata: { name: "b" } },
      "Sphere b of cluster.x-k8s.io/v1beta1: kind Sphere has",
    ],
    [7, "an object has no apiVersion, kind or metadata"],
  ])("with %j fails as a whole, and says why", (object, message) => {
    const answer = answerReview(review(V1BETA2, cluster(V1BETA1, "a"), object), lookup);
    expect(valueAt(answer, "response.convertedObjects")).toBeUndefined();
    expect(valueAt(answer, "response.result")).toEqual({
      status: "Failure",
      message: expect.stringContaining(message),
    });
  });

  it("of a hundred thousand objects is answered", () => {
    const objects = Array.from({ length: 100_000 }, (_, index) => cluster(V1BETA1, `c${index}`));
    const converted = valueAt(answerReview(review(V1BETA2, ...objects), lookup), "response.convertedObjects");
    expect(converted).toHaveLength(100_000);
  });

  it.each([null, [], {}, { kind: "ConversionReview" }, review(V1BETA2).constructor])("is not %j", (body) => {
    expect(() => answerReview(body, lookup)).toThrow("write a ConversionReview of apiextensions.k8s.io/v1");
  });
});

describe("a webhook", () => {
  it("CE-02: shows a certificate that the API server trusts by then, and after a day trusts one authority", async () => {
    const clock = virtualClock(new Date());
    const authorities = [await newAuthority(clock), await newAuthority(clock)] as const;
    const names = { dns: ["localhost"], ips: ["127.0.0.1"] };
    const [first, second] = authorities.map((authority) => renewed(async () => authority, names, clock));
    let serving = first;
    let [crd] = await loadCrds();
    const client = {
      pages: async function* () {
        yield { items: [crd], resourceVersion: "1", first: true, bytes: 0 };
      },
      get: async (_: unknown, { name }: { readonly name: string }) =>
        name === crd?.metadata.name ? crd : undefined,
      apply: async (_: unknown, _key: unknown, { spec }: { readonly spec: object }) => {
        crd = { ...crd, spec: { ...Reflect.get(Object(crd), "spec"), ...spec } } as typeof crd;
      },
    };
    await using webhook = await startWebhook({
      client: client as never,
      address: { host: "127.0.0.1", port: 0 },
      reach: () => ({ url: "https://127.0.0.1/convert" }),
      serving: async () => (await serving?.()) as never,
      clock,
      log,
    });
    /** The issuer of the certificate by its place, and how many authorities are trusted. */
    const state = async () => {
      const bundle = textAt(crd, "spec.conversion.webhook.clientConfig.caBundle");
      const trusted = Buffer.from(bundle, "base64").toString();
      const socket = connect({ host: "127.0.0.1", port: webhook.port, ca: trusted });
      await once(socket, "secureConnect");
      const issued = socket.getPeerX509Certificate();
      socket.destroy();
      const by = authorities.findIndex(({ cert }) => issued?.verify(new X509Certificate(cert).publicKey));
      return [by, authorities.map(({ cert }) => trusted.includes(cert))];
    };
    const look = async () => {
      await clock.advance(10_000);
      // It has looked once it waits for the next time.
      await eventually(() => clock.pending > 0, { withinMs: 10_000 });
    };
    expect(await state()).toEqual([0, [true, false]]);
    serving = second;
    await look();
    expect(await state()).toEqual([0, [true, true]]);
    await look();
    expect(await state()).toEqual([1, [true, true]]);
    clock.standStill(24 * 60 * 60_000);
    await look();
    expect(await state()).toEqual([1, [false, true]]);

    // A look that is under way at the end is the last.
    const late = Promise.withResolvers<never>();
    serving = () => late.promise;
    await clock.advance(10_000);
    await webhook[Symbol.asyncDispose]();
    late.reject(new Error("too late"));
    await setImmediate();
    expect(clock.pending).toBe(0);
  });
});
