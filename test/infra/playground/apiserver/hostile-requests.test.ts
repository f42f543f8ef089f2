import { describe, expect, it } from "vitest";
import { type Body, CRDS_PATH, JSON_PATCH, startTestServer, type TestApiServer } from "./api-client.ts";

/**
 * One client sends what once held the server up for minutes or for ever; another one continues to write (A2,
 * A4, A5, A7).
 */

const CONFIG_MAPS = "/api/v1/namespaces/default/configmaps";
const TRAPS = "/apis/hostile.dev/v1/namespaces/default/traps";

const text = { type: "string" };
const spec = {
  type: "object",
  properties: {
    pattern: { ...text, pattern: "^(a+)+$" },
    wide: { ...text, pattern: "^[ab]*a[ab]{900}$" },
    list: { type: "array", items: text },
    choices: {
      type: "array",
      items: { ...text, enum: Array.from({ length: 1_000 }, (_, n) => `choice-${n}`) },
    },
    free: { type: "object", "x-kubernetes-preserve-unknown-fields": true },
  },
  "x-kubernetes-validations": [
    {
      rule: "!has(self.list) || self.list.all(a, self.list.all(b, self.list.all(c, a != b || b != c || a == c)))",
    },
  ],
};

function crdWith(name: string, schema: object) {
  return {
    apiVersion: "apiextensions.k8s.io/v1",
    kind: "CustomResourceDefinition",
    metadata: { name: `${name}s.hostile.dev` },
    spec: {
      group: "hostile.dev",
      scope: "Namespaced",
      names: { plural: `${name}s`, kind: `${name[0]?.toUpperCase()}${name.slice(1)}` },
      versions: [
        {
          name: "v1",
          served: true,
          storage: true,
          schema: { openAPIV3Schema: { type: "object", properties: { spec: schema } } },
        },
      ],
    },
  };
}

const trap = (content: object) => ({
  apiVersion: "hostile.dev/v1",
  kind: "Trap",
  metadata: { name: "t" },
  spec: content,
});
const MANY = 30_000;
const many = <T>(create: (n: number) => T): readonly T[] => Array.from({ length: MANY }, (_, n) => create(n));
const postMap = (metadata: object) => (api: TestApiServer) =>
  api.call("POST", CONFIG_MAPS, { body: { metadata: { name: "many", ...metadata } } });
/** The line that ends a list of causes that was cut; where each is short, a hundred are named. */
const NAMED_100 = /, only 100 of the problems are named\]$/;
const copies = Array.from({ length: 28 }, (_, index) => ({
  op: "copy",
  from: "/data",
  path: `/data/c${index}`,
}));

interface Hostile {
  readonly what: string;
  readonly send: (api: TestApiServer) => Promise<{ readonly code: number; readonly body: Body }>;
  readonly refusal: readonly [code: number, message: RegExp];
}

const HOSTILE: readonly Hostile[] = [
  {
    what: "A2: a text that makes a pattern backtrack",
    send: (api) => api.call("POST", TRAPS, { body: trap({ pattern: `${"a".repeat(50_000)}!` }) }),
    refusal: [422, /should match '\^\(a\+\)\+\$'/],
  },
  {
    what: "A2: a long text for a large pattern",
    send: (api) => api.call("POST", TRAPS, { body: trap({ wide: "ab".repeat(500_000) }) }),
    refusal: [422, /too long to be matched/],
  },
  {
    what: "A2: a CRD with a pattern that only backtracking knows",
    send: (api) =>
      api.call("POST", CRDS_PATH, { body: crdWith("odd", { ...text, pattern: "^(?=a)(a|aa)+$" }) }),
    refusal: [422, /invalid or unsupported Perl syntax: `\(\?=`/],
  },
  {
    what: "A4: a JSON patch that doubles the object 28 times",
    send: (api) =>
      api.call("PATCH", `${CONFIG_MAPS}/victim`, {
        type: JSON_PATCH,
        body: [{ op: "add", path: "/data", value: { a: "x".repeat(1_000) } }, ...copies],
      }),
    refusal: [422, /the server rejected our request/],
  },
  {
    what: "A5: three nested loops over 200 items",
    send: (api) =>
      api.call("POST", TRAPS, {
        body: trap({ list: Array.from({ length: 200 }, (_, index) => `i${index}`) }),
      }),
    refusal: [422, /actual cost limit exceeded/],
  },
  {
    what: "A7: a label key that is the name of the prototype",
    send: (api) =>
      api.call("POST", CONFIG_MAPS, { body: '{"metadata":{"name":"p","labels":{"__proto__":"x"}}}' }),
    refusal: [422, /metadata\.labels: Invalid value: "__proto__"/],
  },
  {
    what: "30,000 malformed label keys",
    send: postMap({ labels: Object.fromEntries(many((n) => [`-${n}`, ""])) }),
    refusal: [422, NAMED_100],
  },
  {
    what: "30,000 owner references without anything",
    send: postMap({ ownerReferences: many((n) => ({ uid: String(n) })) }),
    refusal: [422, NAMED_100],
  },
  {
    what: "30,000 texts outside of a set of 1,000",
    send: (api) => api.call("POST", TRAPS, { body: trap({ choices: many(() => "") }) }),
    refusal: [422, /, only \d\d of the problems are named\]$/],
  },
];

describe("hostile requests", () => {
  it.each(HOSTILE)(
    "$what: is refused, and another client's writes are answered meanwhile",
    async ({ send, refusal }) => {
      await using api = await startTestServer({ withWidgets: false });
      expect((await api.call("POST", CRDS_PATH, { body: crdWith("trap", spec) })).code).toBe(201);
      await api.call("POST", CONFIG_MAPS, { body: { metadata: { name: "victim" } } });
      let isOver = false;
      const hostile = Promise.all([send(api), send(api)]).finally(() => {
        isOver = true;
      });
      const written: number[] = [];
      do {
        const body = { metadata: { name: `quiet-${written.length}` } };
        written.push((await api.call("POST", CONFIG_MAPS, { body })).code);
      } while (!isOver || written.length < 5);
      for (const { code, body } of await hostile) {
        expect(code).toBe(refusal[0]);
        expect(body.message).toMatch(refusal[1]);
      }
      expect(new Set(written)).toEqual(new Set([201]));
      expect(({} as Body).polluted).toBeUndefined();
    },
  );
});
