import { describe, expect, it } from "vitest";
import { readNodeOf, readNodes, readRivals } from "../../../../functions/machine/rules/reads.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import { connection, machine, node } from "../../../support/builders.ts";
import { soloMachine } from "../../../support/machines.ts";
import { snapshotsOf } from "../../../support/snapshots.ts";
import { given } from "../../../support/world.ts";

const CLUSTER = "default/c1";
const M1 = soloMachine();
const N1 = node("n1", { spec: { providerID: "foo://1" } });

function another(name: string, providerID: string, clusterName = "c1"): Machine {
  return machine(name, { metadata: { uid: `uid-${name}` }, spec: { providerID, clusterName } });
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
    expect(
      await readNodeOf(read, soloMachine({ status: { nodeRef: { name: "n1" } } }), state),
    ).toBeUndefined();
  });
});

describe("readRivals", () => {
  it("finds other Machines of the Cluster only: provider IDs repeat across Clusters", async () => {
    const twin = another("m2", "foo://1");
    const read = snapshotsOf(given(M1, twin, another("m3", "foo://1", "c2"), another("m4", "foo://2")));
    expect(await readRivals(read, M1, "foo://1")).toEqual([twin]);
  });
});
