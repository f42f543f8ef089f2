import { expect, it } from "vitest";
import { loadCrds } from "../../../../infra/platform/crds/crd.ts";
import { Definitions, serveOlderVersions } from "../../../../infra/worker/webhook/definitions.ts";
import { type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import { valueAt } from "../../../../shared/api/path.ts";
import { recordingClients } from "../../../support/recording-clients.ts";

const CONVERTING = { url: "https://127.0.0.1:9443/convert", caBundle: "Y2E=" };
const [plain, older] = await Promise.all([loadCrds(), loadCrds(undefined, CONVERTING)]);
const nameOf = ({ metadata }: KubeObject) => metadata.name;
const converted = older.filter((crd) => valueAt(crd, "spec.conversion") !== undefined).map(nameOf);

it("lets our definitions name the webhook and takes it out again, and writes none that is right", async () => {
  for (const [present, wanted, of, how] of [
    [plain, older, CONVERTING, "apply"],
    [older, plain, undefined, "jsonPatch"],
  ] as const) {
    const clients = recordingClients(undefined, present);
    expect(await serveOlderVersions(clients.of(MANAGEMENT, "webhook"), of)).toEqual(converted);
    expect(clients.sent.map(({ verb, name }) => `${verb} ${name}`)).toEqual(
      converted.map((name) => `${how} ${name}`),
    );
    for (const { body, operations } of clients.sent) {
      const paths = operations?.map(({ path }) => path) ?? [
        ...Object.keys(Object(body).metadata),
        ...Object.keys(Object(body).spec).map((field) => `/spec/${field}`),
      ];
      expect(paths.filter((path) => !/^(name|.spec.(versions|conversion))$/.test(path))).toEqual([]);
    }
    const again = recordingClients(undefined, wanted);
    expect(await serveOlderVersions(again.of(MANAGEMENT, "webhook"), of)).toEqual([]);
    expect(again.sent).toEqual([]);
  }
});

it("CE-02: adds its authority before the newest that a definition trusts, and trusts it alone in the end", async () => {
  const bundle = (...names: readonly string[]) =>
    Buffer.from(names.map((name) => `-----BEGIN ${name}-----\n`).join("")).toString("base64");
  const written = async (present: string, own: string, isAlone?: boolean) => {
    const found = JSON.parse(JSON.stringify(older).replaceAll(CONVERTING.caBundle, present));
    const clients = recordingClients(undefined, found);
    await serveOlderVersions(clients.of(MANAGEMENT, "webhook"), { ...CONVERTING, caBundle: own }, isAlone);
    return new Set(
      clients.sent.map(({ body }) => valueAt(body, "spec.conversion.webhook.clientConfig.caBundle")),
    );
  };
  expect(await written(bundle("new", "old"), bundle("old"))).toEqual(new Set());
  expect(await written(bundle("old", "older"), bundle("new"))).toEqual(new Set([bundle("new", "old")]));
  expect(await written(bundle("new", "old"), bundle("new"), true)).toEqual(new Set([bundle("new")]));
  expect(await written(bundle("new"), bundle("new"), true)).toEqual(new Set());
});

it("has a state that changes with a definition", async () => {
  const definitions = new Definitions();
  const state = async (resourceVersion: string) => {
    const items = plain.map((crd) => ({ ...crd, metadata: { ...crd.metadata, resourceVersion } }));
    const page = { items, resourceVersion, first: true, bytes: 0 };
    await definitions.read({
      pages: async function* () {
        yield page;
      } as never,
    });
    return definitions.stateOfOurs();
  };
  const before = await state("1");
  expect(await state("1")).toBe(before);
  expect(await state("2")).not.toBe(before);
});

it("knows the definitions of the chart, which have Helm's label", async () => {
  const charts = plain.map((crd) => {
    const metadata = {
      ...crd.metadata,
      labels: { "app.kubernetes.io/managed-by": "Helm" },
      annotations: { "capstan.dev/version": "0.1.0" },
    };
    return { ...crd, metadata };
  });
  const clients = recordingClients(undefined, charts);
  expect(await serveOlderVersions(clients.of(MANAGEMENT, "webhook"), CONVERTING)).toEqual(converted);
});

it("leaves definitions alone that are missing or not Capstan's", async () => {
  const [first, ...others] = plain.filter((crd) => converted.includes(nameOf(crd)));
  const foreign = { ...first, metadata: { name: first?.metadata.name } } as KubeObject;
  const clients = recordingClients(undefined, [foreign, ...others.slice(1)]);
  const changed = await serveOlderVersions(clients.of(MANAGEMENT, "webhook"), CONVERTING);
  expect(changed).toEqual(others.slice(1).map(nameOf));
});
