import { afterAll, beforeAll, expect, it } from "vitest";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import {
  type CheckedSet,
  type CheckedSets,
  checkedSet,
  checkedSets,
  conditionIn,
  FOR_LONG,
  namesOf,
  WITHIN,
} from "../support/checked-sets.ts";
import { eventually, holds } from "../support/eventually.ts";
import { simClusterOfMachines } from "../support/manifests.ts";
import { objectsOf } from "../support/objects.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

/** By set: each has a health check of its name. */
const SETS = {
  replaced: { replicas: 2 },
  limited: { replicas: 3, remediation: "{ triggerIf: { unhealthyLessThanOrEqualTo: 1 } }" },
  gone: { replicas: 1 },
  late: {
    replicas: 1,
    checks: "{ nodeStartupTimeoutSeconds: 30 }",
    machine: "{ nodeDelaySeconds: 3600 }",
  },
  disk: {
    replicas: 1,
    checks:
      "{ nodeStartupTimeoutSeconds: 0, unhealthyMachineConditions: [{ type: example.com/Disk, status: Unknown, timeoutSeconds: 1 }] }",
  },
  chosen: { replicas: 2 },
  paused: { replicas: 1 },
  full: { replicas: 2 },
} as const satisfies { readonly [name: string]: CheckedSet };
type SetName = keyof typeof SETS;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `health checks of Machines with owners on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      let scene: CheckedSets;

      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        scene = checkedSets(objectsOf(server.kubeconfigFile));
        stack.use(await startCapstan(server.kubeconfigFile));
        const sets = Object.entries(SETS).map(([name, checked]) => checkedSet(name, checked));
        await kubectl("apply -f -", [simClusterOfMachines("c1", 1), ...sets].join("---"));
      });
      afterAll(() => stack.disposeAsync());

      const machinesOf = (set: SetName) => scene.machinesOf(set);
      const healthy = (set: SetName) => scene.healthy(set, SETS[set].replicas);
      const isReplaced = (set: SetName, gone: Machine | undefined) =>
        scene.isReplaced(set, gone, SETS[set].replicas);

      async function says(set: SetName, counts: readonly number[], allowed: string): Promise<void> {
        await eventually(async () => {
          const { status } = await scene.objects.read<MachineHealthCheck>("machinehealthchecks", set);
          expect([status?.expectedMachines, status?.currentHealthy]).toEqual(counts);
          expect(conditionOf(status?.conditions, "RemediationAllowed")?.status).toBe(allowed);
        }, WITHIN);
      }

      it("a Node fails, kubectl get mhc counts it, and the MachineSet replaces the Machine", async () => {
        const [first] = await healthy("replaced");
        await says("replaced", [2, 2], "True");
        expect(await kubectl("get mhc/replaced")).toMatch(/^replaced +c1 +2 +2 /m);
        await scene.fail(first);
        await isReplaced("replaced", first);
        await healthy("replaced");
        await says("replaced", [2, 2], "True");
        const name = first?.metadata.name;
        expect(await scene.eventsOf("MachineMarkedUnhealthy")).toContain(
          `${name}: Machine default/${name} has been marked as unhealthy by default/replaced`,
        );
      });

      it("two Nodes fail where one may, and none is handed over until one of them is back", async () => {
        const [first, second] = await healthy("limited");
        await Promise.all([scene.fail(first), scene.fail(second)]);
        await Promise.all([scene.failed("limited", first), scene.failed("limited", second)]);
        await says("limited", [3, 1], "False");
        await holds(async () => {
          const machines = await machinesOf("limited");
          expect(machines.map((machine) => conditionIn(machine, "OwnerRemediated")[0])).toEqual([
            undefined,
            undefined,
            undefined,
          ]);
        }, FOR_LONG);
        expect(await scene.eventsOf("RemediationRestricted")).toContainEqual(
          expect.stringMatching(/^limited: .*\(total: 3, unhealthy: 2, maxUnhealthy: 1\)$/),
        );
        await scene.heal(second);
        await isReplaced("limited", first);
        expect(namesOf(await healthy("limited"))).toContain(second?.metadata.name);
      });

      it("a Node is deleted", async () => {
        const [machine] = await healthy("gone");
        await scene.fail(machine, "Gone");
        await isReplaced("gone", machine);
      });

      it("a Machine without Node is replaced after the startup timeout, and not before", async () => {
        const name = await eventually(async () => namesOf(await machinesOf("late"))[0] ?? false, WITHIN);
        await eventually(async () => expect(namesOf(await machinesOf("late"))).not.toContain(name), WITHIN);
        const events = await scene.eventsOf("MachineMarkedUnhealthy");
        expect(events.filter((text) => text.startsWith(`${name}:`))).toHaveLength(1);
      });

      it("a condition of the Machine fails", async () => {
        const [machine] = await healthy("disk");
        const disk = {
          type: "example.com/Disk",
          status: "Unknown",
          reason: "NoAnswer",
          message: "",
          lastTransitionTime: "2026-01-01T00:00:00Z",
        };
        const operations = JSON.stringify([{ op: "add", path: "/status/conditions/-", value: disk }]);
        await kubectl(
          `patch machine/${machine?.metadata.name} --subresource=status --type=json -p '${operations}'`,
        );
        await isReplaced("disk", machine);
      });

      it("annotations ask for the remediation of one Machine and keep health checks from another", async () => {
        const [kept, asked] = await healthy("chosen");
        const annotations = [
          [kept, "skip-remediation"],
          [kept, "remediate-machine"],
          [asked, "remediate-machine"],
        ] as const;
        for (const [machine, name] of annotations) {
          await kubectl(`annotate machine/${machine?.metadata.name} cluster.x-k8s.io/${name}=`);
        }
        await isReplaced("chosen", asked);
        expect(namesOf(await machinesOf("chosen"))).toContain(kept?.metadata.name);
        await says("chosen", [1, 1], "True");
      });

      it("a paused health check judges nothing, and makes up for it", async () => {
        const [machine] = await healthy("paused");
        await kubectl("annotate mhc/paused cluster.x-k8s.io/paused=");
        await kubectl("wait mhc/paused --for=condition=Paused --timeout=240s");
        await scene.fail(machine);
        await holds(async () => {
          expect(conditionIn((await machinesOf("paused"))[0], "HealthCheckSucceeded")[0]).toBe("True");
        }, FOR_LONG);
        await kubectl("annotate mhc/paused cluster.x-k8s.io/paused-");
        await isReplaced("paused", machine);
      });

      it("one Machine takes no further condition, and the other is replaced", async () => {
        const [stuck, other] = await healthy("full");
        const name = stuck?.metadata.name ?? "";
        await fillConditions(kubectl, name);
        await Promise.all([scene.fail(stuck), scene.fail(other)]);
        await isReplaced("full", other);
        await eventually(async () => {
          expect(await scene.eventsOf("FailedPatchMachine")).toContainEqual(
            expect.stringMatching(new RegExp(`^${name}: .*32`)),
          );
        }, WITHIN);
        expect(namesOf(await machinesOf("full"))).toContain(name);
      });
    },
  );
}

/** A Machine may have 32 conditions. */
async function fillConditions(kubectl: Kubectl, name: string): Promise<void> {
  const machine: Machine = JSON.parse(await kubectl(`get machine/${name} -o json`));
  const length = 32 - (machine.status?.conditions?.length ?? 0);
  const operations = Array.from({ length }, (_, index) => {
    const condition = { type: `example.com/Filler${index}`, status: "True", reason: "Full", message: "" };
    const value = { ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" };
    return { op: "add", path: "/status/conditions/-", value };
  });
  await kubectl(`patch machine/${name} --subresource=status --type=json -p '${JSON.stringify(operations)}'`);
}
