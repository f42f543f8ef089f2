import { expect, it } from "vitest";
import type { MachinePool } from "../../shared/api/machinepool.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { listInstances, startFooScene } from "../support/foo-pools.ts";
import { FOO_CLUSTER, FOO_PROVIDER } from "../support/foo-provider.ts";
import { patch, playFooProvider, startFooWorkload } from "../support/foo-workload.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 500 };
const CRD = "crd/foomachinepools.infrastructure.foo.example.com";
/** Nothing listens there. */
const AWAY = { url: "https://127.0.0.1:1/convert" };

/** The provider's next release: its kind is stored, and follows the contract, in a further version. */
async function storeAsV2(kubectl: Kubectl, conversion: object): Promise<void> {
  const crd = JSON.parse(await kubectl(`get ${CRD} -o json`));
  const [v1] = crd.spec.versions;
  const versions = [
    { ...v1, storage: false },
    { ...v1, name: "v2", storage: true },
  ];
  const labels = { "cluster.x-k8s.io/v1beta2": "v1_v2" };
  await patch(kubectl, CRD, { metadata: { labels }, spec: { versions, conversion } });
}

async function untilNodes(kubectl: Kubectl, names: readonly string[]): Promise<void> {
  await eventually(async () => {
    const { status }: MachinePool = JSON.parse(await kubectl("get machinepool/foo-pool -o json"));
    expect(status?.nodeRefs?.map(({ name }) => name)).toEqual(names);
  }, WITHIN);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `a provider whose definitions change on ${flavour.name}`,
    () => {
      it("is followed into the version that it stores from now on, and its objects stay owned", async () => {
        await using scene = await startFooScene(flavour);
        await storeAsV2(scene.kubectl, { strategy: "None" });
        await listInstances(scene.kubectl, "foo-pool", ["foo://n1"]);
        await untilNodes(scene.kubectl, ["n1"]);
        expect(await scene.capstan.deadLetters.list()).toEqual([]);
      });

      it("whose conversion webhook is away is named by an Event, and read once that is back", async () => {
        await using server = await flavour.start();
        await using workload = await startFooWorkload();
        const kubectl = kubectlFor(server.kubeconfigFile);
        const start = () => startCapstan(server.kubeconfigFile, { roles: ["relay", "worker"] });
        {
          await using _earlier = await start();
          await kubectl("apply -f -", FOO_PROVIDER);
          await kubectl("wait crd --all --for=condition=Established --timeout=240s");
          await kubectl("apply -f -", FOO_CLUSTER);
          await playFooProvider(kubectl, workload);
          await untilNodes(kubectl, ["n1", "n2"]);
        }
        const webhook = { conversionReviewVersions: ["v1"], clientConfig: AWAY };
        await storeAsV2(kubectl, { strategy: "Webhook", webhook });
        await using capstan = await start();
        await eventually(async () => {
          const events = await kubectl("get events -o jsonpath={.items[*].message}");
          expect(events).toContain("conversion webhook for infrastructure.foo.example.com/v1");
        }, WITHIN);
        await patch(kubectl, CRD, { spec: { conversion: { strategy: "None", webhook: null } } });
        await listInstances(kubectl, "foo-pool", ["foo://n1"]);
        await untilNodes(kubectl, ["n1"]);
        expect(await capstan.deadLetters.list()).toEqual([]);
      });
    },
  );
}
