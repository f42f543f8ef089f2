import { describe, expect, it } from "vitest";
import type { Selection } from "../../../../shared/api/indexes.ts";
import {
  type ClusterName,
  type Kind,
  type KubeObject,
  MANAGEMENT,
  type ObjectKey,
} from "../../../../shared/api/kinds.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { Reader } from "../../../../shared/function/reads.ts";
import { readNodes, readRenamed, readRivals } from "../../../../shared/rules/machines/node-of-machine.ts";
import { connection, machine, node } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";
import { given, storeOf, type World } from "../../../support/world.ts";

const CLUSTER = "default/c1";
const M1 = soloMachine();
const N1 = node("n1", { spec: { providerID: "foo://1" } });

function another(name: string, providerID: string, clusterName = "c1"): Machine {
  return machine(name, { metadata: { uid: `uid-${name}` }, spec: { providerID, clusterName } });
}

function named(name: string): Machine {
  return soloMachine({ status: { nodeRef: { name } } });
}

/** Returns a reader of the snapshots of a world, for tests of rules: it shows every field of every kind. */
function snapshotsOf(world: World): Pick<Reader, "get" | "list"> {
  const store = storeOf(world);
  return {
    async get<T extends KubeObject>(kind: Kind<T>, key: ObjectKey, cluster: ClusterName = MANAGEMENT) {
      return (await store.get({ cluster, ...kind }, key)) as T | undefined;
    },
    async list<T extends KubeObject>(kind: Kind<T>, selection: Selection, cluster: ClusterName = MANAGEMENT) {
      return (await store.list({ cluster, ...kind }, selection)) as readonly KubeObject[] as readonly T[];
    },
  };
}

describe("readNodes", () => {
  const world = given(M1, connection()).inWorkload(
    CLUSTER,
    N1,
    node("n2", { spec: { providerID: "foo://2" } }),
  );

  it("finds the Nodes with exactly the provider ID, and other Machines that have it", async () => {
    const twin = another("m2", "foo://1");
    const read = snapshotsOf(given(M1, twin, another("m3", "foo://2"), connection()).inWorkload(CLUSTER, N1));
    expect(await readNodes(read, M1, "foo://1")).toMatchObject({ nodes: [N1], rivals: [twin] });
    expect((await readNodes(read, M1, "FOO://1")).nodes).toEqual([]);
  });

  it("finds none without a provider ID", async () => {
    expect(await readNodes(snapshotsOf(world), M1, undefined)).toMatchObject({ nodes: [], rivals: [] });
  });

  it.each([
    ["is not known", undefined],
    ["has no complete view", connection({ status: { nodesComplete: false } })],
    ["is lost", connection({ status: { state: "unreachable" } })],
  ])("does not know the Nodes while the connection %s", async (_, state) => {
    const known = given(M1, ...(state === undefined ? [] : [state])).inWorkload(CLUSTER, N1);
    const read = snapshotsOf(known);
    expect((await readNodes(read, M1, "foo://1")).nodes).toBeUndefined();
    expect(await readRenamed(read, named("n0"))).toBeUndefined();
  });
});

describe("readRivals", () => {
  it("finds other Machines of the Cluster only: provider IDs repeat across Clusters", async () => {
    const twin = another("m2", "foo://1");
    const read = snapshotsOf(given(M1, twin, another("m3", "foo://1", "c2"), another("m4", "foo://2")));
    expect(await readRivals(read, M1, "foo://1")).toEqual([twin]);
  });
});

describe("the Node of a Machine whose kubelet has registered under another name", () => {
  const other = (nodeRef: string) =>
    machine("m2", { spec: { providerID: "foo://2" }, status: { nodeRef: { name: nodeRef } } });
  const twin = node("n9", { spec: { providerID: "foo://1" } });
  it.each<[string, readonly KubeObject[], string | undefined]>([
    ["is the only one with its provider ID", [N1], "n1"],
    ["is missing where there are two", [N1, twin], undefined],
    ["is not one of which another Machine has the provider ID", [N1, another("m2", "foo://1")], undefined],
    ["is not one that another Machine names", [N1, other("n1")], undefined],
    ["is the one beside a Machine that names another", [N1, other("n7")], "n1"],
  ])("%s", async (_, objects, expected) => {
    const [nodes, machines] = [true, false].map((is) =>
      objects.filter(({ kind }) => (kind === "Node") === is),
    );
    const of = named("n0");
    const read = snapshotsOf(
      given(of, ...(machines ?? []), connection()).inWorkload(CLUSTER, ...(nodes ?? [])),
    );
    expect((await readRenamed(read, of))?.metadata.name).toBe(expected);
  });

  it("is not looked for while it has the name that the Machine knows, or never had one", async () => {
    const read = snapshotsOf(given(M1, connection()).inWorkload(CLUSTER, N1));
    expect([await readRenamed(read, named("n1")), await readRenamed(read, M1)]).toEqual([
      undefined,
      undefined,
    ]);
  });
});
