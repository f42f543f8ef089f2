import { describe, expect, it } from "vitest";
import { Connection, Node } from "../../../../shared/api/core.ts";
import type { Member } from "../../../../shared/api/indexes.ts";
import { type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import {
  type AnyFunction,
  defineFunction,
  type Lookup,
  type Watch,
  watch,
  watchContract,
  whileLiving,
} from "../../../../shared/function/define-function.ts";
import { inCluster, itself, owners, referencing } from "../../../../shared/function/mappings.ts";
import { type Change, routeChange } from "../../../../shared/runtime/queue/route.ts";

interface Pool extends KubeObject {
  readonly spec?: { readonly size?: number; readonly cluster?: string };
}
const Pool: Kind<Pool> = {
  group: "pools.example",
  version: "v1",
  kind: "Pool",
  plural: "pools",
  namespaced: true,
  clusterNamePath: "spec.cluster",
};
const contract = { contract: "InfrastructurePool", referencedBy: [] };

function pool(
  fields: {
    readonly size?: number;
    readonly labels?: { readonly [name: string]: string };
    readonly uid?: string;
  } = {},
): Pool {
  const { size = 1, labels, uid = "u" } = fields;
  const metadata = { namespace: "default", name: "p1", uid, ...(labels === undefined ? {} : { labels }) };
  return { apiVersion: "pools.example/v1", kind: "Pool", metadata, spec: { size, cluster: "c1" } };
}
function provider(owner: string, ready = true): KubeObject {
  const metadata = {
    namespace: "default",
    name: "i1",
    uid: "i",
    ownerReferences: [{ apiVersion: "v1", kind: "Pool", name: owner, uid: owner }],
  };
  return { apiVersion: "infra.example/v1", kind: "FooPool", metadata, status: { ready } } as KubeObject;
}

const waking = (name: string, ...watches: readonly Watch[]): AnyFunction =>
  defineFunction({ name, summary: "s", source: "own", reconciles: Pool, watches, owns: [] }, async () => {
    throw new Error("not run here");
  });
const member = (name: string): Member => ({ namespace: "default", name, tenant: "default/c1" });
/** Finds `<value>` of any index as the object of that name, unless it is not listed. */
const lookup = (...names: readonly string[]): Lookup => ({
  find: async (_kind, _index, value) => names.filter((name) => value.endsWith(name)).map(member),
  get: async () => undefined,
});
const changeOf = (
  kind: Pick<Kind, "group" | "kind">,
  sides: Pick<Change, "before" | "after">,
  cluster: string = MANAGEMENT,
): Change => ({
  kind: { group: kind.group, kind: kind.kind },
  cluster,
  ...sides,
});
const poolChange = (before: Pool | undefined, after: Pool | undefined) =>
  changeOf(Pool as Kind, { before, after });

describe("route", () => {
  const sized = waking("pool-size", watch(Pool, ["spec.size"], itself));

  it("wakes a function when one of its fields changes, with tenant and kind in the key", async () => {
    const keys = await routeChange([sized], poolChange(pool(), pool({ size: 2 })), lookup());
    expect(keys.map(({ functionName, key }) => [functionName, key])).toEqual([
      ["pool-size", "default/c1|Pool|default/p1"],
    ]);
  });

  it("wakes no function for a field that it does not watch", async () => {
    const change = poolChange(pool(), pool({ labels: { a: "b" } }));
    expect(await routeChange([sized], change, lookup())).toEqual([]);
  });

  it("wakes for a label that differs, and not for one beside it", async () => {
    const labelled = waking("pool-label", watch(Pool, ["metadata.labels[example.com/a.b]"], itself));
    const before = pool({ labels: { "example.com/a.b": "1", other: "1" } });
    const keys = (labels: { readonly [name: string]: string }) =>
      routeChange([labelled], poolChange(before, pool({ size: 2, labels })), lookup());
    expect(await keys({ "example.com/a.b": "2", other: "1" })).toHaveLength(1);
    expect(await keys({ "example.com/a.b": "1", other: "2" })).toEqual([]);
    expect(await keys({ "example.com/a.b": "1", other: "1" })).toEqual([]);
  });

  it("wakes no function that does not watch the kind", async () => {
    const change = changeOf(Node as Kind, { after: provider("x") }, "default/c1");
    expect(await routeChange([sized], change, lookup())).toEqual([]);
  });

  it("wakes for what appears, whatever its fields", async () => {
    const keys = await routeChange([sized], poolChange(undefined, pool()), lookup());
    expect(keys).toHaveLength(1);
  });

  it("does not wake the key of the object that is gone", async () => {
    expect(await routeChange([sized], poolChange(pool(), undefined), lookup())).toEqual([]);
  });

  it.each([
    ["living", undefined, ["pool-any", "pool-living"]],
    ["deleting", true, ["pool-any", "pool-deleting"]],
  ] as const)("wakes for what is %s only functions that act on it", async (_, deleting, names) => {
    const functions = [undefined, "living", "deleting"].map((actsOn) => {
      const fn = waking(`pool-${actsOn ?? "any"}`, watch(Pool, ["spec.size"], inCluster));
      return { ...fn, spec: { ...fn.spec, ...(actsOn === undefined ? {} : { actsOn }) } } as AnyFunction;
    });
    const found = { ...member("p2"), ...(deleting === undefined ? {} : { deleting }) };
    const change = poolChange(pool(), pool({ size: 2 }));
    const keys = await routeChange(functions, change, {
      find: async () => [found],
      get: async () => undefined,
    });
    expect(keys.map(({ functionName }) => functionName)).toEqual(names);
  });

  it.each([
    ["living", member("p2"), ["pool-any", "pool-while-living"]],
    ["deleting", { ...member("p2"), deleting: true }, ["pool-any"]],
  ] as const)("wakes what is %s only by watches that are for it", async (_, found, names) => {
    const resized = watch(Pool, ["spec.size"], inCluster);
    const functions = [waking("pool-any", resized), waking("pool-while-living", whileLiving(resized))];
    const change = poolChange(pool(), pool({ size: 2 }));
    const lookup: Lookup = { find: async () => [found], get: async () => undefined };
    const keys = await routeChange(functions, change, lookup);
    expect(keys.map(({ functionName }) => functionName)).toEqual(names);
  });

  const small = (after: KubeObject | undefined) => ({
    find: async () => [member("p1")],
    get: async <T extends KubeObject>() => after as T | undefined,
  });
  const idling = (): AnyFunction => {
    const fn = waking(
      "pool-large",
      watch(Pool, ["spec.size"], itself),
      watch(Node, ["metadata.uid"], inCluster),
    );
    const isIdle = (object: KubeObject) => (object as Required<Pool>).spec.size === 1;
    return { ...fn, spec: { ...fn.spec, isIdle } } as AnyFunction;
  };

  it.each([
    ["its own change", poolChange(undefined, pool()), pool(), []],
    ["what ends that", poolChange(pool(), pool({ size: 2 })), pool({ size: 2 }), ["p1"]],
    ["what begins it, once more", poolChange(pool({ size: 2 }), pool()), pool(), ["p1"]],
    ["a change of another object", changeOf(Node, { after: provider("p1") }), pool(), []],
    ["the same of one with work", changeOf(Node, { after: provider("p1") }), pool({ size: 2 }), ["p1"]],
    [
      "the same of one that cannot be judged",
      changeOf(Node, { after: provider("p1") }),
      { ...pool(), spec: undefined },
      ["p1"],
    ],
    ["the same of one that is not stored", changeOf(Node, { after: provider("p1") }), undefined, ["p1"]],
  ])("does not wake an object that leaves a function idle: %s", async (_, change, stored, names) => {
    const keys = await routeChange([idling()], change, small(stored));
    expect(keys.map(({ name }) => name)).toEqual(names);
  });

  it("looks at no object of a change that concerns many", async () => {
    const many = Array.from({ length: 17 }, (_, index) => member(`p${index}`));
    const get = () => Promise.reject(new Error("not asked"));
    const keys = await routeChange([idling()], changeOf(Node, { after: provider("p1") }), {
      find: async () => many,
      get,
    });
    expect(keys).toHaveLength(17);
  });

  it("wakes what is deleted by any watch that is for it, whichever comes first", async () => {
    const resized = watch(Pool, ["spec.size"], inCluster);
    const fn = waking("pool-both", whileLiving(resized), watch(Pool, ["spec.size"], inCluster));
    const change = poolChange(pool(), pool({ size: 2 }));
    const keys = await routeChange([fn], change, {
      find: async () => [{ ...member("p2"), deleting: true }],
      get: async () => undefined,
    });
    expect(keys.map(({ name }) => name)).toEqual(["p2"]);
  });

  it("wakes what acts on deletions, and not what acts on the living, when the deletion begins", async () => {
    const functions = (["living", "deleting"] as const).map((actsOn) => {
      const fn = waking(`pool-${actsOn}`, watch(Pool, ["metadata.deletionTimestamp"], itself));
      return { ...fn, spec: { ...fn.spec, actsOn } };
    });
    const after = pool();
    const deleted = { ...after, metadata: { ...after.metadata, deletionTimestamp: "2026-01-01T12:00:00Z" } };
    const keys = await routeChange(functions, poolChange(after, deleted), lookup());
    expect(keys.map(({ functionName }) => functionName)).toEqual(["pool-deleting"]);
  });

  it("wakes others for what disappears", async () => {
    const siblings = waking(
      "pool-siblings",
      watch(Pool, ["spec.size"], async () => [member("p1"), member("p2")]),
    );
    const keys = await routeChange([siblings], poolChange(pool(), undefined), lookup());
    expect(keys.map(({ name }) => name)).toEqual(["p2"]);
  });

  it("wakes the objects that an object pointed at before and those that it points at now, each once", async () => {
    const owned = waking("pool-owned", watchContract(contract, ["metadata.ownerReferences"], owners));
    const kind = { group: "infra.example", kind: "FooPool" };
    const moved = changeOf(kind, { before: provider("p1"), after: provider("p2") });
    const keys = await routeChange([owned], moved, lookup("p1", "p2"));
    expect(keys.map(({ name }) => name).toSorted((x, y) => x.localeCompare(y))).toEqual(["p1", "p2"]);
    const both = waking(
      "pool-both",
      watchContract(contract, ["status.ready"], owners),
      watchContract(contract, ["status.ready"], referencing),
    );
    const ready = changeOf(kind, { before: provider("p1", false), after: provider("p1") });
    expect(
      await routeChange([both], ready, { find: async () => [member("p1")], get: async () => undefined }),
    ).toHaveLength(1);
  });

  it.each([
    ["infrastructure.cluster.x-k8s.io", true],
    ["sim.capstan.dev", true],
    ["apiextensions.k8s.io", false],
    ["apps", false],
    ["capstan.dev", false],
  ])("takes a kind of group %s for a provider kind: %s", async (group, woken) => {
    const any = waking(
      "pool-any",
      watchContract(contract, ["status.ready"], async () => [member("p1")]),
    );
    const keys = await routeChange(
      [any],
      changeOf({ group, kind: "Foo" }, { after: provider("p1") }),
      lookup(),
    );
    expect(keys.length === 1).toBe(woken);
  });

  it("takes no object of a workload server for a provider object", async () => {
    const any = waking(
      "pool-any",
      watchContract(contract, ["status.ready"], async () => [member("p1")]),
    );
    const change = changeOf({ group: "infra.example", kind: "Foo" }, { after: provider("p1") }, "default/c1");
    expect(await routeChange([any], change, lookup())).toEqual([]);
  });

  it("passes the server of a Node to mappings", async () => {
    const seen: string[] = [];
    const nodes = waking(
      "pool-nodes",
      watch(Node, ["spec.providerID"], async ({ cluster }) => {
        seen.push(cluster);
        return [member("p1")];
      }),
    );
    await routeChange([nodes], changeOf(Node as Kind, { after: provider("x") }, "default/c1"), lookup());
    expect(seen).toEqual(["default/c1"]);
  });

  it("wakes the objects of a Cluster for its connection", async () => {
    const connected = waking("pool-connected", watch(Connection, ["status.state"], inCluster));
    const connection = (state: "connected" | "unreachable"): Connection => ({
      apiVersion: "capstan.dev/v1",
      kind: "Connection",
      metadata: { namespace: "default", name: "c1" },
      status: { state, nodesComplete: false, failures: 0 },
    });
    const change = changeOf(Connection as Kind, {
      before: connection("unreachable"),
      after: connection("connected"),
    });
    const keys = await routeChange([connected], change, {
      find: async () => [member("p1"), member("p2")],
      get: async () => undefined,
    });
    expect(keys).toHaveLength(2);
  });
});
