import type { Kind } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { simCluster, simMachine } from "../../support/manifests.ts";
import { says } from "./checks.ts";
import type { Workload } from "./workload.ts";

/** Of a Machine that no set replaces: its Node comes a minute and a half after the check has given it up. */
const LATE = simMachine("m1", "c1").replace(
  /(kind: SimMachine\n.*\n)spec: \{\}/,
  "$1spec: { nodeDelaySeconds: 120 }",
);

const CHECK = `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: h1, namespace: default }
spec:
  clusterName: c1
  selector: { matchLabels: { cluster.x-k8s.io/cluster-name: c1 } }
  checks: { nodeStartupTimeoutSeconds: 30 }
  remediation: { triggerIf: { unhealthyInRange: "[1-2]" } }
`;

export const w29: Workload = {
  number: "W-29",
  title: "startup timeout: a Machine fails its check until its late Node comes, and is deleted",
  hasNoPool: true,
  async run(user) {
    await user.apply(`${simCluster("c1")}---${LATE}---${CHECK}`);
    await user.until(() => says(user, "m1", "HealthCheckSucceeded", "True"));
    // Faults decide whether the check gives it up before its Node is there, and its conditions show that ever after.
    await user.delete(Machine as Kind, "m1");
    await user.until(() => user.see(Machine, "m1") === undefined);
  },
};
