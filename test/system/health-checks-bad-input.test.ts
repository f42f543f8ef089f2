import { afterAll, beforeAll, expect, it } from "vitest";
import type { Running } from "../../infra/cli/compose.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import {
  type CheckedSets,
  checkedSet,
  checkedSets,
  conditionIn,
  FOR_LONG,
  nodeCheck,
  WITHIN,
} from "../support/checked-sets.ts";
import { eventually, holds } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { simClusterOfMachines } from "../support/manifests.ts";
import { objectsOf } from "../support/objects.ts";
import { JUDGES, type ServerFlavour } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const CRD = "crd/machinehealthchecks.cluster.x-k8s.io";
type Server = Awaited<ReturnType<ServerFlavour["start"]>>;

interface Bad {
  readonly field: string;
  /** Of the spec. */
  readonly bad: object;
  readonly good: object;
  readonly isJudged: boolean;
}

const triggerIf = (value: object) => ({ remediation: { triggerIf: value } });
const BAD: { readonly [set: string]: Bad } = {
  empty: {
    field: "spec.selector",
    bad: { selector: { matchLabels: null } },
    good: { selector: { matchLabels: { set: "empty" } } },
    isJudged: false,
  },
  operator: {
    field: "spec.selector",
    bad: { selector: { matchExpressions: [{ key: "set", operator: "Like", values: ["operator"] }] } },
    good: { selector: { matchExpressions: null } },
    isJudged: false,
  },
  limit: {
    field: "spec.remediation.triggerIf.unhealthyLessThanOrEqualTo",
    bad: triggerIf({ unhealthyLessThanOrEqualTo: "10" }),
    good: triggerIf({ unhealthyLessThanOrEqualTo: "100%" }),
    isJudged: true,
  },
  range: {
    field: "spec.remediation.triggerIf.unhealthyInRange",
    bad: triggerIf({ unhealthyInRange: "[5-3]" }),
    good: triggerIf({ unhealthyInRange: "[0-5]" }),
    isJudged: true,
  },
};

const OF_MACHINES =
  "{ apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimMachineTemplate, name: parts }";

/** Makes the API server take what its CRD refuses, as Cluster API's does without its webhook. */
async function dropRules(kubectl: Kubectl): Promise<void> {
  await eventually(async () => {
    const definition = await kubectl(`get ${CRD} -o json`);
    const withoutRules: unknown = JSON.parse(definition, (key, value: unknown) =>
      key === "x-kubernetes-validations" ? undefined : value,
    );
    await kubectl("replace -f -", JSON.stringify(withoutRules));
  }, WITHIN);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `health checks of bad input on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let server: Server;
      let capstan: Running;
      let kubectl: Kubectl;
      let scene: CheckedSets;

      beforeAll(async () => {
        server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        scene = checkedSets(objectsOf(server.kubeconfigFile));
        capstan = stack.use(await startCapstan(server.kubeconfigFile));
        await dropRules(kubectl);
        const soon = "{ nodeStartupTimeoutSeconds: 10 }";
        const templateRef =
          "{ apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimRemediationTemplate, name: asked }";
        const manifests = [
          simClusterOfMachines("c1", 1),
          ...Object.keys(BAD).map((name) => checkedSet(name, { replicas: 1 })),
          checkedSet("soon", { replicas: 1, checks: soon, machine: "{ nodeDelaySeconds: 3600 }" }),
          checkedSet("stuck", { replicas: 3 }),
          checkedSet("twice", { replicas: 1 }),
          checkedSet("parts", { replicas: 1, remediation: `{ templateRef: ${OF_MACHINES} }` }),
          checkedSet("asked", { replicas: 1, remediation: `{ templateRef: ${templateRef} }` }),
          `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimRemediationTemplate
metadata: { name: asked, namespace: default }
spec: { template: { spec: { delaySeconds: 3600, timeoutSeconds: 7200 } } }
`,
        ];
        await kubectl("apply -f -", manifests.join("---"));
        for (const [name, { bad }] of Object.entries(BAD)) {
          await eventually(() => patch(kubectl, `mhc/${name}`, { spec: bad }), WITHIN);
        }
      });
      afterAll(() => stack.disposeAsync());

      it.each(Object.entries(BAD))(
        "past admission %s is named by condition and Event, and hands nothing over until it is mended",
        async (set, { field, good, isJudged }) => {
          const [machine] = await eventually(async () => {
            const machines = await scene.machinesOf(set);
            expect(machines[0]?.status?.nodeRef).toBeDefined();
            return machines;
          }, WITHIN);
          const said = async () => {
            const { status } = await scene.objects.read<MachineHealthCheck>("machinehealthchecks", set);
            return conditionOf(status?.conditions, "RemediationAllowed");
          };
          const problem = await eventually(async () => {
            const found = await said();
            expect(found?.message.slice(0, field.length + 2)).toBe(`${field}: `);
            return { ...found };
          }, WITHIN);
          expect(problem).toMatchObject({ status: "False", reason: "TooManyUnhealthy" });
          await eventually(async () => {
            const events = await scene.eventsOf("RemediationRestricted");
            expect(events).toContain(`${set}: ${problem.message}`);
          }, WITHIN);
          await scene.fail(machine);
          if (isJudged) await scene.failed(set, machine);
          await holds(async () => {
            const [found] = await scene.machinesOf(set);
            expect(found?.metadata.uid).toBe(machine?.metadata.uid);
            expect(conditionIn(found, "OwnerRemediated")[0]).toBeUndefined();
          }, FOR_LONG);
          await patch(kubectl, `mhc/${set}`, { spec: good });
          await scene.isReplaced(set, machine, 1);
        },
      );

      it("past admission a startup timeout of 10 s counts as it is", async () => {
        const machine = await eventually(async () => (await scene.machinesOf("soon"))[0] ?? false, WITHIN);
        await scene.isReplaced("soon", machine, 1);
        const events = await scene.eventsOf("MachineMarkedUnhealthy");
        expect(events.filter((text) => text.startsWith(`${machine.metadata.name}: `))).toHaveLength(1);
      });

      it("one Machine whose patches are forbidden is named, and holds up no other", async () => {
        const [stuck, ...others] = await scene.healthy("stuck", 3);
        const name = stuck?.metadata.name ?? "";
        const message = "the conditions of this Machine are kept";
        const condition = { type: "HealthCheckSucceeded", status: "False", reason: "Probe", message: "" };
        const value = { ...condition, lastTransitionTime: "2026-01-01T00:00:00Z" };
        const conditions = JSON.stringify({ status: { conditions: [value] } });
        const lift = await server.refuse({
          group: "cluster.x-k8s.io",
          plural: "machines",
          verb: "patch",
          subresource: "status",
          name,
          by: "mhc-machines",
          unless:
            "!has(object.status.conditions) || !object.status.conditions.exists(c, c.type == 'HealthCheckSucceeded' && c.status == 'False')",
          message,
          probe: [`patch machine/${name} --subresource=status --type=merge -p '${conditions}'`],
        });
        await Promise.all([stuck, ...others].map((machine) => scene.fail(machine)));
        for (const machine of others) await scene.isReplaced("stuck", machine, 3);
        await eventually(async () => {
          expect(await scene.eventsOf("FailedPatchMachine")).toContainEqual(
            expect.stringMatching(new RegExp(`^${name}: .*${message}`)),
          );
        }, WITHIN);
        const left = (await scene.machinesOf("stuck")).find(({ metadata }) => metadata.name === name);
        expect(conditionIn(left, "HealthCheckSucceeded")[0]).toBe("True");
        expect(await capstan.deadLetters.list("mhc-machines")).toEqual([]);
        await lift();
        await scene.isReplaced("stuck", stuck, 3);
      });

      it("two checks that disagree give one condition, which does not change", async () => {
        const [machine] = await scene.healthy("twice", 1);
        await kubectl(
          "apply -f -",
          `
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: a-stricter, namespace: default }
spec:
  clusterName: c1
  selector: { matchLabels: { set: twice } }
  checks: ${nodeCheck(0).replace("Ready", "KernelDeadlock").replace('"False"', '"True"')}
  remediation: { triggerIf: { unhealthyInRange: "[5-9]" } }
`,
        );
        await patch(kubectl, "mhc/twice", { spec: triggerIf({ unhealthyLessThanOrEqualTo: 0 }) });
        const conditions = [{ type: "KernelDeadlock", status: "True" }];
        await patch(kubectl, `siminstance/${machine?.metadata.name}`, { spec: { faults: { conditions } } });
        await scene.failed("twice", machine);
        const [before] = await scene.machinesOf("twice");
        const stamped = (one: Machine | undefined) =>
          conditionOf(one?.status?.conditions, "HealthCheckSucceeded");
        expect(stamped(before)?.message).toContain("KernelDeadlock");
        await holds(
          async () => expect(stamped((await scene.machinesOf("twice"))[0])).toEqual(stamped(before)),
          FOR_LONG,
        );
        const healthyIn = async (name: string) =>
          (await scene.objects.read<MachineHealthCheck>("machinehealthchecks", name)).status?.currentHealthy;
        await eventually(
          async () => expect([await healthyIn("a-stricter"), await healthyIn("twice")]).toEqual([0, 1]),
          WITHIN,
        );
      });

      it("a template of SimMachines deletes no SimMachine and is named once a Machine fails", async () => {
        const [machine] = await scene.healthy("parts", 1);
        const name = machine?.metadata.name ?? "";
        const uid = () => kubectl(`get simmachine/${name} -o jsonpath={.metadata.uid}`);
        const before = await uid();
        await scene.fail(machine);
        await eventually(async () => {
          expect(await scene.eventsOf("RemediationRequestCreationFailed")).toContainEqual(
            expect.stringContaining(
              `${name}: SimMachineTemplate default/parts makes what Machines consist of`,
            ),
          );
        }, WITHIN);
        expect(await uid()).toBe(before);
      });

      it("a request that a quota refuses is said with its words, and made once there is room", async () => {
        const [machine] = await scene.healthy("asked", 1);
        const name = machine?.metadata.name ?? "";
        const message = "exceeded quota: no remediations are left";
        const lift = await server.refuse({
          group: "infrastructure.sim.capstan.dev",
          plural: "simremediations",
          verb: "create",
          by: "mhc-requests",
          unless: "false",
          message,
          probe: [
            "create -f -",
            `{ "apiVersion": "infrastructure.sim.capstan.dev/v1beta2", "kind": "SimRemediation", "metadata": { "name": "probe", "namespace": "default" }, "spec": {} }`,
          ],
        });
        await scene.fail(machine);
        await eventually(async () => {
          const found = await scene.objects.read<Machine>("machines", name);
          expect(conditionIn(found, "ExternallyRemediated")[1]).toBe("RemediationRequestCreationFailed");
          expect(await scene.eventsOf("RemediationRequestCreationFailed")).toContainEqual(
            expect.stringMatching(new RegExp(`^${name}: .*${message}`)),
          );
        }, WITHIN);
        await lift();
        await eventually(() => kubectl(`get simremediation/${name}`), WITHIN);
      });
    },
  );
}
