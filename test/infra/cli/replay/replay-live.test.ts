import { expect, it } from "vitest";
import { installCrds } from "../../../../infra/cli/install-crds.ts";
import { replayLive } from "../../../../infra/cli/replay/replay-live.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { loadKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import { MachinePool } from "../../../../shared/api/machinepool.ts";
import { deadLetter } from "../../../support/letters.ts";
import { API_SERVERS } from "../../../support/processes/api-servers.ts";
import { poolCheck } from "../../../support/repaired/pool/check.ts";
import { describeWith } from "../../../support/requires.ts";

const POOL: KubeObject & { readonly spec: object } = {
  apiVersion: "cluster.x-k8s.io/v1beta2",
  kind: "MachinePool",
  metadata: { name: "p1", namespace: "default" },
  spec: {
    clusterName: "c1",
    template: {
      spec: {
        clusterName: "c1",
        bootstrap: { dataSecretName: "x" },
        infrastructureRef: { apiGroup: "infrastructure.sim.capstan.dev", kind: "SimMachinePool", name: "p1" },
      },
    },
  },
};
const KEY = { namespace: "default", name: "p1" };
const letter = deadLetter({ function: "pool-check" });

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing, flavour)(`capstan replay --live on ${flavour.name}`, () => {
    it("replays on what the cluster holds now, as a dry run that the API server answers", async () => {
      await using api = await flavour.start();
      const access = await loadKubeconfig({ file: api.kubeconfigFile, env: {} });
      using server = createServer(access, { clock: systemClock });
      const client = server.as("test");
      await installCrds(client, systemClock);
      await expect(replayLive(poolCheck, letter, api.kubeconfigFile)).rejects.toThrow(
        "MachinePool default/p1 does not exist on this cluster; replay without --live, or drop the letter",
      );
      const { metadata } = await client.create(MachinePool, POOL);
      expect(await replayLive(poolCheck, letter, api.kubeconfigFile)).toMatchObject({
        server: server.url.origin,
        ok: true,
        result: "done",
        requests: [
          {
            title: "patch MachinePool default/p1",
            accepted: true,
            answer: `accepted, on top of version ${metadata.resourceVersion}`,
          },
        ],
      });
      expect(await client.get(MachinePool, KEY)).toMatchObject({
        metadata: { resourceVersion: metadata.resourceVersion },
      });
    });
  });
}
