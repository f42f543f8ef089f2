import { afterAll, beforeAll, expect, it } from "vitest";
import type { MachineSet } from "../../shared/api/machineset.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { simCluster, simMachineDeployment, simMachineSet } from "../support/manifests.ts";
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
const limits = (maxSurge: unknown, maxUnavailable: unknown) => ({
  rollout: { strategy: { type: "RollingUpdate", rollingUpdate: { maxSurge, maxUnavailable } } },
});

/** By deployment: its number of Machines, and what its spec has besides. */
const DEPLOYMENTS = {
  twins: [2],
  chosen: [1],
  other: [1],
  numbered: [1],
  half: [1],
  shrunk: [3],
  zoned: [1],
  switched: [2],
  stripped: [1],
  halted: [1],
  held: [1],
  unborn: [1, { paused: true }],
  sparing: [3, limits(0, 1)],
  daring: [3, limits(0, "100%")],
  doubled: [3, limits("100%", 0)],
} as const satisfies Record<string, readonly [number, object?]>;
type Name = keyof typeof DEPLOYMENTS;

function manifestOf([name, [replicas, more]]: readonly [string, readonly [number, object?]]): string {
  const manifest = simMachineDeployment(name, "c1", replicas);
  if (name === "chosen")
    return manifest.replace(
      "matchLabels: { set: chosen }",
      "matchExpressions: [{ key: set, operator: In, values: [chosen, other] }]",
    );
  const fields = Object.entries(more ?? {}).map(([field, value]) => `  ${field}: ${JSON.stringify(value)}\n`);
  return manifest.replace("\nspec:\n", `\nspec:\n${fields.join("")}`);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `MachineDeployments in rare situations on ${flavour.name}`,
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
        const broken = ["broken", "worse"].map(brokenTemplate);
        const all = Object.entries(DEPLOYMENTS).map(manifestOf);
        await kubectl("apply -f -", [simCluster("c1"), ...broken, ...all].join("---"));
      });
      afterAll(() => stack.disposeAsync());

      const ready = (name: Name) => world.rolledOut(name, DEPLOYMENTS[name][0]);
      const haveSizes = (name: Name, ...sizes: readonly number[]) =>
        eventually(async () => expect(await world.sizesOf(name)).toEqual(sizes), WITHIN);
      const conditionOf = async (name: Name, wanted: string) => {
        const { status } = await world.deployment(name);
        return status?.conditions?.find(({ type }) => type === wanted);
      };
      const anotherSet = (name: Name, { metadata }: MachineSet) =>
        eventually(async () => {
          const sets = await world.setsOf(name);
          expect(sets.map(({ metadata: { uid } }) => uid)).not.toContain(metadata.uid);
          return ready(name);
        }, WITHIN);

      it("adopt a set that was made by hand, without a hash, and keep the larger of two with one template", async () => {
        const first = await ready("twins");
        const { clusterName, template } = first.spec;
        const labels = { "cluster.x-k8s.io/cluster-name": clusterName, set: "twins", made: "by-hand" };
        await world.objects.create("machinesets", {
          apiVersion: "cluster.x-k8s.io/v1beta2",
          kind: "MachineSet",
          metadata: { name: "by-hand", namespace: "default", labels },
          spec: {
            clusterName,
            replicas: 1,
            selector: { matchLabels: labels },
            template: { metadata: { labels }, spec: template.spec },
          },
        });
        await eventually(async () => {
          const reasons = ["SuccessfulAdopt", "SuccessfulScale", "SuccessfulDelete"];
          expect(await world.eventsOf("twins", ...reasons)).toEqual([
            'Adopted MachineSet "by-hand"',
            "Scaled down MachineSet by-hand: 1 -> 0",
            'Deleted MachineSet "by-hand"',
          ]);
        }, WITHIN);
        expect((await ready("twins")).metadata.uid).toBe(first.metadata.uid);
        expect(await world.machinesOf("twins")).toHaveLength(2);
      });

      it("have any selector, also one that matches the sets of another", async () => {
        const { metadata, spec } = await ready("chosen");
        expect(spec.selector.matchExpressions).toEqual([
          { key: "set", operator: "In", values: ["chosen", "other"] },
        ]);
        expect((await ready("other")).metadata.uid).not.toBe(metadata.uid);
        expect(await world.eventsOf("chosen", "SuccessfulAdopt")).toEqual([]);
      });

      it("make their set once the server no longer refuses it", async () => {
        const lift = await server.refuse({
          group: "cluster.x-k8s.io",
          plural: "machinesets",
          verb: "create",
          by: "capstan",
          unless: "!object.metadata.name.startsWith('refused-')",
          message: "no set today",
          probe: ["create -f -", simMachineSet("refused-probe", "c1", 0)],
        });
        await kubectl("apply -f -", simMachineDeployment("refused", "c1", 1));
        await eventually(async () => {
          expect(await world.eventsOf("refused", "FailedCreate")).toContainEqual(
            expect.stringMatching(/^Failed to create MachineSet default\/refused-\w{5}: .*no set today/),
          );
        }, WITHIN);
        await lift();
        await world.rolledOut("refused", 1);
      });

      it("give their set a new revision once a user has written one that is not a number", async () => {
        const first = await ready("numbered");
        await world.edit("numbered", OTHER_VERSION);
        const second = await anotherSet("numbered", first);
        expect(second.metadata.annotations?.[REVISION]).toBe("2");
        await world.objects.change("machinesets", second.metadata.name, {
          metadata: { annotations: { [REVISION]: "second" } },
        });
        await eventually(async () => {
          const { metadata } = await ready("numbered");
          expect([metadata.uid, metadata.annotations?.[REVISION]]).toEqual([second.metadata.uid, "1"]);
        }, WITHIN);
      });

      it("roll out although an old Machine has failed", async () => {
        const first = await ready("half");
        await world.objects.change("simmachinetemplates", "half", {
          spec: { template: { spec: { nodeReadyDelaySeconds: 3600 } } },
        });
        await world.edit("half", { replicas: 2 });
        await eventually(async () => expect(await world.machinesOf("half")).toHaveLength(2), WITHIN);
        await world.edit("half", templateOf("twins"));
        await eventually(async () => {
          const set = await world.rolledOut("half", 2);
          expect(set.metadata.uid).not.toBe(first.metadata.uid);
        }, WITHIN);
      });

      it("are scaled down, changed again and emptied in the midst of a rollout", async () => {
        await ready("shrunk");
        await world.edit("shrunk", templateOf("broken"));
        await haveSizes("shrunk", 3, 1);
        await world.edit("shrunk", { replicas: 2 });
        await haveSizes("shrunk", 2, 1);
        await world.edit("shrunk", templateOf("worse"));
        await haveSizes("shrunk", 2, 0, 1);
        await holds(async () => expect(await world.sizesOf("shrunk")).toEqual([2, 0, 1]), FOR_A_WHILE);
        await world.edit("shrunk", { replicas: 0 });
        await haveSizes("shrunk", 0);
        expect((await world.setsOf("shrunk"))[0]?.spec.template.spec.infrastructureRef.name).toBe("worse");
      });

      it("say what of their Machines is not up to date", async () => {
        await ready("zoned");
        await world.edit("zoned", {
          template: { spec: { ...templateOf("broken").template.spec, failureDomain: "z" } },
        });
        await eventually(async () => {
          expect(await conditionOf("zoned", "RollingOut")).toMatchObject({
            status: "True",
            message: [
              "Rolling out 1 not up-to-date replicas",
              "* Failure domain , z required",
              "* SimMachine is not up-to-date",
            ].join("\n"),
          });
        }, WITHIN);
      });

      it("continue by the other strategy when a user changes it", async () => {
        const first = await ready("switched");
        await world.edit("switched", {
          ...OTHER_VERSION,
          rollout: { strategy: { type: "OnDelete", rollingUpdate: null } },
        });
        await haveSizes("switched", 2, 0);
        await world.edit("switched", limits(1, 0));
        const { metadata } = await anotherSet("switched", first);
        expect(metadata.annotations?.["cluster.x-k8s.io/disable-machine-create"]).toBe("false");
      });

      it("keep a set whose labels a user takes off", async () => {
        const { metadata } = await ready("stripped");
        await world.objects.change("machinesets", metadata.name, { metadata: { labels: { set: null } } });
        await eventually(async () => {
          const [set] = await world.setsOf("stripped");
          expect([set?.metadata.uid, set?.metadata.labels]).toEqual([metadata.uid, metadata.labels]);
        }, WITHIN);
      });

      it("born paused have no set until they are resumed", async () => {
        await eventually(async () => {
          expect(await conditionOf("unborn", "ScalingUp")).toMatchObject({ status: "True" });
        }, WITHIN);
        await holds(async () => expect(await world.setsOf("unborn")).toEqual([]), FOR_A_WHILE);
        expect(await conditionOf("unborn", "Paused")).toMatchObject({ status: "False" });
        await world.edit("unborn", { paused: false });
        await ready("unborn");
      });

      it("go while their rollout is paused, not while they are", async () => {
        await ready("halted");
        await world.edit("halted", { paused: true });
        await kubectl("delete md/halted --timeout=120s");
        await ready("held");
        await kubectl("annotate md/held cluster.x-k8s.io/paused=");
        await eventually(async () => {
          expect(await conditionOf("held", "Paused")).toMatchObject({ status: "True" });
        }, WITHIN);
        await kubectl("delete md/held --wait=false");
        await holds(async () => expect(await world.sizesOf("held")).toEqual([1]), FOR_A_WHILE);
        await kubectl("annotate md/held cluster.x-k8s.io/paused-");
        await kubectl("wait md/held --for=delete --timeout=120s");
      });

      // Sizes of the first set and of the second one, as they are written.
      it.each([
        ["sparing", "2 1 0", "0 1 2 3"],
        ["daring", "0", "0 3"],
        ["doubled", expect.stringMatching(/^(\d )*0$/), "3"],
      ] as const)("%s: sizes go as Cluster API's manager writes them", async (name, ofFirst, ofSecond) => {
        const first = await ready(name);
        await world.edit(name, OTHER_VERSION);
        const second = await anotherSet(name, first);
        const [, ...messages] = await world.eventsOf(name, "SuccessfulCreate", "SuccessfulScale");
        const sizesOf = ({ metadata }: MachineSet) =>
          messages
            .filter((message) => message.includes(metadata.name))
            .map((message) => /(\d+)( replicas)?$/.exec(message)?.[1])
            .join(" ");
        expect([sizesOf(first), sizesOf(second)]).toEqual([ofFirst, ofSecond]);
      });
    },
  );
}
