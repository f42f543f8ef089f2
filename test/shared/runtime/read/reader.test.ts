import { describe, expect, it } from "vitest";
import { createIssuer } from "../../../../infra/platform/pki/issuer.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import { CustomResourceDefinition, Secret } from "../../../../shared/api/core.ts";
import { type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import {
  type AnyFunction,
  defineFunction,
  watch,
  watchContract,
} from "../../../../shared/function/define-function.ts";
import { KubeError } from "../../../../shared/function/errors.ts";
import { itself, referencing } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";
import type { Clients, Issuer, Store } from "../../../../shared/runtime/ports.ts";
import type { Fence } from "../../../../shared/runtime/queue/queue-port.ts";
import { NotListedError } from "../../../../shared/runtime/read/listed.ts";
import { createReader } from "../../../../shared/runtime/read/reader.ts";
import { crd } from "../../../support/builders.ts";
import { createFakePki } from "../../../support/fake-pki.ts";
import { recordingClients } from "../../../support/recording-clients.ts";
import { Gadget, Part, WIDGETS, Widget, widget, widgetFence } from "../../../support/widget.ts";

const common = {
  name: "widget-grow",
  summary: "Grows.",
  source: "own",
  reconciles: Widget,
  owns: [],
} as const;
const grow: AnyFunction = defineFunction(
  {
    ...common,
    watches: [watch(Widget, ["spec.colour"], itself), watchContract(Part, ["status.ready"], referencing)],
    readsLive: [Secret, Gadget],
  },
  async () => ({ result: done }),
);
const blind: AnyFunction = defineFunction({ ...common, watches: [] }, async () => ({ result: done }));

const CRDS = {
  cluster: MANAGEMENT,
  group: CustomResourceDefinition.group,
  kind: CustomResourceDefinition.kind,
};
const DOORS = { cluster: MANAGEMENT, group: "parts.dev", kind: "Door" };
const reference = { apiGroup: "parts.dev", kind: "Door", name: "d" };
const door: KubeObject = {
  apiVersion: "parts.dev/v1",
  kind: "Door",
  metadata: { name: "d", namespace: "default", uid: "uid-d", resourceVersion: "5" },
};
const key = { namespace: "default", name: "w" };

async function storeOf(...objects: readonly KubeObject[]): Promise<Store> {
  const store = createMemoryStore();
  for (const type of [WIDGETS, CRDS, DOORS]) await store.advance(type, { ready: true, resourceVersion: "7" });
  for (const object of objects) {
    const group = object.apiVersion.includes("/") ? (object.apiVersion.split("/")[0] ?? "") : "";
    await store.put({ cluster: MANAGEMENT, group, kind: object.kind }, [object]);
  }
  return store;
}

function readerOf(
  store: Store,
  {
    fn = grow,
    served = [],
    stale = [],
    clients = recordingClients(undefined, served),
    ...more
  }: {
    readonly fn?: AnyFunction;
    readonly served?: readonly KubeObject[];
    readonly stale?: readonly Fence[];
    readonly clients?: Clients;
    readonly issuer?: Issuer | undefined;
  } = {},
) {
  const issuer = createIssuer(createFakePki());
  return createReader({ function: fn, store, clients, stale, issuer, ...more });
}

describe("a read of the read model", () => {
  it("finds a snapshot, knows what does not exist, and records both", async () => {
    const read = readerOf(await storeOf(widget()));
    expect(await read.get(Widget, key)).toMatchObject({ metadata: { uid: "uid-w" } });
    expect(await read.get(Widget, { ...key, name: "x" })).toBeUndefined();
    expect(await read.list(Widget, { namespace: "default" })).toHaveLength(1);
    expect(read.records()).toEqual([
      {
        source: "snapshot",
        cluster: "management",
        kind: "Widget",
        what: "default/w",
        resourceVersions: ["7"],
      },
      { source: "snapshot", cluster: "management", kind: "Widget", what: "default/x", resourceVersions: [] },
      {
        source: "snapshot",
        cluster: "management",
        kind: "Widget",
        what: '{"namespace":"default"}',
        resourceVersions: ["7"],
      },
    ]);
  });

  it("is recorded without the thousands of values that a large pool asks for", async () => {
    const read = readerOf(await storeOf(widget()));
    const values = Array.from({ length: 11 }, (_, at) => `foo://${at}`);
    await read.list(Widget, { index: { name: "uid", values } });
    const few = { index: { name: "uid", values: values.slice(1) } };
    await read.list(Widget, few);
    expect(read.records().map(({ what }) => what)).toEqual([
      '{"index":{"name":"uid","values":"11 values"}}',
      JSON.stringify(few),
    ]);
  });

  it("says nothing about absence before the first list is complete", async () => {
    const read = readerOf(createMemoryStore());
    await expect(read.get(Widget, key)).rejects.toThrow(NotListedError);
    await expect(read.list(Widget, {})).rejects.toThrow("list of Widget on management");
    await expect(read.referenced(reference, "default")).rejects.toThrow(NotListedError);
  });

  it("KR-22: does not take a snapshot for the present once its kind is no longer listed", async () => {
    const store = await storeOf(widget());
    await store.advance({ cluster: MANAGEMENT, group: Widget.group, kind: Widget.kind }, { ready: false });
    await expect(readerOf(store).get(Widget, key)).rejects.toThrow(NotListedError);
  });

  it("is not older than its trigger, also of a workload server that the function may not ask", async () => {
    const causes = [{ what: "Widget default/w", resourceVersion: "9" }];
    const workload = "default/c1";
    const type = { cluster: workload, group: Widget.group, kind: Widget.kind };
    const store = await storeOf(widget());
    await store.advance(type, { ready: true, resourceVersion: "7" });
    await store.put(type, [widget()]);
    const clients = recordingClients(undefined, []);
    const read = createReader({ function: grow, store, clients, stale: [], causes });
    await expect(read.get(Widget, key)).rejects.toThrow("older than 9");
    await expect(read.list(Widget, {}, workload)).rejects.toThrow("older than 9");
  });

  it("is refused for a kind that the function does not watch: nothing would wake it", async () => {
    const store = await storeOf();
    await expect(readerOf(store).get(Gadget, key)).rejects.toThrow("bug: widget-grow reads Gadget");
    await expect(readerOf(store).list(Gadget, {})).rejects.toThrow("bug: widget-grow reads Gadget");
    await expect(readerOf(store, { fn: blind }).referenced(reference, "default")).rejects.toThrow(
      "bug: widget-grow reads parts.dev/Door d",
    );
  });

  it("goes to the server for an object, and a list with it, whose snapshot stays behind its fence", async () => {
    const served = [
      widget({ resourceVersion: "9" }),
      widget({
        name: "v",
        uid: "uid-v",
        resourceVersion: "8",
        labels: { "cluster.x-k8s.io/cluster-name": "c1" },
      }),
    ];
    const read = readerOf(await storeOf(widget()), { served, stale: [widgetFence("9")] });
    expect((await read.get(Widget, key))?.metadata.resourceVersion).toBe("9");
    expect(await read.list(Widget, { namespace: "default" })).toHaveLength(2);
    const inCluster = await read.list(Widget, { index: { name: "cluster", values: ["default/c1"] } });
    expect(inCluster.map(({ metadata }) => metadata.name)).toEqual(["v"]);
    expect(read.liveVersion(MANAGEMENT, Widget, key)).toBe("9");
    expect(read.listedInstead()).toEqual([{ ...widgetFence("9"), namespace: "", name: "" }]);
  });

  it("goes to the server for every object of a kind that lags behind as a whole", async () => {
    const whole = { ...widgetFence("9"), namespace: "", name: "" };
    const read = readerOf(await storeOf(widget()), {
      served: [widget({ resourceVersion: "11" })],
      stale: [whole],
    });
    expect((await read.get(Widget, key))?.metadata.resourceVersion).toBe("11");
    expect(read.listedInstead()).toEqual([]);
    await read.list(Widget, { namespace: "default" });
    expect(read.listedInstead()).toEqual([{ ...whole, resourceVersion: "11" }]);
  });
});

describe("a live read", () => {
  it("S-22: gives what the function declares, as a snapshot does, so that no letter holds more", async () => {
    const served: Widget = {
      ...widget({ labels: { a: "b" }, annotations: { "other.dev/note": "c4n4ry" } }),
      spec: { colour: "red", partRef: { name: "c4n4ry" } },
    };
    const read = readerOf(await storeOf(), { served: [served] });
    const kept = { ...served, metadata: { ...served.metadata, annotations: {} }, spec: { colour: "red" } };
    const { status: _undeclared, ...declared } = kept;
    expect(await read.live.get(Widget, key)).toEqual(declared);
    expect(await read.live.list(Widget, { namespace: "default" })).toEqual([declared]);
  });

  it("is remembered for the deletions that need it, per group, kind and object", async () => {
    const read = readerOf(await storeOf(), { served: [widget()] });
    expect(read.readLive(MANAGEMENT, Widget, key)).toBe(false);
    expect(await read.live.get(Widget, key)).toMatchObject({ metadata: { name: "w" } });
    expect(read.readLive(MANAGEMENT, Widget, key)).toBe(true);
    expect(read.readLive(MANAGEMENT, { ...Widget, group: "other.dev" }, key)).toBe(false);
    expect(read.readLive("default/c1", Widget, key)).toBe(false);
  });

  it("of a list counts for every object in it", async () => {
    const read = readerOf(await storeOf(), { served: [widget()] });
    expect(await read.live.list(Widget, { namespace: "default" })).toHaveLength(1);
    expect(read.readLive(MANAGEMENT, Widget, key)).toBe(true);
    expect(read.records()).toMatchObject([{ source: "live", resourceVersions: ["7"] }]);
  });

  it("is refused for a kind that is neither watched nor declared", async () => {
    await expect(readerOf(await storeOf(), { fn: blind }).live.get(Gadget, key)).rejects.toThrow(
      "bug: widget-grow reads Gadget live",
    );
    await expect(readerOf(await storeOf()).live.get(Gadget, key)).resolves.toBeUndefined();
  });

  it("S-03: of a workload cluster is refused for functions that may not call it", async () => {
    const read = readerOf(await storeOf());
    await expect(read.live.get(Widget, key, "default/c1")).rejects.toThrow("maxRunningPerTenant");
    await expect(read.live.list(Widget, {}, "default/c1")).rejects.toThrow("maxRunningPerTenant");
  });
});

describe("a Secret", () => {
  const data = { token: "c4n4ry" };
  const annotations = { "kubectl.kubernetes.io/last-applied-configuration": "c4n4ry" };
  const metadata = { name: "w", namespace: "default", uid: "u1", resourceVersion: "9", annotations };
  const secret = { apiVersion: "v1", kind: "Secret", type: "Opaque", metadata, data };

  it("S-03: is shown without its values, and counts as a live read", async () => {
    const read = readerOf(await storeOf(), { served: [secret] });
    const shown = { name: "w", namespace: "default", uid: "u1", resourceVersion: "9" };
    expect(await read.live.secret(key)).toEqual({ metadata: shown, type: "Opaque", keys: ["token"] });
    expect(read.liveVersion(MANAGEMENT, Secret, key)).toBe("9");
    expect(read.records()).toMatchObject([{ source: "live", kind: "Secret", resourceVersions: ["9"] }]);
    expect(await read.live.secret({ ...key, name: "other" })).toBeUndefined();
  });

  it("S-03: is not read in any other way, nor without being declared, nor where no Secret may be read", async () => {
    const read = readerOf(await storeOf(), { served: [secret] });
    await expect(read.live.get(Secret, key)).rejects.toThrow("use read.live.secret");
    await expect(read.live.list(Secret, {})).rejects.toThrow("use read.live.secret");
    const undeclared = readerOf(await storeOf(), { fn: blind, served: [secret] });
    await expect(undeclared.live.secret(key)).rejects.toThrow("does not declare");
    const core = readerOf(await storeOf(), { served: [secret], issuer: undefined });
    await expect(core.live.secret(key)).rejects.toThrow("may read none");
  });
});

describe("a provider object", () => {
  const definition = crd("parts.dev", "Door");

  it("is read in the version of its CRD's labels, from the read model or live", async () => {
    const read = readerOf(await storeOf(definition, door), { served: [door] });
    const found = { state: "found", contract: "v1beta2", kind: { version: "v1" }, object: door };
    expect(await read.referenced(reference, "default")).toMatchObject(found);
    expect(await read.live.referenced(reference, "default")).toMatchObject(found);
  });

  it("is missing when the server says so", async () => {
    const read = readerOf(await storeOf(definition));
    expect(await read.referenced(reference, "default")).toMatchObject({
      state: "missing",
      contract: "v1beta2",
    });
    expect(await read.live.referenced(reference, "default")).toMatchObject({ state: "missing" });
  });

  it("is unresolved without a CRD; whether that is so is asked live", async () => {
    const store = await storeOf();
    const unresolved = { state: "unresolved", crdExists: false };
    expect(await readerOf(store).referenced(reference, "default")).toMatchObject(unresolved);
    expect(await readerOf(store).live.referenced(reference, "default")).toMatchObject(unresolved);
    const installed = readerOf(store, { served: [definition] });
    expect(await installed.live.referenced(reference, "default")).toMatchObject({ crdExists: true });
  });

  it("is unresolved when the server no longer serves its type", async () => {
    const gone = new KubeError({ class: "Transient", status: 404, reason: "TypeNotServed", message: "404" });
    const clients = recordingClients();
    const refusing: Clients = { of: (...to) => ({ ...clients.of(...to), get: () => Promise.reject(gone) }) };
    const read = readerOf(await storeOf(definition), { clients: refusing });
    expect(await read.live.referenced(reference, "default")).toEqual({
      state: "unresolved",
      crdExists: false,
      message: "CustomResourceDefinition of parts.dev/Door is not served",
    });
    const failing: Clients = {
      of: (...to) => ({ ...clients.of(...to), get: () => Promise.reject(new Error("no answer")) }),
    };
    await expect(
      readerOf(await storeOf(definition), { clients: failing }).live.referenced(reference, "default"),
    ).rejects.toThrow("no answer");
  });
});
