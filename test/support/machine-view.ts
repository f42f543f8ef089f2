import { type MachineFacts, type MachineView, machineView } from "../../functions/machine/rules/view.ts";
import { connection, node } from "./builders.ts";
import { ready, soloMachine, startedCluster } from "./machines.ts";
import { NOW } from "./world.ts";

/** A Node in which nothing is wrong, with all that a kubelet reports. */
export function healthyNode(name = "n1", overrides: Parameters<typeof node>[1] = {}) {
  const good = (type: string, status: string) => ({
    type,
    status,
    lastTransitionTime: "2026-01-01T11:00:00Z",
  });
  return node(name, {
    ...overrides,
    status: {
      conditions: [
        good("Ready", "True"),
        good("MemoryPressure", "False"),
        good("DiskPressure", "False"),
        good("PIDPressure", "False"),
      ],
      ...overrides.status,
    },
  });
}

/** The view of stand-alone Machine m1 with everything ready, with the facts that a case changes. */
export function machineViewWith(changes: Partial<MachineFacts> = {}): MachineView {
  return machineView({
    machine: soloMachine(),
    cluster: startedCluster(),
    providers: ready(),
    connection: connection(),
    nodes: [healthyNode()],
    rivals: [],
    now: NOW,
    ...changes,
  });
}
