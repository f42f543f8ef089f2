import { readFile } from "node:fs/promises";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, it } from "vitest";
import {
  APPLY,
  type ApiClient,
  type Body,
  CRDS_PATH,
  clientFor,
  MERGE,
} from "../infra/playground/apiserver/api-client.ts";
import { eventually } from "../support/eventually.ts";
import { PAINTS_CRD, PAINTS_GROUP, paint, paints, paintsPath, repaint } from "../support/paints.ts";
import { API_SERVERS, type ServerFlavour } from "../support/processes/api-servers.ts";
import {
  type ConversionWebhook,
  converting,
  reviewOf,
  startConversionWebhook,
} from "../support/processes/conversion-webhook.ts";
import { readKubeconfig } from "../support/read-kubeconfig.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 30_000, stepMs: 100 };
const V1 = paintsPath("v1");
const V2 = paintsPath("v2");

interface Studio extends AsyncDisposable {
  readonly api: ApiClient;
  readonly webhook: ConversionWebhook;
}

/** Paints in two versions on a server that had none, and the webhook that converts them. */
async function startStudio(api: ApiClient, reviewVersions = ["v1"]): Promise<Studio> {
  await using opened = new AsyncDisposableStack();
  const webhook = opened.use(await startConversionWebhook(repaint));
  const { url, caBundle } = webhook;
  const conversion = webhookAt({ url, caBundle }, reviewVersions);
  expect((await api.call("POST", CRDS_PATH, { body: paints(conversion) })).code).toBe(201);
  opened.defer(() => removePaints(api));
  await eventually(async () => (await api.call("GET", V2)).code === 200, WITHIN);
  const kept = opened.move();
  return { api, webhook, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
}

/** With all Paints; once the server serves neither version. */
async function removePaints(api: ApiClient): Promise<void> {
  const path = `${CRDS_PATH}/${PAINTS_CRD}`;
  await api.call("DELETE", path);
  await eventually(async () => {
    const answers = await Promise.all([path, V1, V2].map((one) => api.call("GET", one)));
    expect(answers.map(({ code }) => code)).toEqual([404, 404, 404]);
  }, WITHIN);
}

function webhookAt(clientConfig: Body, conversionReviewVersions: readonly string[] = ["v1"]): Body {
  return { strategy: "Webhook", webhook: { conversionReviewVersions, clientConfig } };
}

function ownersOf({ body }: { readonly body: Body }): Record<string, Body> {
  const entries: Body[] = body.metadata.managedFields;
  return Object.fromEntries(
    entries.map(({ manager, operation, apiVersion, fieldsV1 }) => [
      `${manager}/${operation}/${apiVersion.replace(`${PAINTS_GROUP}/`, "")}`,
      fieldsV1["f:spec"],
    ]),
  );
}

const failing = (message: string) => (review: Body) => ({
  body: reviewOf(review, { result: { status: "Failure", message } }),
});

/** A good answer but for what `spoil` does to its objects. */
const spoiling = (spoil: (object: Body) => Body): ConversionWebhook["reaction"] =>
  converting((object, apiVersion) => spoil(repaint(object, apiVersion)));

const FAILED = `conversion webhook for ${PAINTS_GROUP}/v1, Kind=Paint failed:`;
/** Begins what servers from 1.37 on say of a stored object. */
const CORRUPT = "(Internal error occurred: StorageError: corrupt object, [^\\n]*revision=\\d+: )?";
const RETURNED = `conversion webhook for ${PAINTS_GROUP}/v1, Kind=Paint returned`;

/** Mistakes of a webhook, and how the answers to the client of the API server begin. */
const MISTAKES: Readonly<Record<string, readonly [ConversionWebhook["reaction"], string]>> = {
  "answers 500": [() => ({ code: 500, body: "boom" }), FAILED],
  "answers nothing": [() => ({ body: "" }), FAILED],
  "answers something else": [
    () => ({ body: {} }),
    `${FAILED} expected webhook response of apiextensions.k8s.io/v1, Kind=ConversionReview, got /, Kind=`,
  ],
  "has no response": [
    ({ apiVersion, kind }) => ({ body: { apiVersion, kind } }),
    `${FAILED} no response provided`,
  ],
  "says Failure with a message": [failing("hub lost"), `${FAILED} hub lost`],
  "says Failure without a message": [
    (review) => ({ body: reviewOf(review, { result: { status: "Failure" } }) }),
    `${FAILED} response.result.status was 'Failure', not 'Success'`,
  ],
  "returns too few objects": [
    (review) => ({ body: reviewOf(review, { result: { status: "Success" }, convertedObjects: [] }) }),
    `${RETURNED} 0 objects, expected 1`,
  ],
  "returns another version": [
    (review) => ({
      body: reviewOf(review, { result: { status: "Success" }, convertedObjects: review.request.objects }),
    }),
    `${RETURNED} invalid object at index 0: invalid groupVersion (expected ${PAINTS_GROUP}/v2, received ${PAINTS_GROUP}/v1)`,
  ],
  "returns another kind": [
    spoiling((object) => ({ ...object, kind: "Noise" })),
    `${RETURNED} invalid object at index 0: invalid kind (expected Paint, received Noise)`,
  ],
  "returns another name": [
    spoiling((object) => ({ ...object, metadata: { ...object.metadata, name: "b" } })),
    `${RETURNED} invalid object: must have the same name: a != b`,
  ],
  "returns another namespace": [
    spoiling((object) => ({ ...object, metadata: { ...object.metadata, namespace: "b" } })),
    `${RETURNED} invalid object: must have the same namespace: default != b`,
  ],
};

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing, flavour)(`conversion webhooks on ${flavour.name}`, () => {
    let server: Awaited<ReturnType<ServerFlavour["start"]>>;
    let client: ApiClient;
    beforeAll(async () => {
      server = await flavour.start();
      const { clusters, users } = readKubeconfig(await readFile(server.kubeconfigFile, "utf8"));
      client = clientFor(clusters[0].cluster.server, users[0].user.token);
    });
    afterAll(() => server[Symbol.asyncDispose]());

    it("show every object in every version", async () => {
      await using studio = await startStudio(client);
      const { api, webhook } = studio;
      await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
      const shown = await api.call("GET", `${V2}/a`);
      expect(shown.body).toMatchObject({
        apiVersion: `${PAINTS_GROUP}/v2`,
        spec: { colour: "red", mode: "Auto" },
      });
      const [review] = webhook.asked;
      expect(review).toMatchObject({
        apiVersion: "apiextensions.k8s.io/v1",
        kind: "ConversionReview",
        request: { uid: expect.stringMatching(/-/), desiredAPIVersion: `${PAINTS_GROUP}/v2` },
      });
      const made = await api.call("POST", V2, { body: paint("b", "v2", { colour: "blue" }) });
      expect([made.code, made.body.spec]).toEqual([201, { colour: "blue", mode: "Auto" }]);
      const colors = async (path: string) =>
        (await api.call("GET", path)).body.items.map(({ spec }: Body) => spec);
      expect(await colors(V1)).toEqual([
        { color: "red", mode: "Auto" },
        { color: "blue", mode: "Auto" },
      ]);
      expect(await colors(V2)).toEqual([
        { colour: "red", mode: "Auto" },
        { colour: "blue", mode: "Auto" },
      ]);
    });

    it("convert the events of a watch in their order", async () => {
      await using studio = await startStudio(client);
      const { api, webhook } = studio;
      // The first answers come last.
      let waitMs = 80;
      webhook.delay = () => {
        waitMs /= 2;
        return setTimeout(waitMs);
      };
      await using v1 = await api.watch(`${V1}?watch=1`);
      await using v2 = await api.watch(`${V2}?watch=1`);
      await api.call("POST", V1, { body: paint("a", "v1", { color: "0" }) });
      for (const color of ["1", "2", "3"]) {
        await api.call("PATCH", `${V1}/a`, { type: MERGE, body: { spec: { color } } });
      }
      await api.call("DELETE", `${V1}/a`);
      const types = ["ADDED", "MODIFIED", "MODIFIED", "MODIFIED", "DELETED"];
      const colors = ["0", "1", "2", "3", "3"];
      const seen = async (watch: typeof v1, member: string) =>
        (await watch.take(5)).map(({ type, object }) => [type, object.spec[member]]);
      const expected = types.map((type, index) => [type, colors[index]]);
      expect(await seen(v1, "color")).toEqual(expected);
      expect(await seen(v2, "colour")).toEqual(expected);
    });

    it("settle who owns what in the version that each owner wrote through", async () => {
      await using studio = await startStudio(client);
      const { api } = studio;
      const path = (version: string, manager: string) => `${version}/a?fieldManager=${manager}`;
      await api.call("POST", `${V1}?fieldManager=ann`, { body: paint("a", "v1", { color: "red" }) });
      const patched = await api.call("PATCH", path(V2, "bob"), {
        type: MERGE,
        body: { spec: { colour: "green" } },
      });
      expect(ownersOf(patched)).toEqual({
        "ann/Update/v1": { ".": {}, "f:mode": {} },
        "bob/Update/v2": { "f:colour": {} },
      });
      const apply = (version: "v1" | "v2", manager: string, spec: Body, force = "") =>
        api.call("PATCH", `${path(paintsPath(version), manager)}${force}`, {
          type: APPLY,
          body: paint("a", version, spec),
        });
      const refused = await apply("v1", "cat", { color: "pink" });
      expect([refused.code, refused.body.message]).toEqual([
        409,
        `Apply failed with 1 conflict: conflict with "bob" using ${PAINTS_GROUP}/v2: .spec.colour`,
      ]);
      const forced = await apply("v1", "cat", { color: "pink" }, "&force=true");
      expect(forced.body.spec).toEqual({ color: "pink", mode: "Auto" });
      expect(ownersOf(forced)["cat/Apply/v1"]).toEqual({ "f:color": {} });
      // It gives up through v2 a field that it had set through v1.
      const given = await apply("v2", "cat", { size: 2 });
      expect([given.code, given.body.spec]).toEqual([200, { size: 2, mode: "Auto" }]);
      const stale = { ...patched.body, spec: { colour: "black" } };
      expect((await api.call("PUT", path(V2, "bob"), { body: stale })).code).toBe(409);
    });

    it("may change labels and annotations and nothing else in metadata", async () => {
      await using studio = await startStudio(client);
      const { api, webhook } = studio;
      await api.call("POST", V1, { body: paint("a", "v1", {}) });
      webhook.reaction = spoiling(({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, labels: { seen: "yes" }, finalizers: ["art.capstan.dev/x"], generation: 7 },
      }));
      const { metadata } = (await api.call("GET", `${V2}/a`)).body;
      expect([metadata.labels, metadata.finalizers, metadata.generation]).toEqual([
        { seen: "yes" },
        undefined,
        1,
      ]);
      webhook.reaction = spoiling(({ metadata, ...rest }) => ({
        ...rest,
        metadata: { ...metadata, labels: { "-": "x" } },
      }));
      const { code, body } = await api.call("GET", `${V2}/a`);
      expect([code, body.message]).toEqual([
        500,
        expect.stringMatching(
          `^${CORRUPT}${RETURNED} invalid metadata: metadata.labels: Invalid value: "-": name part`,
        ),
      ]);
    });

    it("that fail are answered with 500 and their reason", async () => {
      await using studio = await startStudio(client);
      const { api, webhook } = studio;
      await api.call("POST", V1, { body: paint("a", "v1", { color: "red" }) });
      for (const [mistake, [reaction, message]] of Object.entries(MISTAKES)) {
        webhook.reaction = reaction;
        const { code, body } = await api.call("GET", `${V2}/a`);
        expect([mistake, code, body.message]).toEqual([mistake, 500, expect.stringContaining(message)]);
      }
      webhook.reaction = failing("hub lost");
      const created = await api.call("POST", V2, { body: paint("b", "v2", {}) });
      expect([created.code, created.body.message]).toEqual([
        500,
        `conversion webhook for ${PAINTS_GROUP}/v2, Kind=Paint failed: hub lost`,
      ]);
      expect((await api.call("GET", `${V1}/b`)).code).toBe(404);
      const deleted = await api.call("DELETE", `${V2}/a`);
      expect(deleted.body.message).toMatch(new RegExp(`^${CORRUPT}${FAILED} hub lost$`));
      // Requests that do not need it are not disturbed.
      expect((await api.call("GET", `${V1}/a`)).body.spec.color).toBe("red");
      const changed = await api.call("PATCH", `${V1}/a`, { type: MERGE, body: { spec: { size: 1 } } });
      expect([changed.code, (await api.call("DELETE", `${V1}/a`)).code]).toEqual([200, 200]);
    });

    it("that cannot be reached or trusted are answered with 500 and their address", async () => {
      await using studio = await startStudio(client);
      const { api, webhook } = studio;
      const { url, caBundle } = webhook;
      await api.call("POST", V1, { body: paint("a", "v1", {}) });
      const answerWith = async (clientConfig: Body, message: string) => {
        const body = {
          spec: { conversion: { webhook: { clientConfig: { url: null, caBundle: null, ...clientConfig } } } },
        };
        await api.call("PATCH", `${CRDS_PATH}/${PAINTS_CRD}`, { type: MERGE, body });
        await eventually(
          async () =>
            expect((await api.call("GET", `${V2}/a`)).body.message).toMatch(`${FAILED} Post ${message}`),
          WITHIN,
        );
      };
      await answerWith({ url: "https://127.0.0.1:1/convert", caBundle }, '"https://127.0.0.1:1/convert');
      await answerWith({ url }, `"${url}?timeout=30s"`);
      await answerWith(
        { service: { name: "hook", namespace: "system", path: "/convert" } },
        '"https://hook.system.svc:443/convert?timeout=30s": service "hook" not found',
      );
    });

    it("are asked in the first version that both sides speak", async () => {
      await using studio = await startStudio(client, ["v7", "v1beta1", "v1"]);
      const { api, webhook } = studio;
      await api.call("POST", V1, { body: paint("a", "v1", {}) });
      expect((await api.call("GET", `${V2}/a`)).code).toBe(200);
      expect(webhook.asked.at(-1)?.apiVersion).toBe("apiextensions.k8s.io/v1beta1");
    });

    it("must be named completely in a CRD", async () => {
      await using studio = await startStudio(client);
      const { api } = studio;
      const crd = (await api.call("GET", `${CRDS_PATH}/${PAINTS_CRD}`)).body;
      const fieldsOf = async (conversion: Body): Promise<string[]> => {
        const changed = { ...crd, spec: paints(conversion).spec };
        const { body } = await api.call("PUT", `${CRDS_PATH}/${PAINTS_CRD}?dryRun=All`, { body: changed });
        return (body.details?.causes ?? []).map(({ field }: Body) => field);
      };
      const clientConfig = "spec.conversion.webhookClientConfig";
      const versions = "spec.conversion.conversionReviewVersions";
      expect(await fieldsOf({ strategy: "Webhook" })).toEqual([clientConfig, versions]);
      expect(await fieldsOf(webhookAt({}))).toEqual([clientConfig]);
      expect(await fieldsOf(webhookAt({ url: "https://a/b" }, ["v7"]))).toEqual([versions]);
    });
  });
}
