import { SimBootstrapConfigTemplate } from "../../../infra/playground/api/sim-bootstrap.ts";
import { SimControlPlane } from "../../../infra/playground/api/sim-controlplane.ts";
import { SimMachineTemplate } from "../../../infra/playground/api/sim-machine.ts";
import { Cluster } from "../../../shared/api/cluster/cluster.ts";
import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { conditionOf } from "../../../shared/rules/conditions/conditions.ts";
import { simClusterOfMachines, simMachineSet } from "../../support/manifests.ts";
import type { User } from "../play/user.ts";
import { isComplete, isReady, machinesOf } from "./sets.ts";
import type { Workload } from "./workload.ts";

const CREATED = "v1.34.2";
const UPGRADED = "v1.35.0";

export const w24: Workload = {
  number: "W-24",
  title: "Cluster with 3 control plane Machines and a MachineSet: upgraded one by one, and deleted",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simClusterOfMachines("c1", 3)}---${simMachineSet("s1", "c1", 2)}`);
    await user.until(() => isAvailable(user) && isComplete(user, 2) && isOfVersion(user, CREATED));
    const operations = [{ op: "replace", path: "/spec/version", value: UPGRADED }] as const;
    await user.patch(SimControlPlane as Kind, "c1", operations);
    await user.until(() => isOfVersion(user, UPGRADED));
    // Templates go with the Cluster that owns them. Faults decide when it does.
    await user.until(() => ownsTemplates(user));
    await user.delete(Cluster as Kind, "c1");
    await user.until(() => user.see(Cluster, "c1") === undefined);
  },
};

function ownsTemplates(user: User): boolean {
  const cluster = user.see(Cluster, "c1");
  return [SimMachineTemplate, SimBootstrapConfigTemplate].every((kind) =>
    user
      .see<KubeObject>(kind as Kind, "c1")
      ?.metadata.ownerReferences?.some(({ uid }) => uid === cluster?.metadata.uid),
  );
}

function isAvailable(user: User): boolean {
  return conditionOf(user.see(Cluster, "c1")?.status?.conditions, "Available")?.status === "True";
}

function isOfVersion(user: User, version: string): boolean {
  const machines = machinesOf(user, "c1");
  return machines.length === 3 && machines.every((each) => each.spec.version === version && isReady(each));
}
