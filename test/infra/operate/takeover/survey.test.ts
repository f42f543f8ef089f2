import { describe, expect, it } from "vitest";
import { judge } from "../../../../infra/operate/takeover/findings.ts";
import { readSurvey } from "../../../../infra/operate/takeover/survey.ts";
import { systemClock } from "../../../../infra/platform/clock.ts";
import { toCrd } from "../../../../infra/platform/crds/crd.ts";
import { createServer } from "../../../../infra/platform/kube/client.ts";
import { parseKubeconfig } from "../../../../infra/platform/kube/kubeconfig.ts";
import { startApiServer } from "../../../../infra/playground/apiserver/entry.ts";
import { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { CustomResourceDefinition } from "../../../../shared/api/core.ts";
import type { Kind } from "../../../../shared/api/kinds.ts";

const SCOPE = {
  clusters: [],
  parkLease: false,
  core: { namespace: "capi-system", name: "capi-controller-manager" },
  filter: "capstan",
};

describe("a survey of a management cluster", () => {
  it("without Cluster API, or with an older one, names what is missing", async () => {
    await using stack = new AsyncDisposableStack();
    const embedded = await startApiServer({ name: "test" });
    stack.defer(() => embedded.stop());
    const server = stack.use(createServer(parseKubeconfig(embedded.kubeconfig()), { clock: systemClock }));
    const client = server.as("takeover");
    const found = async () => {
      const survey = await readSurvey(client, SCOPE);
      expect([survey.clusters, survey.missingRights]).toEqual([[], []]);
      return judge(survey, SCOPE).map(({ object, found: text }) => `${object}: ${text}`);
    };
    const cluster = "CustomResourceDefinition clusters.cluster.x-k8s.io";
    expect(await found()).toEqual([
      "CustomResourceDefinition machinehealthchecks.cluster.x-k8s.io: does not exist",
      "CustomResourceDefinition machinedeployments.cluster.x-k8s.io: does not exist",
      "CustomResourceDefinition machinesets.cluster.x-k8s.io: does not exist",
      "CustomResourceDefinition machinepools.cluster.x-k8s.io: does not exist",
      "CustomResourceDefinition machines.cluster.x-k8s.io: does not exist",
      `${cluster}: does not exist`,
      "Deployment capi-system/capi-controller-manager: does not exist",
    ]);

    const crd = toCrd(Cluster as Kind) as unknown as CustomResourceDefinition;
    const versions = crd.spec.versions.map((version) => ({ ...version, name: "v1beta1" }));
    await client.create(CustomResourceDefinition as unknown as Kind, {
      ...crd,
      spec: { ...crd.spec, versions },
    });
    expect(await found()).toContain(`${cluster}: serves v1beta1, and Capstan needs cluster.x-k8s.io/v1beta2`);
  });
});
