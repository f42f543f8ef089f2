import { SimBootstrapConfigTemplate } from "../../../infra/playground/api/sim-bootstrap.ts";
import { SimMachineTemplate } from "../../../infra/playground/api/sim-machine.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { simCluster, simMachineDeployment } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { editDeployment, isRolledOut, rollOut, setsOf } from "./deployments.ts";
import type { Workload } from "./workload.ts";

const STRATEGY = "/spec/rollout/strategy";

export const w32: Workload = {
  number: "W-32",
  title: "MachineDeployment of 2: paused, rolled out on deletion, restarted, and deleted",
  hasNoPool: true,
  isRace: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simMachineDeployment("d1", "c1", 2)}`);
    await user.until(() => isRolledOut(user, 2));
    await editDeployment(user, { op: "add", path: "/spec/paused", value: true });
    await rollOut(user, "v1.34.3");
    await user.rest(30_000);
    await editDeployment(
      user,
      { op: "add", path: "/spec/paused", value: false },
      { op: "add", path: STRATEGY, value: { type: "OnDelete" } },
    );
    while (!isRolledOut(user, 2)) {
      await user.until(() => oldMachine(user) !== undefined || isRolledOut(user, 2));
      const old = oldMachine(user);
      if (old === undefined) break;
      await user.delete(Machine as Kind, old.metadata.name);
      await user.until(() => user.see(Machine, old.metadata.name)?.metadata.uid !== old.metadata.uid);
    }
    const after = new Date(createdAt(user) + 60_000).toISOString();
    await editDeployment(
      user,
      {
        op: "add",
        path: STRATEGY,
        value: { type: "RollingUpdate", rollingUpdate: { maxSurge: 0, maxUnavailable: 1 } },
      },
      { op: "add", path: "/spec/rollout/after", value: after },
    );
    await user.until(() => createdAt(user) >= Date.parse(after) && isRolledOut(user, 2));
    await user.delete(MachineDeployment as Kind, "d1");
    await user.until(() => user.see(MachineDeployment, "d1") === undefined);
    // Faults decide whether the Cluster owns them.
    for (const kind of [SimBootstrapConfigTemplate, SimMachineTemplate])
      await user.delete(kind as Kind, "d1");
  },
};

function oldMachine(user: User): Machine | undefined {
  const version = user.see(MachineDeployment, "d1")?.spec.template.spec.version;
  return user.list(Machine).find(({ spec }) => spec.version !== version);
}

/** When the youngest set was made. */
function createdAt(user: User): number {
  return Math.max(0, ...setsOf(user).map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? "")));
}
