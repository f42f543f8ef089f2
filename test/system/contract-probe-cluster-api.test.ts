import { expect, it } from "vitest";
import { loadCrds } from "../../infra/platform/crds/crd.ts";
import { ALL_KINDS } from "../support/all-kinds.ts";
import { startCapstan } from "../support/capstan.ts";
import {
  expectGood,
  LEGACY,
  lived,
  MACHINES,
  OF_CONTROL_PLANES,
  OF_MACHINES,
  OF_POOLS,
  POOL,
  passed,
} from "../support/contract/lives.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { clusterApiMissing, startClusterApi } from "../support/processes/cluster-api.ts";
import { kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

describeWith(REAL.missing ?? kubectlMissing() ?? clusterApiMissing(), REAL)(
  "capstan contract probe with Cluster API as core",
  () => {
    it("finds nothing wrong with pools and Machines of the simulated provider, under both contracts", async () => {
      await using started = await REAL.start();
      const { kubeconfigFile } = started;
      const kubectl = kubectlFor(kubeconfigFile);
      await using _core = await startClusterApi(kubeconfigFile);
      const ours = (await loadCrds(ALL_KINDS)).filter(
        ({ metadata }) => !metadata.name.endsWith(".cluster.x-k8s.io"),
      );
      await kubectl("apply --server-side -f -", ours.map((crd) => JSON.stringify(crd)).join("\n---\n"));
      await kubectl("wait crd --all --for=condition=Established --timeout=120s");
      await using _sim = await startCapstan(kubeconfigFile, { functions: ["sim-*"], installCrds: false });
      const manifests = { "capi-pool": POOL, "capi-machines": MACHINES, "capi-legacy": LEGACY };
      const outcomes = await Promise.all(
        Object.entries(manifests).map(([namespace, manifest]) => lived(started, namespace, manifest)),
      );
      for (const outcome of outcomes) expectGood(outcome);
      const [ofPool, ofMachines] = outcomes.map(passed);
      expect(ofPool).toEqual(new Set([...OF_POOLS, ...OF_CONTROL_PLANES]));
      expect(OF_MACHINES.filter((rule) => ofMachines?.has(rule) !== true)).toEqual([]);
      expect(outcomes[0]?.cores.join()).toContain("field manager capi-manager");
    });
  },
);
