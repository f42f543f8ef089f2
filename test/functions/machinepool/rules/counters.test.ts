import { describe, expect, it } from "vitest";
import { nodeCounters, poolCounters } from "../../../../functions/machinepool/rules/counters.ts";
import { nodeReport } from "../../../../functions/machinepool/rules/nodes.ts";
import { poolView } from "../../../../functions/machinepool/rules/view.ts";
import {
  cluster,
  found,
  infraMachinePool,
  machine,
  machinePool,
  missing,
  node,
} from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const NODES = [node("n1"), node("n2"), node("n3")];
const REPORT = nodeReport(machinePool(), NODES, NOW);

function viewWith(infrastructure: ReturnType<typeof found> | ReturnType<typeof missing>) {
  const providers = { bootstrap: undefined, infrastructure };
  return poolView({ pool: machinePool(), cluster: cluster(), providers, nodes: NODES, now: NOW });
}

describe("the counters of a pool", () => {
  it("are the provider's without Machines", () => {
    expect(poolCounters(viewWith(found(infraMachinePool())), { replicas: 5 })).toEqual({
      readyReplicas: 5,
      availableReplicas: 5,
      upToDateReplicas: 3,
      versions: [{ version: "v1.34.2", replicas: 3 }],
    });
  });

  it("are those of its Machines where the provider has them, and stay without an infrastructure object", () => {
    const machines = [machine("m1")];
    expect(poolCounters({ ...viewWith(found(infraMachinePool())), machines }, { replicas: 5 })).toMatchObject(
      {
        readyReplicas: 0,
        upToDateReplicas: 1,
      },
    );
    const leaving = { ...viewWith(found(infraMachinePool())), machines: [...machines, machine("m2")] };
    expect(poolCounters(leaving, { replicas: 1 })).toMatchObject({ upToDateReplicas: 1 });
    const gone = { ...viewWith(missing(infraMachinePool())), machines };
    expect(poolCounters(gone, { replicas: 5 })).toEqual({});
  });

  it("of Nodes are absent where zero, never negative, and kept with the refs", () => {
    expect(nodeCounters(REPORT, 2)).toEqual({
      readyReplicas: 3,
      availableReplicas: 3,
      unavailableReplicas: undefined,
    });
    expect(nodeCounters(nodeReport(machinePool(), undefined, NOW), 2)).toEqual({});
  });
});
