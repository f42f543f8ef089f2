import { describe, expect, it } from "vitest";
import { testFolder } from "../../../support/test-folder.ts";
import {
  APPLY,
  type Body,
  CRDS_PATH,
  JSON_PATCH,
  MERGE,
  STRATEGIC,
  startTestServer,
  type TestApiServer,
} from "./api-client.ts";

/** Answers as kube-apiserver 1.34.2 gives them to the same requests (A7, S-50). */

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const FREES = "/apis/names.dev/v1/namespaces/default/frees";
const KEYS = '"__proto__":"p","constructor":"c","prototype":"t","toString":"s","hasOwnProperty":"h"';
const OPEN = '"__proto__":{"polluted":true},"constructor":{"prototype":{"x":1}},"toString":{"a":1},"ok":1';

const text = { type: "string" };
const spec = {
  type: "object",
  properties: {
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
    map: { type: "object", additionalProperties: text },
    strict: { type: "object", properties: { a: text } },
    toString: { ...text, default: "given" },
    constructor: text,
  },
};
const FREE_CRD = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "frees.names.dev" },
  spec: {
    group: "names.dev",
    scope: "Namespaced",
    names: { plural: "frees", kind: "Free" },
    versions: [
      {
        name: "v1",
        served: true,
        storage: true,
        schema: { openAPIV3Schema: { type: "object", properties: { spec } } },
      },
    ],
  },
};

const configMap = (content: string, metadata = "") =>
  `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"${metadata}},${content}}`;
const free = (content: string) =>
  `{"apiVersion":"names.dev/v1","kind":"Free","metadata":{"name":"a"},"spec":${content}}`;

async function withConfigMap(): Promise<TestApiServer> {
  const api = await startTestServer({ withWidgets: false });
  expect((await api.call("POST", CONFIG_MAPS, { body: configMap(`"data":{${KEYS}}`) })).code).toBe(201);
  return api;
}

async function withFree(options: { readonly data?: string } = {}): Promise<TestApiServer> {
  const api = await startTestServer({ withWidgets: false, ...options });
  await api.call("POST", CRDS_PATH, { body: FREE_CRD });
  const content = `{"free":{${OPEN}},"map":{${KEYS}},"constructor":"x"}`;
  expect((await api.call("POST", FREES, { body: free(content) })).code).toBe(201);
  return api;
}

/** As text: comparing objects would not see an own `__proto__`. */
const contentOf = async (api: TestApiServer, path: string, member: string): Promise<string> =>
  JSON.stringify((await api.call("GET", path)).body[member]);
const ownersOf = (body: Body): string => JSON.stringify(body.metadata.managedFields);

describe("names that every object inherits", () => {
  it("are kept in ConfigMaps and Secrets, and owned by their writer", async () => {
    await using api = await withConfigMap();
    expect(await contentOf(api, `${CONFIG_MAPS}/a`, "data")).toBe(`{${KEYS}}`);
    const { body } = await api.call("GET", `${CONFIG_MAPS}/a`);
    for (const name of ["__proto__", "constructor", "prototype", "toString"]) {
      expect(ownersOf(body)).toContain(`"f:${name}":{}`);
    }
    const secret = `{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"},"stringData":{"__proto__":"p"},"data":{"toString":"eA=="}}`;
    const { body: made } = await api.call("POST", "/api/v1/namespaces/default/secrets", { body: secret });
    expect(JSON.stringify(made.data)).toBe('{"toString":"eA==","__proto__":"cA=="}');
    const odd = secret.replace('"name":"s"}', '"name":"t"},"type":"constructor"');
    expect((await api.call("POST", "/api/v1/namespaces/default/secrets", { body: odd })).code).toBe(201);
  });

  it("are refused as keys of labels and annotations where they are not qualified names", async () => {
    await using api = await withConfigMap();
    for (const member of ["labels", "annotations"]) {
      const body = configMap('"data":{}', `,"${member}":{"__proto__":"x"}`).replace('"a"', '"b"');
      const refused = await api.call("POST", CONFIG_MAPS, { body });
      expect([refused.code, refused.body.reason]).toEqual([422, "Invalid"]);
      expect(refused.body.message).toBe(
        `ConfigMap "b" is invalid: metadata.${member}: Invalid value: "__proto__": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
      );
      expect(refused.body.details.causes[0].field).toBe(`metadata.${member}`);
    }
    const patches = [
      [MERGE, '{"metadata":{"labels":{"__proto__":"x"}}}'],
      [STRATEGIC, '{"metadata":{"labels":{"__proto__":"x"}}}'],
      [JSON_PATCH, '[{"op":"add","path":"/metadata/labels","value":{"__proto__":"x"}}]'],
      [APPLY, configMap('"data":{}', ',"labels":{"__proto__":"x"}')],
    ] as const;
    for (const [type, body] of patches) {
      const { code } = await api.call(
        "PATCH",
        `${CONFIG_MAPS}/a?fieldManager=ann&force=${type === APPLY}`.replace("&force=false", ""),
        { type, body },
      );
      expect([type, code]).toEqual([type, 422]);
    }
    const good = configMap('"data":{}', ',"labels":{"constructor":"x","toString":"y"}').replace('"a"', '"c"');
    const { body } = await api.call("POST", CONFIG_MAPS, { body: good });
    expect(JSON.stringify(body.metadata.labels)).toBe('{"constructor":"x","toString":"y"}');
  });

  it("are patched like any other member", async () => {
    await using api = await withConfigMap();
    const path = `${CONFIG_MAPS}/a`;
    const patch = (type: string, body: string) => api.call("PATCH", path, { type, body });
    await patch(
      MERGE,
      '{"data":{"__proto__":"p2","toString":null,"hasOwnProperty":null,"constructor":"c2"}}',
    );
    expect(await contentOf(api, path, "data")).toBe('{"__proto__":"p2","constructor":"c2","prototype":"t"}');
    await patch(STRATEGIC, '{"data":{"__proto__":"p3","valueOf":"v","constructor":null}}');
    expect(await contentOf(api, path, "data")).toBe('{"__proto__":"p3","prototype":"t","valueOf":"v"}');
    const ops =
      '[{"op":"replace","path":"/data/__proto__","value":"p4"},{"op":"remove","path":"/data/valueOf"},{"op":"test","path":"/data/toString","value":null},{"op":"copy","from":"/data/__proto__","path":"/data/constructor"}]';
    expect((await patch(JSON_PATCH, ops)).code).toBe(200);
    expect(await contentOf(api, path, "data")).toBe('{"__proto__":"p4","prototype":"t","constructor":"p4"}');
    expect((await patch(JSON_PATCH, '[{"op":"remove","path":"/data/isPrototypeOf"}]')).code).toBe(422);
  });

  it("are applied, in conflict, and given up like any other member", async () => {
    await using api = await withFree();
    const apply = (manager: string, content: string, force = false) =>
      api.call("PATCH", `${FREES}/a?fieldManager=${manager}&force=${force}`, {
        type: APPLY,
        body: free(content),
      });
    await apply(
      "ann",
      '{"free":{"__proto__":{"by":"ann","constructor":{"x":1}}},"map":{"__proto__":"q","valueOf":"z"}}',
      true,
    );
    const refused = await apply("bob", '{"free":{"__proto__":{"by":"bob"}},"map":{"__proto__":"r"}}');
    expect(refused.code).toBe(409);
    expect(refused.body.message).toBe(
      'Apply failed with 2 conflicts: conflicts with "ann":\n- .spec.free.__proto__.by\n- .spec.map.__proto__',
    );
    await apply("ann", '{"free":{"__proto__":{"by":"ann"}}}');
    const { body } = await api.call("GET", `${FREES}/a`);
    expect(JSON.stringify(body.spec.free)).toContain('"__proto__":{"polluted":true,"by":"ann"}');
    expect(Object.keys(body.spec.map)).toEqual(["constructor", "prototype", "toString", "hasOwnProperty"]);
    expect(ownersOf(body)).toContain('{"f:spec":{"f:free":{"f:__proto__":{".":{},"f:by":{}}}}}');
  });

  it("are pruned where nothing declares them, defaulted where a schema does, with a warning in both cases", async () => {
    await using api = await withFree();
    expect((await api.call("GET", `${FREES}/a`)).body.spec.toString).toBe("given");
    const content = free(`{"strict":{"a":"x",${OPEN}},"__proto__":{}}`);
    const body = content.replace('"metadata":{"name":"a"}', '"__proto__":1,"metadata":{"name":"b"}');
    const warned = await api.call("POST", `${FREES}?dryRun=All`, { body });
    expect(JSON.stringify(warned.body.spec.strict)).toBe('{"a":"x"}');
    const strict = await api.call("POST", `${FREES}?fieldValidation=Strict`, { body });
    expect(strict.code).toBe(400);
    const unknown = ["__proto__", "spec.__proto__", "spec.strict.__proto__", "spec.strict.constructor"];
    for (const path of unknown) expect(strict.body.message).toContain(`unknown field "${path}"`);
  });

  it("are not subresources, representations or columns of their own", async () => {
    await using api = await withConfigMap();
    expect((await api.call("GET", `${CONFIG_MAPS}/a/constructor`)).code).toBe(404);
    const accept = "application/json;as=constructor;v=v1;g=meta.k8s.io";
    expect((await api.call("GET", `${CONFIG_MAPS}/a`, { accept })).code).toBe(406);
    expect(({} as Body).polluted).toBeUndefined();
    expect(({} as Body).x).toBeUndefined();
  });

  it("survive a restart of a server with a data folder", async () => {
    const data = testFolder("names");
    await using stack = new AsyncDisposableStack();
    const first = stack.use(await withFree({ data }));
    await first.server.stop();
    const second = stack.use(await startTestServer({ data, withWidgets: false }));
    expect(await contentOf(second, `${FREES}/a`, "spec")).toContain(`"free":{${OPEN}}`);
  });
});
