import { describe, expect, it } from "vitest";
import type { Rivals } from "../../../../functions/machinepool/rules/node-marks.ts";
import { readNodes, readRivals } from "../../../../functions/machinepool/rules/reads.ts";
import { Connection, Node } from "../../../../shared/api/core.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { defineFunction, watch } from "../../../../shared/function/define-function.ts";
import { claimantsOfNode, inCluster, itself } from "../../../../shared/function/mappings.ts";
import { done } from "../../../../shared/function/result.ts";
import { connection, machinePool, node } from "../../../support/builders.ts";
import { decide, given, type World } from "../../../support/world.ts";

/** Returns the results of the reads in a world, by names, for pool p1. */
async function readIn(world: World) {
  let nodes: readonly KubeObject[] | undefined;
  let rivals: Rivals = new Map();
  const reading = defineFunction(
    {
      name: "machinepool-reads",
      summary: "Reads.",
      source: "own",
      reconciles: MachinePool,
      watches: [
        watch(MachinePool, ["spec"], itself),
        watch(Connection, ["status"], inCluster),
        watch(Node, ["metadata.uid"], claimantsOfNode),
      ],
      owns: [],
    },
    async (pool, { read }) => {
      const found = await readNodes(read, pool);
      nodes = found;
      rivals = await readRivals(read, pool, found ?? []);
      return { result: done };
    },
  );
  await decide(reading, world, "p1");
  const names = (objects: readonly KubeObject[]) => objects.map(({ metadata }) => metadata.name);
  return {
    nodes: nodes === undefined ? undefined : names(nodes),
    rivals: names([...rivals.values()].flat()),
  };
}

describe("readNodes", () => {
  const pool = machinePool({
    spec: { providerIDList: ["foo://1", "foo://2"] },
    status: { nodeRefs: [{ name: "n2" }, { name: "n3" }, { name: "gone" }, {}] },
  });

  it("finds the Nodes that the pool lists and those that its refs name, each once", async () => {
    const world = given(pool, connection()).inWorkload(
      "default/c1",
      ...["n1", "n2", "n3", "n4"].map((name) => node(name)),
    );
    expect((await readIn(world)).nodes).toEqual(["n1", "n2", "n3"]);
  });
});

describe("readRivals", () => {
  it("finds other pools of the same Cluster that list one of the Nodes", async () => {
    const rival = (name: string, providerID: string, clusterName = "c1") =>
      machinePool({
        metadata: { name, uid: `uid-${name}` },
        spec: { clusterName, providerIDList: [providerID] },
      });
    const world = given(
      machinePool(),
      rival("p2", "foo://1"),
      rival("p3", "foo://9"),
      rival("p4", "foo://1", "c2"),
      connection(),
    ).inWorkload("default/c1", node("n1"), node("n2"));
    expect((await readIn(world)).rivals).toEqual(["p2"]);
  });
});
