import { afterAll, beforeAll, expect, it } from "vitest";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { simCluster, simMachineDeployment } from "../support/manifests.ts";
import { objectsOf } from "../support/objects.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";
import {
  brokenTemplate,
  OTHER_VERSION,
  REVISION,
  type RolledDeployments,
  rolledDeployments,
  templateOf,
} from "../support/rolled-deployments.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const FOR_A_WHILE = { forMs: 4_000, stepMs: 500 };

/** By deployment: its number of Machines. */
const DEPLOYMENTS = {
  rolled: 3,
  labelled: 2,
  stuck: 3,
  ondelete: 2,
  paused: 2,
  restarted: 1,
  deleted: 2,
  orphaned: 1,
  edited: 2,
  untemplated: 1,
} as const;
type Name = keyof typeof DEPLOYMENTS;

const BROKEN = brokenTemplate("broken");
const LATE = BROKEN.replace("broken", "late").replace("3600", "0");

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `MachineDeployments on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      let kubectl: Kubectl;
      let world: RolledDeployments;

      beforeAll(async () => {
        server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        world = rolledDeployments(objectsOf(server.kubeconfigFile));
        stack.use(await startCapstan(server.kubeconfigFile));
        const all = Object.entries(DEPLOYMENTS).map(([name, replicas]) =>
          simMachineDeployment(name, "c1", replicas),
        );
        await kubectl("apply -f -", [simCluster("c1"), BROKEN, ...all].join("---"));
      });
      afterAll(() => stack.disposeAsync());

      const ready = (name: Name) => world.rolledOut(name, DEPLOYMENTS[name]);
      const uidsOf = async (name: Name) =>
        (await world.machinesOf(name)).map(({ metadata }) => metadata.uid).toSorted();

      it("roll out one by one, within the surge, under a name that follows from the template", async () => {
        const first = await ready("rolled");
        expect(first.metadata.name).toMatch(/^rolled-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
        await world.edit("rolled", OTHER_VERSION);
        const second = await ready2(first.metadata.uid);
        const [a, b] = [first.metadata.name, second.metadata.name];
        expect(
          await world.eventsOf("rolled", "SuccessfulCreate", "SuccessfulScale", "SuccessfulDelete"),
        ).toEqual([
          `Created MachineSet default/${a} with 3 replicas`,
          `Created MachineSet default/${b} with 1 replicas`,
          `Scaled down MachineSet ${a}: 3 -> 2`,
          `Scaled up MachineSet ${b}: 1 -> 2`,
          `Scaled down MachineSet ${a}: 2 -> 1`,
          `Scaled up MachineSet ${b}: 2 -> 3`,
          `Scaled down MachineSet ${a}: 1 -> 0`,
          `Deleted MachineSet "${a}"`,
        ]);
        const { metadata } = await world.deployment("rolled");
        expect([metadata, second.metadata].map(({ annotations }) => annotations?.[REVISION])).toEqual([
          "2",
          "2",
        ]);
        expect(await kubectl("get md/rolled")).toMatch(/^rolled +c1 +True +3 +3 +3 +3 +3 +Running /m);

        async function ready2(before: string | undefined) {
          await eventually(async () => {
            const [set] = await world.setsOf("rolled");
            expect(set?.metadata.uid).not.toBe(before);
          }, WITHIN);
          return ready("rolled");
        }
      });

      it("give labels and timeouts to sets and Machines in place, and take them back", async () => {
        await ready("labelled");
        const uids = await uidsOf("labelled");
        const seen = async (tier: string | undefined, seconds: number | undefined) =>
          eventually(async () => {
            const [set] = await world.setsOf("labelled");
            const machines = await world.machinesOf("labelled");
            expect([set, ...machines].map((one) => one?.metadata.labels?.["tier"])).toEqual([
              tier,
              tier,
              tier,
            ]);
            expect(machines.map(({ spec }) => spec.deletion?.nodeDrainTimeoutSeconds)).toEqual([
              seconds,
              seconds,
            ]);
          }, WITHIN);
        const template = (tier: string | null, seconds: number | null) => ({
          template: {
            metadata: { labels: { tier } },
            spec: { deletion: { nodeDrainTimeoutSeconds: seconds, nodeDeletionTimeoutSeconds: 10 } },
          },
        });
        await world.edit("labelled", template("a", 30));
        await seen("a", 30);
        await world.edit("labelled", template(null, null));
        await seen(undefined, undefined);
        expect(await uidsOf("labelled")).toEqual(uids);
      });

      it("stop at Machines that never become ready, scale all the same, and go back", async () => {
        const first = await ready("stuck");
        await world.edit("stuck", templateOf("broken"));
        await eventually(async () => expect(await world.sizesOf("stuck")).toEqual([3, 1]), WITHIN);
        await holds(async () => expect(await world.sizesOf("stuck")).toEqual([3, 1]), FOR_A_WHILE);
        await world.edit("stuck", { replicas: 5 });
        await eventually(async () => expect(await world.sizesOf("stuck")).toEqual([3, 3]), WITHIN);
        await world.edit("stuck", { ...templateOf("stuck"), replicas: 3 });
        const back = await world.rolledOut("stuck", 3);
        expect(back.metadata).toMatchObject({
          uid: first.metadata.uid,
          annotations: { [REVISION]: "3", "machinedeployment.clusters.x-k8s.io/revision-history": "1" },
        });
      });

      it("with OnDelete replace a Machine once a user has deleted it", async () => {
        await ready("ondelete");
        await world.edit("ondelete", {
          ...OTHER_VERSION,
          rollout: { strategy: { type: "OnDelete", rollingUpdate: null } },
        });
        await eventually(async () => {
          const [old, fresh] = await world.setsOf("ondelete");
          expect([old?.spec.replicas, fresh?.spec.replicas]).toEqual([2, 0]);
          expect(old?.metadata.annotations?.["cluster.x-k8s.io/disable-machine-create"]).toBe("true");
        }, WITHIN);
        for (const sizes of [[1, 1], [2]]) {
          const [old] = (await world.machinesOf("ondelete")).filter(({ spec }) => spec.version === "v1.34.2");
          await world.objects.remove("machines", old?.metadata.name ?? "");
          await eventually(async () => expect(await world.sizesOf("ondelete")).toEqual(sizes), WITHIN);
        }
        await ready("ondelete");
      });

      it("while paused scale, and roll out afterwards", async () => {
        const first = await ready("paused");
        await world.edit("paused", { paused: true });
        await world.edit("paused", { ...OTHER_VERSION, replicas: 3 });
        await eventually(async () => expect(await world.sizesOf("paused")).toEqual([3]), WITHIN);
        await holds(async () => expect(await world.setsOf("paused")).toHaveLength(1), FOR_A_WHILE);
        await world.edit("paused", { paused: false, replicas: 2 });
        await eventually(async () => {
          const sets = await world.setsOf("paused");
          expect(sets.map(({ metadata }) => metadata.uid)).not.toContain(first.metadata.uid);
        }, WITHIN);
        await ready("paused");
      });

      it("start again at rollout.after with another set of the same template", async () => {
        const first = await ready("restarted");
        const after = new Date(Date.now() + 3_000).toISOString();
        await world.edit("restarted", { rollout: { after } });
        await eventually(async () => {
          const [set, ...others] = await world.setsOf("restarted");
          expect(set?.metadata.uid).not.toBe(first.metadata.uid);
          expect(others).toEqual([]);
          expect(set?.metadata.annotations?.["capstan.dev/rollout-after"]).toBe(after);
        }, WITHIN);
        await ready("restarted");
        await holds(async () => expect(await world.setsOf("restarted")).toHaveLength(1), FOR_A_WHILE);
      });

      it("take their sets and Machines along when they are deleted, and leave the templates", async () => {
        await ready("deleted");
        await kubectl("delete md/deleted --timeout=120s");
        expect(await world.setsOf("deleted")).toEqual([]);
        expect(await world.machinesOf("deleted")).toEqual([]);
        expect((await world.objects.read("simmachinetemplates", "deleted")).metadata.name).toBe("deleted");
      });

      it("leave their sets behind with --cascade=orphan", async ({ skip }) => {
        skip(!server.garbageCollector, "no garbage collector removes the finalizer orphan here");
        const set = await ready("orphaned");
        const uids = await uidsOf("orphaned");
        await kubectl("delete md/orphaned --cascade=orphan --timeout=120s");
        const left = await world.objects.read("machinesets", set.metadata.name);
        expect(left.metadata.deletionTimestamp).toBeUndefined();
        expect(left.metadata.ownerReferences ?? []).toEqual([]);
        expect(await uidsOf("orphaned")).toEqual(uids);
      });

      it("bring back what a user changes on a set, or make another one", async () => {
        const first = await ready("edited");
        const { name, labels } = first.metadata;
        await world.objects.change("machinesets", name, {
          metadata: { labels: { "machine-template-hash": "other" } },
          spec: { replicas: 4 },
        });
        // The set's status may be of before the change.
        await eventually(async () => {
          expect((await ready("edited")).metadata.labels).toEqual(labels);
          expect(await world.machinesOf("edited")).toHaveLength(2);
        }, WITHIN);
        await world.objects.change("machinesets", name, {
          spec: { template: { spec: { failureDomain: "z" } } },
        });
        await eventually(async () => {
          const sets = await world.setsOf("edited");
          expect(sets.map(({ metadata }) => metadata.name)).not.toContain(name);
        }, WITHIN);
        const second = await ready("edited");
        await world.objects.remove("machinesets", second.metadata.name);
        await eventually(async () => {
          const sets = await world.setsOf("edited");
          expect(sets.map(({ metadata }) => metadata.uid)).not.toContain(second.metadata.uid);
        }, WITHIN);
        await ready("edited");
      });

      it("wait for a template that does not exist", async () => {
        const first = await ready("untemplated");
        await world.edit("untemplated", templateOf("late"));
        await eventually(async () => {
          const { metadata, status } = await world.deployment("untemplated");
          const scaling = status?.conditions?.find(({ type }) => type === "ScalingUp");
          expect(scaling?.message).toContain("SimMachineTemplate does not exist");
          expect(status?.observedGeneration).toBeLessThan(metadata.generation ?? 0);
        }, WITHIN);
        expect((await world.setsOf("untemplated")).map(({ metadata }) => metadata.uid)).toEqual([
          first.metadata.uid,
        ]);
        await kubectl("apply -f -", LATE);
        await eventually(async () => {
          const [set] = await world.setsOf("untemplated");
          expect(set?.metadata.uid).not.toBe(first.metadata.uid);
        }, WITHIN);
        await ready("untemplated");
      });
    },
  );
}
