import { describe, expect, it } from "vitest";
import { poolNotices } from "../../../../functions/machinepool/rules/notices.ts";
import { poolView } from "../../../../functions/machinepool/rules/view.ts";
import type { Node } from "../../../../shared/api/core.ts";
import type { MachinePool } from "../../../../shared/api/machinepool.ts";
import type { MachineProviders } from "../../../../shared/rules/providers/machine-providers.ts";
import {
  bootstrapConfig,
  cluster,
  found,
  infraMachinePool,
  machinePool,
  node,
  type Overrides,
} from "../../../support/builders.ts";
import { NOW } from "../../../support/world.ts";

const NODES = [node("n1"), node("n2")];
const PROVIDERS = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };

function reported(
  pool: MachinePool,
  nodes: readonly Node[] | undefined,
  providers: MachineProviders = PROVIDERS,
) {
  return poolNotices(poolView({ pool, cluster: cluster(), providers, nodes, now: NOW }));
}

describe("poolNotices", () => {
  it("counts Nodes when the refs change and is silent when they do not", () => {
    expect(reported(machinePool(), NODES)).toEqual([
      { type: "Normal", reason: "SuccessfulSetNodeRefs", message: "2 Nodes, 2 of them ready" },
    ]);
    const nodeRefs = NODES.map(({ metadata: { name, uid } }) => ({
      apiVersion: "v1",
      kind: "Node",
      name,
      uid,
    }));
    expect(reported(machinePool({ status: { nodeRefs } }), NODES)).toEqual([]);
  });

  it("warns of a pool that comes near the size limit of an object", () => {
    const providerIDList = Array.from({ length: 4_000 }, (_, index) => `foo://${index}`);
    const warned = (overrides: Overrides<MachinePool>) => {
      const pool = machinePool({ spec: { providerIDList }, ...overrides });
      return reported(pool, undefined).map(({ reason }) => reason);
    };
    expect(warned({})).toEqual(["TooManyInstances"]);
    expect(warned({ spec: { providerIDList: providerIDList.slice(1) } })).toEqual([]);
    expect(warned({ status: { observedGeneration: 1 } })).toEqual(["TooManyInstances"]);
    expect(warned({ status: { observedGeneration: 2 } })).toEqual([]);
  });
});
