import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  applyConfiguration,
  trackUpdate,
} from "../../../../../infra/playground/apiserver/apply/managed-fields.ts";
import { StatusError } from "../../../../../infra/playground/apiserver/errors/status-error.ts";
import type { Json, JsonObject, KubeJson } from "../../../../../infra/playground/apiserver/objects/json.ts";
import { applyMergePatch } from "../../../../../infra/playground/apiserver/patch/json-patch.ts";
import { APPLY_VECTORS } from "../apply-vectors.ts";
import { WIDGET_SCHEMA } from "../widget-schema.ts";

const API_VERSION = "test.capstan.dev/v1";

interface Write {
  readonly manager?: string;
  readonly subresource?: string;
  readonly force?: boolean;
  readonly now?: string;
  readonly resetFields?: readonly string[];
}

function request(live: KubeJson | undefined, write: Write) {
  return {
    schema: WIDGET_SCHEMA,
    live,
    manager: write.manager ?? "fn-a",
    apiVersion: API_VERSION,
    subresource: write.subresource,
    now: write.now ?? "2026-11-21T00:00:00Z",
    ...(write.resetFields === undefined ? {} : { resetFields: write.resetFields }),
  };
}

function widget(body: JsonObject): KubeJson {
  const metadata = { name: "a", ...(body["metadata"] as JsonObject | undefined) };
  return { ...body, apiVersion: API_VERSION, kind: "Widget", metadata };
}

function apply(live: KubeJson | undefined, body: JsonObject, write: Write = {}): Promise<KubeJson> {
  return applyConfiguration({ ...request(live, write), config: widget(body), force: write.force ?? false });
}

async function update(live: KubeJson | undefined, next: KubeJson, write: Write = {}): Promise<KubeJson> {
  const managedFields = await trackUpdate({ ...request(live, write), next });
  const { managedFields: _, ...metadata } = next.metadata;
  return { ...next, metadata: managedFields === undefined ? metadata : { ...metadata, managedFields } };
}

function patch(live: KubeJson, body: JsonObject, write: Write = {}): Promise<KubeJson> {
  return update(live, applyMergePatch(live, body) as KubeJson, write);
}

function entriesOf(object: KubeJson | undefined): readonly JsonObject[] {
  return (object?.metadata["managedFields"] ?? []) as readonly JsonObject[];
}

/** FieldsV1 by manager/operation[/subresource]. */
function ownersOf(object: KubeJson | undefined): Record<string, Json> {
  const owners: Record<string, Json> = {};
  for (const { manager, operation, subresource, fieldsV1 } of entriesOf(object)) {
    owners[[manager, operation, subresource].filter((part) => part !== undefined).join("/")] =
      fieldsV1 as Json;
  }
  return owners;
}

function contentOf(object: KubeJson | undefined): JsonObject {
  return Object.fromEntries(
    Object.entries(object ?? {}).filter(([name]) => name === "spec" || name === "status"),
  );
}

async function failureOf(write: () => Promise<unknown>): Promise<StatusError> {
  try {
    await write();
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error("the write succeeded");
}

function items(...names: string[]): JsonObject {
  return { spec: { items: names.map((name) => ({ name })) } };
}

function itemNames(object: KubeJson): readonly Json[] {
  const spec = object["spec"] as JsonObject;
  return (spec["items"] as readonly JsonObject[]).map((item) => item["name"] as Json);
}

describe("server-side apply", () => {
  for (const vector of APPLY_VECTORS) {
    it(`behaves as recorded in vector ${vector.name}`, async () => {
      let live: KubeJson | undefined;
      for (const step of vector.steps) {
        const before: KubeJson | undefined = live;
        const write = (): Promise<KubeJson> =>
          step.verb === "merge"
            ? patch(before ?? widget({}), step.body, step)
            : apply(before, step.body, step);
        if (step.conflict === undefined) live = await write();
        else expect((await failureOf(write)).message).toBe(step.conflict);
        expect(contentOf(live)).toEqual(step.object);
        expect(ownersOf(live)).toEqual(step.entries);
      }
    });
  }

  it("orders keyed lists by the configuration and keeps foreign members at their place", async () => {
    const merged = async (live: string[], config: string[]) =>
      itemNames(
        await apply(await apply(undefined, items(...live)), items(...config), {
          manager: "fn-b",
          force: true,
        }),
      );
    expect(await merged(["x", "y"], ["z", "y"])).toEqual(["x", "z", "y"]);
    expect(await merged(["x", "y", "z"], ["z", "n", "x"])).toEqual(["y", "z", "n", "x"]);
    expect(await merged(["b", "c"], ["c", "b"])).toEqual(["c", "b"]);
  });

  it("names every conflicting manager and path", async () => {
    const first = await apply(undefined, { spec: { color: "red", size: 1 } });
    const second = await patch(first, { spec: { nested: { a: "1" } } }, { manager: "human" });
    const failure = await failureOf(() =>
      apply(second, { spec: { color: "green", size: 2, nested: { a: "2" } } }, { manager: "fn-b" }),
    );
    expect(failure.code).toBe(409);
    expect(failure.message).toBe(
      'Apply failed with 3 conflicts: conflicts with "fn-a":\n- .spec.color\n- .spec.size\nconflicts with "human" using test.capstan.dev/v1:\n- .spec.nested.a',
    );
    expect(failure.details.causes).toContainEqual({
      reason: "FieldManagerConflict",
      message: 'conflict with "fn-a"',
      field: ".spec.color",
    });
  });

  it("spells list keys, set values and subresources in conflicts", async () => {
    const live = await apply(undefined, {});
    const ready = await apply(
      live,
      { status: { conditions: [{ type: "B", reason: "x" }] } },
      { subresource: "status" },
    );
    const failure = await failureOf(() =>
      apply(
        ready,
        { status: { conditions: [{ type: "B", reason: "y" }] } },
        { manager: "fn-b", subresource: "status" },
      ),
    );
    expect(failure.message).toBe(
      'Apply failed with 1 conflict: conflict with "fn-a" with subresource "status": .status.conditions[type="B"].reason',
    );
  });

  it("gives everything an untracked object holds to before-first-apply", async () => {
    const live = widget({ spec: { color: "red" } });
    expect(ownersOf(await apply(live, { spec: { size: 1 } }))).toEqual({
      "fn-a/Apply": { "f:spec": { "f:size": {} } },
      "before-first-apply/Update": { "f:spec": { ".": {}, "f:color": {} } },
    });
  });

  it("has no time for an apply that only adds an owner, and the time of the last change otherwise", async () => {
    const first = await apply(undefined, { spec: { size: 1 } }, { now: "2026-01-01T00:00:00Z" });
    const shared = await apply(
      first,
      { spec: { size: 1 } },
      { manager: "fn-b", now: "2026-01-02T00:00:00Z" },
    );
    expect(entriesOf(shared).map(({ manager, time }) => [manager, time])).toEqual([
      ["fn-b", undefined],
      ["fn-a", "2026-01-01T00:00:00Z"],
    ]);
  });

  it("fills a missing list key from its default", async () => {
    const live = await apply(undefined, { spec: { ports: [{ port: 1 }] } });
    expect(ownersOf(live)["fn-a/Apply"]).toEqual({
      "f:spec": { "f:ports": { 'k:{"port":1,"protocol":"TCP"}': { ".": {}, "f:port": {} } } },
    });
    const same = await apply(live, { spec: { ports: [{ port: 1, protocol: "TCP" }] } });
    expect(contentOf(same)).toEqual(contentOf(live));
  });

  it("leaves a null where a manager emptied a struct without giving it up, which validation refuses", async () => {
    const live = await apply(undefined, { spec: { nested: { a: "1" } } });
    expect(contentOf(await apply(live, { spec: { nested: {} } }))["spec"]).toMatchObject({ nested: null });
  });

  it("keeps an applied null, which validation refuses, unless there is a default", async () => {
    expect(contentOf(await apply(undefined, { spec: { color: null } }))["spec"]).toMatchObject({
      color: null,
    });
    expect(contentOf(await apply(undefined, { spec: { mode: null } }))).toEqual({ spec: { mode: "Auto" } });
  });

  it("refuses configurations that do not fit the schema", async () => {
    const problem = async (spec: JsonObject): Promise<[number, string]> => {
      const { code, message } = await failureOf(() => apply(undefined, { spec }));
      return [code, message.slice(message.indexOf("): ") + 3)];
    };
    expect(await problem({ bogus: 1 })).toEqual([500, ".spec.bogus: field not declared in schema"]);
    expect(await problem({ set: ["a", "a"] })).toEqual([500, '.spec.set: duplicate entries for key [="a"]']);
    expect((await problem({ items: [{ value: "x" }] }))[1]).toContain("omits all key fields");
    expect((await problem({ items: {} }))[1]).toContain("expected list");
    expect((await problem({ color: {} }))[1]).toContain("expected scalar");
    expect((await failureOf(() => apply(undefined, { metadata: { managedFields: [] } }))).message).toBe(
      "metadata.managedFields must be nil",
    );
  });

  it("tolerates duplicates that are already stored", async () => {
    const live = widget({
      spec: { items: [{ name: "a", value: "1" }, { name: "a", value: "2" }, { name: "b" }] },
    });
    expect(itemNames(await apply(live, items("b")))).toEqual(["a", "a", "b"]);
    const next = await patch(live, { spec: { color: "red" } });
    expect(contentOf(next)["spec"]).toMatchObject({ color: "red" });
  });

  it("lets kubectl take over what client-side apply had set, and nothing else", async () => {
    const annotation = JSON.stringify(widget({ spec: { color: "red", size: 1 } }));
    const metadata = { annotations: { "kubectl.kubernetes.io/last-applied-configuration": annotation } };
    const live = await update(undefined, widget({ metadata, spec: { color: "red", size: 1 } }), {
      manager: "kubectl-client-side-apply",
    });
    const taken = await apply(live, { spec: { color: "green", size: 1 } }, { manager: "kubectl" });
    expect(contentOf(taken)["spec"]).toMatchObject({ color: "green" });
    const changed = await patch(live, { spec: { color: "blue" } }, { manager: "human" });
    expect(
      (await failureOf(() => apply(changed, { spec: { color: "green" } }, { manager: "kubectl" }))).code,
    ).toBe(409);
  });

  it("tracks the status on the main endpoint of a kind without status subresource", async () => {
    const live = await apply(undefined, { status: { phase: "x" } }, { resetFields: [] });
    expect(contentOf(live)).toEqual({ status: { phase: "x" } });
    expect(ownersOf(live)["fn-a/Apply"]).toEqual({ "f:status": { "f:phase": {} } });
  });

  it("merges owner references by uid, each as a whole", async () => {
    const owner = (uid: string) => ({ apiVersion: "v1", kind: "X", name: "x", uid });
    const first = await apply(undefined, {
      metadata: { ownerReferences: [owner("1")], finalizers: ["f/a"] },
    });
    const both = await apply(
      first,
      { metadata: { ownerReferences: [owner("2")], finalizers: ["f/b"] } },
      { manager: "fn-b" },
    );
    expect(both.metadata["finalizers"]).toEqual(["f/a", "f/b"]);
    expect(both.metadata["ownerReferences"]).toEqual([owner("1"), owner("2")]);
    expect(ownersOf(both)["fn-b/Apply"]).toEqual({
      "f:metadata": { "f:finalizers": { 'v:"f/b"': {} }, "f:ownerReferences": { 'k:{"uid":"2"}': {} } },
    });
  });

  it("keeps members whose names every object inherits, and says who owns them", async () => {
    const body = JSON.parse(
      '{"spec": {"labels": {"__proto__": "x", "a": "b"}, "free": {"constructor": {"p": 1}}}}',
    );
    const live = await apply(undefined, body);
    const text = '{"labels":{"__proto__":"x","a":"b"},"free":{"constructor":{"p":1}},"mode":"Auto"}';
    expect(contentOf(live)).toEqual({ spec: JSON.parse(text) });
    expect(JSON.stringify(ownersOf(live))).toContain('"f:labels":{"f:__proto__":{},"f:a":{}}');
  });
});

describe("tracking of updates", () => {
  it("records a created struct itself as well as its fields", async () => {
    const live = await update(
      undefined,
      widget({ metadata: { labels: { x: "1" } }, spec: { color: "red" } }),
    );
    expect(ownersOf(live)).toEqual({
      "fn-a/Update": {
        "f:metadata": { "f:labels": { ".": {}, "f:x": {} } },
        "f:spec": { ".": {}, "f:color": {} },
      },
    });
  });

  it("starts nothing for an object whose history was reset, until the next apply", async () => {
    const live = await update(undefined, widget({ spec: { color: "red" } }));
    const reset = await patch(live, { metadata: { managedFields: [{}] } });
    expect(entriesOf(reset)).toEqual([]);
    expect(entriesOf(await patch(reset, { spec: { color: "green" } }))).toEqual([]);
    expect(Object.keys(ownersOf(await apply(reset, { spec: { size: 1 } })))).toContain(
      "before-first-apply/Update",
    );
  });

  it("takes entries from the request, but neither an empty list nor one it cannot read", async () => {
    const live = await update(undefined, widget({ spec: { color: "red" } }));
    const [entry] = entriesOf(live);
    const renamed = await patch(live, {
      metadata: { managedFields: [{ ...entry, manager: "kubectl", operation: "Apply" }] },
    });
    expect(Object.keys(ownersOf(renamed))).toEqual(["kubectl/Apply"]);
    expect(ownersOf(await patch(live, { metadata: { managedFields: [] } }))).toEqual(ownersOf(live));
    expect(
      ownersOf(await patch(live, { metadata: { managedFields: [{ ...entry, fieldsType: "X" }] } })),
    ).toEqual(ownersOf(live));
  });

  it("drops the entry of an owner whose last field is removed", async () => {
    const created = await update(undefined, widget({ spec: { color: "red" } }));
    const live = await patch(created, { spec: { size: 1 } }, { manager: "human" });
    expect(Object.keys(ownersOf(live))).toEqual(["fn-a/Update", "human/Update"]);
    const next = await patch(live, { spec: { size: null } }, { manager: "robot" });
    expect(Object.keys(ownersOf(next))).toEqual(["fn-a/Update"]);
  });

  it("folds the oldest of more than ten updaters into ancient-changes", async () => {
    let live = await update(undefined, widget({ spec: { labels: { l0: "x" } } }), { manager: "m00" });
    for (let index = 1; index < 13; index += 1) {
      const now = `2026-12-01T00:00:${String(index).padStart(2, "0")}Z`;
      const manager = `m${String(index).padStart(2, "0")}`;
      live = await patch(live, { spec: { labels: { [`l${index}`]: "x" } } }, { manager, now });
    }
    const owners = ownersOf(live);
    expect(Object.keys(owners)).toHaveLength(10);
    expect(owners["ancient-changes/Update"]).toEqual({
      "f:spec": { ".": {}, "f:labels": { ".": {}, "f:l0": {}, "f:l1": {}, "f:l2": {}, "f:l3": {} } },
    });
  });

  it("ignores what the endpoint does not store", async () => {
    const live = await update(undefined, widget({ spec: { color: "red" } }));
    expect(ownersOf(await patch(live, { status: { phase: "x" } }, { manager: "fn-b" }))).toEqual(
      ownersOf(live),
    );
  });

  it("keeps the entries when a list member has no identity, which validation will refuse", async () => {
    const live = await update(undefined, widget({ spec: { color: "red" } }));
    expect(ownersOf(await patch(live, { spec: { items: [{ value: "x" }] } }))).toEqual(ownersOf(live));
  });
});

const letters = fc.subarray(["a", "b", "c", "d"]);
const textValue = fc.constantFrom("1", "2");

/** Configurations without empty structs, which their managers may not empty later. */
const configuration: fc.Arbitrary<JsonObject> = fc.record({
  spec: fc.record(
    {
      size: fc.integer({ min: 0, max: 3 }),
      color: textValue,
      labels: fc.dictionary(fc.constantFrom("k", "l", "m"), textValue, { minKeys: 1 }),
      set: fc.shuffledSubarray(["x", "y", "z"], { minLength: 1 }),
      atomicList: letters,
      items: fc
        .uniqueArray(fc.record({ name: fc.constantFrom("a", "b", "c"), value: textValue }), {
          selector: (item) => item.name,
          minLength: 1,
        })
        .map((found) => [...found]),
    },
    { requiredKeys: ["size"] },
  ),
}) as fc.Arbitrary<JsonObject>;

describe("properties of apply", () => {
  it("changes nothing when the same configuration is applied again", () =>
    fc.assert(
      fc.asyncProperty(configuration, configuration, async (base, config) => {
        const live = await apply(await apply(undefined, base), config, { manager: "fn-b", force: true });
        expect(await apply(live, config, { manager: "fn-b", now: "2027-01-01T00:00:00Z" })).toEqual(live);
      }),
    ));

  it("leaves exactly the last configuration when one manager owns everything", () =>
    fc.assert(
      fc.asyncProperty(configuration, configuration, async (first, second) => {
        const twice = await apply(await apply(undefined, first), second);
        const once = await apply(undefined, second);
        expect(contentOf(twice)["spec"]).toEqual(contentOf(once)["spec"]);
        expect(ownersOf(twice)).toEqual(ownersOf(once));
      }),
    ));

  it("never takes a field from another manager without force", () =>
    fc.assert(
      fc.asyncProperty(configuration, configuration, async (mine, theirs) => {
        const live = await apply(undefined, mine);
        let next = live;
        try {
          next = await apply(live, theirs, { manager: "fn-b" });
        } catch (error) {
          expect(error).toBeInstanceOf(StatusError);
        }
        expect(ownersOf(next)["fn-a/Apply"]).toEqual(ownersOf(live)["fn-a/Apply"]);
      }),
    ));

  it("does not change its input", () =>
    fc.assert(
      fc.asyncProperty(configuration, configuration, async (base, config) => {
        const live = await apply(undefined, base);
        const before = JSON.stringify([live, config]);
        await apply(live, config, { manager: "fn-b", force: true });
        await patch(live, config, { manager: "human" });
        expect(JSON.stringify([live, config])).toBe(before);
      }),
    ));
});
