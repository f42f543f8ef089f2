import { afterAll, beforeAll, expect, it } from "vitest";
import type { Event } from "../../shared/api/core.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { simClusterOfMachines, simMachineSet } from "../support/manifests.ts";
import { API_SERVERS } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
/** Longer than calm, and than every timeout of these health checks. */
const FOR_LONG = { forMs: 9_000, stepMs: 1_000 };
const NODE_CHECK = '{ type: Ready, status: "False", timeoutSeconds: 1 }';

interface Checked {
  readonly replicas: number;
  readonly checks?: string;
  readonly remediation?: string;
  readonly machine?: string;
}

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
} as const satisfies { readonly [name: string]: Checked };
type SetName = keyof typeof SETS;

function checkedSet(name: string, { replicas, ...more }: Checked): string {
  const checks = more.checks ?? `{ nodeStartupTimeoutSeconds: 0, unhealthyNodeConditions: [${NODE_CHECK}] }`;
  const set = simMachineSet(name, "c1", replicas);
  const machine = `kind: SimMachineTemplate\nmetadata: { name: ${name}, namespace: default }\nspec: `;
  const found = set.replace(
    `${machine}{ template: { spec: {} } }`,
    `${machine}{ template: { spec: ${more.machine ?? "{}"} } }`,
  );
  return `${found}---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: c1
  selector: { matchLabels: { set: ${name} } }
  checks: ${checks}
  remediation: ${more.remediation ?? "{ triggerIf: { unhealthyLessThanOrEqualTo: 100% } }"}
`;
}

for (const flavour of API_SERVERS) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `health checks of Machines with owners on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      const read = async <T>(what: string): Promise<T> => JSON.parse(await kubectl(`get ${what} -o json`));
      const list = async <T>(what: string): Promise<readonly T[]> =>
        (await read<{ readonly items: readonly T[] }>(what)).items;

      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        stack.use(await startCapstan(server.kubeconfigFile));
        const sets = Object.entries(SETS).map(([name, checked]) => checkedSet(name, checked));
        await kubectl("apply -f -", [simClusterOfMachines("c1", 1), ...sets].join("---"));
      });
      afterAll(() => stack.disposeAsync());

      const machinesOf = (set: SetName) => list<Machine>(`machines -l set=${set}`);
      const names = (machines: readonly Machine[]) =>
        machines.map(({ metadata }) => metadata.name).toSorted();

      function saidOf(machine: Machine | undefined, type: string) {
        const { status, reason, message } = conditionOf(machine?.status?.conditions, type) ?? {};
        return [status, reason, message];
      }

      /** The Machines of a set, once all are healthy. */
      function healthy(set: SetName): Promise<readonly Machine[]> {
        return eventually(async () => {
          const machines = await machinesOf(set);
          expect(machines.map((machine) => saidOf(machine, "HealthCheckSucceeded")[0])).toEqual(
            Array.from({ length: SETS[set].replicas }, () => "True"),
          );
          return machines;
        }, WITHIN);
      }

      async function isReplaced(set: SetName, gone: Machine | undefined): Promise<void> {
        await eventually(async () => {
          const machines = await machinesOf(set);
          expect(names(machines)).not.toContain(gone?.metadata.name);
          expect(machines).toHaveLength(SETS[set].replicas);
        }, WITHIN);
      }

      async function says(set: SetName, counts: readonly number[], allowed: string): Promise<void> {
        await eventually(async () => {
          const { status } = await read<MachineHealthCheck>(`mhc/${set}`);
          expect([status?.expectedMachines, status?.currentHealthy]).toEqual(counts);
          expect(conditionOf(status?.conditions, "RemediationAllowed")?.status).toBe(allowed);
        }, WITHIN);
      }

      const fail = (machine: Machine | undefined, node = "NotReady") =>
        patch(kubectl, `siminstance/${machine?.metadata.name}`, { spec: { faults: { node } } });
      const heal = (machine: Machine | undefined) =>
        patch(kubectl, `siminstance/${machine?.metadata.name}`, { spec: { faults: null } });
      const failed = (set: SetName, machine: Machine | undefined) =>
        eventually(async () => {
          const found = (await machinesOf(set)).find(
            ({ metadata }) => metadata.name === machine?.metadata.name,
          );
          expect(saidOf(found, "HealthCheckSucceeded")[0]).toBe("False");
        }, WITHIN);

      async function eventsOf(reason: string): Promise<readonly string[]> {
        const events = await list<Event>(`events --field-selector=reason=${reason}`);
        return events.map(({ involvedObject, message }) => `${involvedObject.name}: ${message}`);
      }

      it("MHC-9, MHC-8.5: a Node fails, kubectl get mhc counts it, and the MachineSet replaces the Machine", async () => {
        const [first] = await healthy("replaced");
        await says("replaced", [2, 2], "True");
        expect(await kubectl("get mhc/replaced")).toMatch(/^replaced +c1 +2 +2 /m);
        await fail(first);
        await isReplaced("replaced", first);
        await healthy("replaced");
        await says("replaced", [2, 2], "True");
        const name = first?.metadata.name;
        expect(await eventsOf("MachineMarkedUnhealthy")).toContain(
          `${name}: Machine default/${name} has been marked as unhealthy by default/replaced`,
        );
      });

      it("MHC-12.1: two Nodes fail where one may, and none is handed over until one of them is back", async () => {
        const [first, second] = await healthy("limited");
        await Promise.all([fail(first), fail(second)]);
        await Promise.all([failed("limited", first), failed("limited", second)]);
        await says("limited", [3, 1], "False");
        await holds(async () => {
          const machines = await machinesOf("limited");
          expect(machines.map((machine) => saidOf(machine, "OwnerRemediated")[0])).toEqual([
            undefined,
            undefined,
            undefined,
          ]);
        }, FOR_LONG);
        expect(await eventsOf("RemediationRestricted")).toContainEqual(
          expect.stringMatching(/^limited: .*\(total: 3, unhealthy: 2, maxUnhealthy: 1\)$/),
        );
        await heal(second);
        await isReplaced("limited", first);
        expect(names(await healthy("limited"))).toContain(second?.metadata.name);
      });

      it("MHC-7.2: a Node is deleted", async () => {
        const [machine] = await healthy("gone");
        await fail(machine, "Gone");
        await isReplaced("gone", machine);
      });

      it("MHC-7.2: a Machine without Node is replaced after the startup timeout, and not before", async () => {
        const name = await eventually(async () => names(await machinesOf("late"))[0] ?? false, WITHIN);
        await eventually(async () => expect(names(await machinesOf("late"))).not.toContain(name), WITHIN);
        const events = await eventsOf("MachineMarkedUnhealthy");
        expect(events.filter((text) => text.startsWith(`${name}:`))).toHaveLength(1);
      });

      it("MHC-7.1: a condition of the Machine fails", async () => {
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

      it("MHC-6, MHC-7: annotations ask for the remediation of one Machine and keep health checks from another", async () => {
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
        expect(names(await machinesOf("chosen"))).toContain(kept?.metadata.name);
        await says("chosen", [1, 1], "True");
      });

      it("MHC-5.3: a paused health check judges nothing, and makes up for it", async () => {
        const [machine] = await healthy("paused");
        await kubectl("annotate mhc/paused cluster.x-k8s.io/paused=");
        await kubectl("wait mhc/paused --for=condition=Paused --timeout=240s");
        await fail(machine);
        await holds(async () => {
          expect(saidOf((await machinesOf("paused"))[0], "HealthCheckSucceeded")[0]).toBe("True");
        }, FOR_LONG);
        await kubectl("annotate mhc/paused cluster.x-k8s.io/paused-");
        await isReplaced("paused", machine);
      });

      it("MHC-12.5: one Machine takes no further condition, and the other is replaced", async () => {
        const [stuck, other] = await healthy("full");
        const name = stuck?.metadata.name ?? "";
        await fillConditions(kubectl, name);
        await Promise.all([fail(stuck), fail(other)]);
        await isReplaced("full", other);
        await eventually(async () => {
          expect(await eventsOf("FailedPatchMachine")).toContainEqual(
            expect.stringMatching(new RegExp(`^${name}: .*32`)),
          );
        }, WITHIN);
        expect(names(await machinesOf("full"))).toContain(name);
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
