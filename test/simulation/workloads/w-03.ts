import { SimBootstrapConfig } from "../../../infra/playground/api/sim-bootstrap.ts";
import { Secret } from "../../../shared/api/core.ts";
import type { Kind } from "../../../shared/api/kinds.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { simCluster, simPool } from "../../support/manifests.ts";
import { isRunning, pool } from "./pools.ts";
import type { Workload } from "./workload.ts";

const NEXT_CONFIG = `
apiVersion: bootstrap.sim.capstan.dev/v1beta2
kind: SimBootstrapConfig
metadata:
  name: p1-next
  namespace: default
spec: {}
`;

export const w03: Workload = {
  number: "W-03",
  title: "rollout: a new bootstrap config is referenced",
  async run(user) {
    await user.apply(`${simCluster("c1")}---${simPool("p1", "c1", 3)}`);
    await user.until(() => isRunning(user, 3));
    await user.apply(NEXT_CONFIG);
    const path = "/spec/template/spec/bootstrap/configRef/name";
    await user.patch(MachinePool as Kind, "p1", [{ op: "replace", path, value: "p1-next" }]);
    await user.until(() => pool(user)?.spec.template.spec.bootstrap.dataSecretName === "p1-next-data");
    await user.until(() => isRunning(user, 3));
    // Capstan ignores objects that are no longer referenced: the user who rolls out deletes them.
    await user.delete(SimBootstrapConfig as Kind, "p1");
    await user.until(() => user.see(SimBootstrapConfig, "p1") === undefined);
    // A real garbage collector takes half a minute to hear of a new kind.
    await user.until(() => user.see(Secret as Kind, "p1-data") === undefined);
  },
};
