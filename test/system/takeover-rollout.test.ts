import { expect, it } from "vitest";
import { WATCH_FILTER_LABEL } from "../../shared/api/indexes.ts";
import type { Kind } from "../../shared/api/kinds.ts";
import { Machine } from "../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../shared/api/machineset.ts";
import type { KubeClient } from "../../shared/runtime/ports.ts";
import { createDeployment, startProvider } from "../bench/ready-machines.ts";
import { createCluster } from "../bench/ready-pools.ts";
import { untilAll } from "../bench/until.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { describeWith } from "../support/requires.ts";
import { bothMissing, startBoth } from "../support/takeover-world.ts";
import { watchObjects } from "../support/watched-objects.ts";

const WITHIN = { withinMs: 240_000, stepMs: 500 };
const MACHINES = 5;
const SURGE = 1;
const GIVEN = "example.org/given";

/** Resolves when the set of a version has so many Machines available. */
function untilAvailable(client: KubeClient, version: string, count: number) {
  return untilAll(client, MachineSet as Kind, 1, (object) => {
    const { spec, status } = object as MachineSet;
    return spec.template.spec.version === version && (status?.availableReplicas ?? 0) >= count;
  });
}

/** Resolves when all Machines are of a version, and no other set is left. */
async function untilRolledOut(client: KubeClient, version: string): Promise<void> {
  await eventually(async () => {
    const { items: sets } = await client.list(MachineSet, {});
    expect(sets.map(({ spec }) => spec.template.spec.version)).toEqual([version]);
    const [deployment] = (await client.list(MachineDeployment, {})).items;
    const { status } = deployment ?? {};
    const counts = [status?.replicas, status?.availableReplicas, status?.upToDateReplicas];
    expect(counts).toEqual([MACHINES, MACHINES, MACHINES]);
  }, WITHIN);
}

describeWith(bothMissing(), { optional: true })(
  "a Cluster that changes hands in the middle of a rollout",
  () => {
    it("is rolled out to the end by the other side, there and back, with one set of each template and no Machine too many", async () => {
      await using stack = new AsyncDisposableStack();
      const both = await startBoth(stack, { flags: ["--watch-filter=capi"], label: "capi", clusters: 0 });
      const { client, kubeconfig, kubectl, letters, takeover } = both;
      await createCluster(client, "rolled", kubeconfig);
      using _provider = startProvider(client, { hasConfigs: false });
      await createDeployment(client, "web", "rolled", { machines: MACHINES, maxSurge: SURGE });
      const edit = (template: object) => patch(kubectl, "machinedeployment/web", { spec: { template } });
      const labelsOf = async (kind: Kind) =>
        (await client.list(kind, {})).items.map(({ metadata }) => metadata.labels?.[GIVEN]);
      await edit({ metadata: { labels: { [WATCH_FILTER_LABEL]: "capi", [GIVEN]: "yes" } } });
      await kubectl(`label cluster/rolled machinedeployment/web ${WATCH_FILTER_LABEL}=capi`);
      await untilRolledOut(client, "v1.34.2");

      /** Rolls a version out by two, one after the other. */
      const rollOut = async (version: string, way: "start" | "back"): Promise<void> => {
        const machines = await watchObjects(client, Machine);
        const sets = await watchObjects(client, MachineSet);
        await edit({ spec: { version } });
        await untilAvailable(client, version, 2);
        const { code, output } = await takeover(way, "default/rolled", "--yes");
        expect(code, output).toBe(0);
        const versions = (await client.list(Machine, {})).items.map(({ spec }) => spec.version);
        expect(new Set(versions).size, "it changes hands in the middle").toBe(2);
        await untilRolledOut(client, version);
        expect((await machines.stop()).most).toBeLessThanOrEqual(MACHINES + SURGE);
        const { seen } = await sets.stop();
        expect(seen.filter(({ spec }) => spec.template.spec.version === version)).toHaveLength(1);
        expect(seen).toHaveLength(2);
      };
      await rollOut("v1.34.3", "start");
      await edit({ metadata: { labels: { [GIVEN]: null } } });
      // A label that the former manager has given leaves sets and Machines with the deployment's.
      await eventually(async () => {
        expect(await labelsOf(MachineSet as Kind)).toEqual([undefined]);
        expect(await labelsOf(Machine as Kind)).toEqual(Array.from({ length: MACHINES }, () => undefined));
      }, WITHIN);
      await rollOut("v1.34.4", "back");
      expect(await letters()).toEqual([]);
    });
  },
);
