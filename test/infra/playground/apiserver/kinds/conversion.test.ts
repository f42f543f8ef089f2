import { describe, expect, it } from "vitest";
import type { Converter } from "../../../../../infra/playground/apiserver/kinds/conversion.ts";
import type { ApiServerOptions } from "../../../../../infra/playground/apiserver/server.ts";
import { virtualClock } from "../../../../support/clock.ts";
import { eventually } from "../../../../support/eventually.ts";
import { PAINTS_CRD, PAINTS_GROUP, paint, paints, paintsPath, repaint } from "../../../../support/paints.ts";
import {
  type ConversionWebhook,
  reviewOf,
  startConversionWebhook,
} from "../../../../support/processes/conversion-webhook.ts";
import { type Body, CRDS_PATH, MERGE, startTestServer, type TestApiServer } from "../api-client.ts";

const V1 = paintsPath("v1");
const V2 = paintsPath("v2");
const WITHIN = { withinMs: 10_000 };
const FAILED = `conversion webhook for ${PAINTS_GROUP}/v1, Kind=Paint failed:`;

async function startWith(conversion: Body, options?: Partial<ApiServerOptions>): Promise<TestApiServer> {
  const api = await startTestServer(options);
  const { code, text } = await api.call("POST", CRDS_PATH, { body: paints(conversion) });
  if (code !== 201) throw new Error(text);
  return api;
}

interface Studio extends AsyncDisposable {
  readonly api: TestApiServer;
  readonly webhook: ConversionWebhook;
}

async function startStudio(options?: Partial<ApiServerOptions>): Promise<Studio> {
  await using opened = new AsyncDisposableStack();
  const webhook = opened.use(await startConversionWebhook(repaint));
  const clientConfig = { url: webhook.url, caBundle: webhook.caBundle };
  const conversion = { strategy: "Webhook", webhook: { conversionReviewVersions: ["v1"], clientConfig } };
  const api = opened.use(await startWith(conversion, options));
  const kept = opened.move();
  return { api, webhook, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
}

/** Lets the webhook answer only once `release` is called. */
function hold(webhook: ConversionWebhook): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  webhook.delay = () => promise;
  return () => {
    webhook.delay = () => Promise.resolve();
    resolve();
  };
}

/** The webhook has been asked so often since the beginning. */
function asked(webhook: ConversionWebhook, times: number): Promise<unknown> {
  return eventually(() => expect(webhook.asked.length).toBeGreaterThanOrEqual(times), WITHIN);
}

const nowhere = {
  strategy: "Webhook",
  webhook: { conversionReviewVersions: ["v1"], clientConfig: { url: "https://127.0.0.1:1/convert" } },
};

describe("converters of this process", () => {
  it("stand in for the webhook of their kind and are held to the same rules", async () => {
    await using api = await startWith(nowhere);
    await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
    expect((await api.call("GET", `${V2}/a`)).body.message).toMatch(`${FAILED} Post "https://127.0.0.1:1`);
    const convertWith = async (converter: Converter) => {
      api.server.converters.add(PAINTS_GROUP, "Paint", converter);
      return (await api.call("GET", `${V2}/a`)).body;
    };
    expect((await convertWith(repaint)).spec).toEqual({ colour: "red", mode: "Auto" });
    expect((await convertWith(async (...given) => repaint(...given))).spec.colour).toBe("red");
    const renamed = await convertWith((object, apiVersion) => ({
      ...repaint(object, apiVersion),
      metadata: { ...object.metadata, name: "b" },
    }));
    expect([renamed.code, renamed.message]).toEqual([
      500,
      `conversion webhook for ${PAINTS_GROUP}/v1, Kind=Paint returned invalid object: must have the same name: a != b`,
    ]);
    const thrown = await convertWith(() => {
      throw new Error("no idea");
    });
    expect(thrown.message).toBe(`${FAILED} no idea`);
  });
});

describe("strategy None", () => {
  it("changes nothing but the apiVersion", async () => {
    await using api = await startWith({ strategy: "None" });
    api.server.converters.add(PAINTS_GROUP, "Paint", repaint);
    await api.call("POST", V1, { body: paint("a", "v1", { color: "red", size: 1 }) });
    const { body } = await api.call("GET", `${V2}/a`);
    expect([body.apiVersion, body.spec]).toEqual([`${PAINTS_GROUP}/v2`, { mode: "Auto", size: 1 }]);
  });
});

describe("a conversion webhook", () => {
  it("is asked once for all objects of a list", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    for (const name of ["a", "b", "c"])
      await api.call("POST", V1, { body: paint(name, "v1", { color: name }) });
    const { items } = (await api.call("GET", V2)).body;
    expect(items.map(({ spec }: Body) => spec.colour)).toEqual(["a", "b", "c"]);
    expect(webhook.asked.map(({ request }) => request.objects.length)).toEqual([3]);
    await using watch = await api.watch(`${V2}?watch=1`);
    expect((await watch.take(3)).map(({ object }) => object.spec.colour)).toEqual(["a", "b", "c"]);
    expect(webhook.asked).toHaveLength(2);
    // An object that is bad is named by its place.
    webhook.reaction = (review) => ({
      body: reviewOf(review, {
        result: { status: "Success" },
        convertedObjects: review.request.objects.map((object, index) => ({
          ...repaint(object, review.request.desiredAPIVersion),
          ...(index === 1 ? { kind: "Noise" } : {}),
        })),
      }),
    });
    expect((await api.call("GET", V2)).body.message).toMatch(
      "returned invalid object at index 1: invalid kind (expected Paint, received Noise)",
    );
  });

  it("is given 30 seconds", async () => {
    const clock = virtualClock();
    await using studio = await startStudio({ clock });
    const { api, webhook } = studio;
    await api.call("POST", V1, { body: paint("a", "v1", {}) });
    webhook.reaction = () => undefined;
    const answer = api.call("GET", `${V2}/a`);
    await asked(webhook, 1);
    await clock.advance(30_000);
    const { code, body } = await answer;
    expect([code, body.message]).toEqual([
      500,
      `${FAILED} Post "${webhook.url}?timeout=30s": context deadline exceeded`,
    ]);
  });

  it("that hangs holds up no other request", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "deleted" } } });
    const inDeleted = V1.replace("default", "deleted");
    await api.call("POST", inDeleted, { body: paint("d", "v1", {}) });
    await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
    await using held = await api.watch(`${V2}?watch=1`);
    await held.take(1);
    webhook.reaction = () => undefined;
    const before = webhook.asked.length;
    const waiting = Promise.allSettled([
      api.call("GET", `${V2}/a`),
      api.call("GET", V2),
      api.call("POST", V2, { body: paint("b", "v2", {}) }),
    ]);
    // The list asks about nothing else than the first reader.
    await asked(webhook, before + 2);
    await using watch = await api.watch(`${V1}?watch=1`);
    await api.call("PATCH", `${V1}/a`, { type: MERGE, body: { spec: { color: "blue" } } });
    expect((await watch.take(2)).map(({ object }) => object.spec.color)).toEqual(["red", "blue"]);
    expect(
      (await api.call("POST", "/api/v1/namespaces/default/configmaps", { body: { metadata: { name: "m" } } }))
        .code,
    ).toBe(201);
    await api.call("DELETE", "/api/v1/namespaces/deleted");
    await eventually(
      async () => expect((await api.call("GET", "/api/v1/namespaces/deleted")).code).toBe(404),
      WITHIN,
    );
    await api.call("DELETE", `${CRDS_PATH}/${PAINTS_CRD}`);
    await eventually(
      async () => expect((await api.call("GET", `${CRDS_PATH}/${PAINTS_CRD}`)).code).toBe(404),
      WITHIN,
    );
    await api.server.stop();
    await waiting;
  });

  it("is asked few questions for a watch that begins, however much there is", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    const count = 1_001;
    for (let index = 0; index < count; index++) {
      await api.call("POST", V1, { body: paint(`p${index}`, "v1", {}) });
    }
    await using present = await api.watch(`${V2}?watch=1`);
    expect(await present.take(count)).toHaveLength(count);
    expect(webhook.asked.map(({ request }) => request.objects.length)).toEqual([500, 500, 1]);
    const { body } = await api.call("GET", `${V1}?limit=1`);
    const since = Number(body.metadata.resourceVersion) - 10;
    await using missed = await api.watch(`${V2}?watch=1&resourceVersion=${since}`);
    expect(await missed.take(10)).toHaveLength(10);
    expect(webhook.asked.at(-1)?.request.objects).toHaveLength(10);
  });

  it("that fails ends the watches that need it, and no others", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
    const since = (await api.call("GET", V1)).body.metadata.resourceVersion;
    await using v1 = await api.watch(`${V1}?watch=1&resourceVersion=${since}`);
    await using v2 = await api.watch(`${V2}?watch=1&resourceVersion=${since}`);
    webhook.reaction = () => ({ code: 500, body: "" });
    for (const color of ["blue", "green"]) {
      await api.call("PATCH", `${V1}/a`, { type: MERGE, body: { spec: { color } } });
    }
    expect((await v1.take(2)).map(({ object }) => object.spec.color)).toEqual(["blue", "green"]);
    const events = await v2.take(3);
    expect(events.map(({ type, object }) => [type, object.code])).toEqual([["ERROR", 500]]);
  });
});

describe("a write that waits for a webhook", () => {
  it("is carried out again on what others stored in the meantime", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
    const read = (await api.call("GET", `${V2}/a`)).body;
    const release = hold(webhook);
    const before = webhook.asked.length;
    const patched = api.call("PATCH", `${V2}/a`, { type: MERGE, body: { spec: { colour: "green" } } });
    const put = api.call("PUT", `${V2}/a`, { body: { ...read, spec: { colour: "black" } } });
    const deleted = api.call("DELETE", `${V2}/a?dryRun=All`);
    await asked(webhook, before + 1);
    await api.call("PATCH", `${V1}/a`, { type: MERGE, body: { spec: { size: 4 } } });
    release();
    expect((await put).code).toBe(409);
    expect((await patched).body.spec).toEqual({ colour: "green", size: 4, mode: "Auto" });
    expect((await deleted).code).toBe(200);
    expect((await api.call("GET", `${V1}/a`)).body.spec).toEqual({ color: "green", size: 4, mode: "Auto" });
  });

  it("keeps what has come to be held while its deletion waited", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    await api.call("POST", V1, { body: paint("a", "v1", {}) });
    const release = hold(webhook);
    const deleted = api.call("DELETE", `${V2}/a`);
    await asked(webhook, 1);
    const held = { metadata: { finalizers: ["art.capstan.dev/hold"] } };
    await api.call("PATCH", `${V1}/a`, { type: MERGE, body: held });
    release();
    const { body } = await deleted;
    expect([body.apiVersion, body.metadata.finalizers]).toEqual([
      `${PAINTS_GROUP}/v2`,
      held.metadata.finalizers,
    ]);
    expect((await api.call("GET", `${V1}/a`)).body.metadata.deletionTimestamp).toBeDefined();
  });

  it("creates nothing twice, and nothing where its place has gone", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    await api.call("POST", "/api/v1/namespaces", { body: { metadata: { name: "deleted" } } });
    const release = hold(webhook);
    const twice = [1, 2].map(() => api.call("POST", V2, { body: paint("a", "v2", {}) }));
    const lost = api.call("POST", V2.replace("default", "deleted"), { body: paint("b", "v2", {}) });
    await asked(webhook, 3);
    await api.call("DELETE", "/api/v1/namespaces/deleted");
    await eventually(
      async () => expect((await api.call("GET", "/api/v1/namespaces/deleted")).code).toBe(404),
      WITHIN,
    );
    release();
    expect((await Promise.all(twice)).map(({ code }) => code).sort()).toEqual([201, 409]);
    expect((await lost).body.message).toBe('namespaces "deleted" not found');
  });

  it("is the last one to wait when its kind goes", async () => {
    await using studio = await startStudio();
    const { api, webhook } = studio;
    const release = hold(webhook);
    const created = api.call("POST", V2, { body: paint("a", "v2", {}) });
    await asked(webhook, 1);
    await api.call("DELETE", `${CRDS_PATH}/${PAINTS_CRD}`);
    await eventually(
      async () => expect((await api.call("GET", `${CRDS_PATH}/${PAINTS_CRD}`)).code).toBe(404),
      WITHIN,
    );
    release();
    expect((await created).code).toBe(404);
    expect(api.server.storage.collection(`${PAINTS_GROUP}/paints`).size).toBe(0);
  });
});

describe("another storage version", () => {
  it("takes objects over with their next write, even one that changes nothing", async () => {
    await using studio = await startStudio();
    const { api } = studio;
    await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
    const crd = (await api.call("GET", `${CRDS_PATH}/${PAINTS_CRD}`)).body;
    const versions = crd.spec.versions.map((version: Body) => ({
      ...version,
      storage: version.name === "v2",
    }));
    await api.call("PUT", `${CRDS_PATH}/${PAINTS_CRD}`, {
      body: { ...crd, spec: { ...crd.spec, versions } },
    });
    const storedAs = () =>
      api.server.storage.collection(`${PAINTS_GROUP}/paints`).find("default/a")?.apiVersion;
    const before = (await api.call("GET", `${V1}/a`)).body;
    expect([before.spec.color, storedAs()]).toEqual(["red", `${PAINTS_GROUP}/v1`]);
    const after = await api.call("PUT", `${V1}/a`, { body: before });
    expect([after.code, after.body.spec.color, storedAs()]).toEqual([200, "red", `${PAINTS_GROUP}/v2`]);
    const again = await api.call("PUT", `${V1}/a`, { body: after.body });
    expect(again.body.metadata.resourceVersion).toBe(after.body.metadata.resourceVersion);
  });
});
