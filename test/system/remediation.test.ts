import { afterAll, beforeAll, expect, it } from "vitest";
import type { SimInstance } from "../../infra/playground/api/sim-cloud.ts";
import type { Event } from "../../shared/api/core.ts";
import type { KubeObject } from "../../shared/api/kinds.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import type { RemediationPolicy } from "../../shared/api/remediation-policy.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually, holds } from "../support/eventually.ts";
import { patch, patchStatus } from "../support/foo-workload.ts";
import { FENCE_GROUP, FOREIGN_REMEDIATORS, foreignTemplate } from "../support/foreign-remediators.ts";
import { simClusterOfMachines, simMachineSet } from "../support/manifests.ts";
import { type Objects, objectsOf } from "../support/objects.ts";
import { JUDGES, type TestServer } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const METAL = "infrastructure.cluster.x-k8s.io/v1beta2/metalremediations";
const CLOUD = "infrastructure.cluster.x-k8s.io/v1beta1/cloudremediations";
const FENCE = `${FENCE_GROUP}/v1alpha1/fenceremediations`;

/** A set of one Machine, and a health check of it with this template. */
function checkedSet(name: string, templateRef: string): string {
  return `${simMachineSet(name, "c1", 1)}---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: c1
  selector: { matchLabels: { set: ${name} } }
  checks:
    nodeStartupTimeoutSeconds: 0
    unhealthyNodeConditions: [{ type: Ready, status: "False", timeoutSeconds: 1 }]
  remediation: { templateRef: ${templateRef} }
`;
}

function simTemplate(name: string, spec: string) {
  const apiVersion = "infrastructure.sim.capstan.dev/v1beta2";
  return {
    reference: `{ apiVersion: ${apiVersion}, kind: SimRemediationTemplate, name: ${name} }`,
    manifest: `
apiVersion: ${apiVersion}
kind: SimRemediationTemplate
metadata: { name: ${name}, namespace: default }
spec: { template: { spec: ${spec} } }
`,
  };
}

const GIVES_UP = "outcome: Fails, delaySeconds: 0, timeoutSeconds: 1, retryLimit: 0";
/** By set; those of `late` are applied in its test. */
const TEMPLATES = {
  repaired: simTemplate("repaired", "{ delaySeconds: 1 }"),
  replaced: simTemplate("replaced", `{ ${GIVES_UP} }`),
  older: simTemplate("older", `{ ${GIVES_UP}, gaveUpIn: Deprecated }`),
  metal: foreignTemplate(
    "MetalRemediation",
    "v1beta2",
    "metal",
    "{ spec: { strategy: { timeoutSeconds: 9 } } }",
  ),
  fence: foreignTemplate("FenceRemediation", "v1alpha1", "fence", "{ spec: { agent: sim } }"),
  escalated: foreignTemplate("MetalRemediation", "v1beta2", "escalated", "{ spec: {} }"),
  late: foreignTemplate("MetalRemediation", "v1beta1", "late", "{ spec: { retryLimit: 1 } }"),
  refused: foreignTemplate("CloudRemediation", "v1beta1", "refused", "{ spec: { strategy: Pray } }"),
  taken: foreignTemplate("CloudRemediation", "v1beta1", "taken", "{ spec: { strategy: Reboot } }"),
};
type SetName = keyof typeof TEMPLATES | "paced";

function policyFor(set: SetName, spec: string): string {
  return `
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: { name: ${set}, namespace: default }
spec: { clusterName: c1, healthChecks: [${set}], ${spec} }
`;
}

/** Two Machines that their set replaces, one of them in an hour; and one that a controller may call hopeless. */
const POLICIES = [
  checkedSet("paced", "")
    .replace(/ {2}remediation: .*\n/, "")
    .replace("replicas: 1", "replicas: 2"),
  policyFor("paced", "pacing: { maxRemediations: 1, windowSeconds: 3600 }"),
  policyFor("escalated", "escalation: { phases: [Hopeless] }"),
];

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `remediation by external controllers on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let server: TestServer;
      let kubectl: Kubectl;
      let objects: Objects;
      const machineOf = (name: string) => objects.read<Machine>("machines", name);
      const machinesOf = (set: SetName) => objects.list<Machine>("machines", `labelSelector=set=${set}`);

      beforeAll(async () => {
        server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        objects = objectsOf(server.kubeconfigFile);
        await kubectl("apply -f -", FOREIGN_REMEDIATORS);
        await kubectl("wait crd --all --for=condition=Established --timeout=240s");
        const plurals = ["fenceremediations", "fenceremediationtemplates"];
        stack.use(await startCapstan(await server.withoutWatchOf(FENCE_GROUP, plurals)));
        const sets = Object.entries(TEMPLATES).flatMap(([name, { reference, manifest }]) => [
          checkedSet(name, reference),
          ...(name === "late" ? [] : [manifest]),
        ]);
        await kubectl("apply -f -", [simClusterOfMachines("c1", 1), ...sets, ...POLICIES].join("---"));
      });
      afterAll(() => stack.disposeAsync());

      /** The Machine of a set, once it is healthy. */
      function healthy(set: SetName): Promise<Machine> {
        return eventually(async () => {
          const [machine] = await machinesOf(set);
          const isHealthy = saidOf(machine, "HealthCheckSucceeded")[0] === "True";
          return machine !== undefined && isHealthy && machine;
        }, WITHIN) as Promise<Machine>;
      }

      function saidOf(machine: Machine | undefined, type: string) {
        const { status, reason, message } = conditionOf(machine?.status?.conditions, type) ?? {};
        return [status, reason, message];
      }

      /** Messages of the Events about an object. */
      async function eventsOf(reason: string, name: string): Promise<string> {
        const selector = `fieldSelector=reason=${reason},involvedObject.name=${name}`;
        return (await objects.list<Event>("events", selector)).map(({ message }) => message).join();
      }

      /** Status of a deprecated condition of the health check of a set. */
      async function older(set: SetName, type: string) {
        const { status } = await objects.read<MachineHealthCheck>("machinehealthchecks", set);
        return conditionOf(status?.deprecated?.v1beta1?.conditions, type)?.status;
      }

      const fail = ({ metadata }: Machine) =>
        patch(kubectl, `siminstance/${metadata.name}`, { spec: { faults: { node: "NotReady" } } });
      const heal = ({ metadata }: Machine) =>
        patch(kubectl, `siminstance/${metadata.name}`, { spec: { faults: null } });

      /** The request for a Machine, once it is there. */
      function requested(plural: string, { metadata }: Machine): Promise<KubeObject> {
        return eventually(() => objects.read(plural, metadata.name), WITHIN);
      }

      async function isGone(plural: string, { metadata: { name } }: Machine): Promise<void> {
        await eventually(async () => {
          const found = await objects.list(plural, `fieldSelector=metadata.name=${name}`);
          expect(found).toEqual([]);
        }, WITHIN);
      }

      /** Its set has another one, which is healthy. */
      async function isReplaced(set: SetName, before: Machine): Promise<void> {
        await eventually(async () => {
          const machines = await machinesOf(set);
          expect(machines.map(({ metadata }) => metadata.uid)).not.toContain(before.metadata.uid);
          expect(machines.map((machine) => saidOf(machine, "HealthCheckSucceeded")[0])).toEqual(["True"]);
        }, WITHIN);
      }

      it("a controller repairs the instance, the request goes and the Machine stays", async () => {
        const machine = await healthy("repaired");
        await fail(machine);
        const { metadata } = await requested("simremediations", machine);
        expect(metadata.ownerReferences).toMatchObject([{ kind: "Machine", uid: machine.metadata.uid }]);
        await isGone("simremediations", machine);
        const after = await healthy("repaired");
        expect(after.metadata.uid).toBe(machine.metadata.uid);
        expect(saidOf(after, "OwnerRemediated")).toEqual([undefined, undefined, undefined]);
        const instance = await objects.read<SimInstance>("siminstances", machine.metadata.name);
        expect(instance.spec).toMatchObject({ faults: {}, reboots: 1 });
      });

      it.each(["replaced", "older"] as const)(
        "a controller that gives up leaves the Machine to its set, which replaces it: %s",
        async (set) => {
          const machine = await healthy(set);
          await fail(machine);
          await isReplaced(set, machine);
          await isGone("simremediations", machine);
        },
      );

      it("a request as Metal3 reads it, in the version of the template, is deleted once and waits for its finalizer", async () => {
        const machine = await healthy("metal");
        const { name } = machine.metadata;
        await fail(machine);
        const request = await requested(METAL, machine);
        expect(request).toMatchObject({
          apiVersion: "infrastructure.cluster.x-k8s.io/v1beta2",
          metadata: {
            labels: { "cluster.x-k8s.io/cluster-name": "c1" },
            annotations: {
              "cluster.x-k8s.io/cloned-from-name": "metal",
              "cluster.x-k8s.io/cloned-from-groupkind":
                "MetalRemediationTemplate.infrastructure.cluster.x-k8s.io",
            },
          },
          spec: { strategy: { timeoutSeconds: 9 } },
        });
        await patch(kubectl, `metalremediation/${name}`, {
          metadata: { finalizers: ["metal.example.com/busy"] },
        });
        await heal(machine);
        await eventually(async () => {
          const going = await objects.read(METAL, name);
          expect(going.metadata.deletionTimestamp).toBeDefined();
        }, WITHIN);
        // It fails again: the request that terminates is left alone, and another one follows it.
        await fail(machine);
        await patch(kubectl, `metalremediation/${name}`, { metadata: { finalizers: null } });
        await eventually(async () => {
          const next = await objects.read(METAL, name);
          expect(next.metadata.uid).not.toBe(request.metadata.uid);
        }, WITHIN);
        await heal(machine);
        await isGone(METAL, machine);
        const deletes = (await server.requests()).filter(
          ({ verb, resource, code }) => verb === "delete" && resource === "metalremediations" && code === 200,
        );
        expect(deletes).toHaveLength(2);
      });

      it("a request for Medik8s, whose kind may not be watched, names the Node and is deleted", async () => {
        const machine = await healthy("fence");
        await fail(machine);
        const { metadata } = await requested(FENCE, machine);
        expect(metadata.annotations).toMatchObject({
          "remediation.medik8s.io/node-name": machine.status?.nodeRef?.name,
        });
        await heal(machine);
        await isGone(FENCE, machine);
        const asked = (await server.requests()).filter(({ resource }) => resource === "fenceremediations");
        const shown = asked.filter(({ verb, code }) => verb === "watch" && code === 200);
        const listed = asked.filter(
          ({ verb, userAgent }) => verb === "list" && userAgent.includes("mhc-requests"),
        );
        expect([shown.length, listed.length > 0]).toEqual([0, true]);
      });

      it("a template that is missing is said on the Machine and on the health check, and used once it is there", async () => {
        const machine = await healthy("late");
        await fail(machine);
        const { name } = machine.metadata;
        await eventually(async () => {
          expect(saidOf(await machineOf(name), "ExternallyRemediated")).toEqual([
            "False",
            "RemediationTemplateNotFound",
            "Error retrieving remediation template MetalRemediationTemplate default/late",
          ]);
          expect(await older("late", "ExternalRemediationTemplateAvailable")).toBe("False");
        }, WITHIN);
        await kubectl("apply -f -", TEMPLATES.late.manifest);
        expect((await requested(METAL, machine)).apiVersion).toMatch(/\/v1beta/);
        await eventually(async () => {
          expect(saidOf(await machineOf(name), "ExternallyRemediated")[1]).toBe("WaitingForRemediation");
          expect(await older("late", "ExternalRemediationTemplateAvailable")).toBe("True");
        }, WITHIN);
      });

      it("a request that the server refuses is said with its words, and made once the template is right", async () => {
        const machine = await healthy("refused");
        await fail(machine);
        const { name } = machine.metadata;
        await eventually(async () => {
          expect(saidOf(await machineOf(name), "ExternallyRemediated")[1]).toBe(
            "RemediationRequestCreationFailed",
          );
          const events = await eventsOf("RemediationRequestCreationFailed", name);
          expect(events).toContain("spec.strategy");
          expect(await older("refused", "ExternalRemediationRequestAvailable")).toBe("False");
        }, WITHIN);
        const right = { spec: { template: { spec: { strategy: "Reboot" } } } };
        await patch(kubectl, "cloudremediationtemplate/refused", right);
        await requested(CLOUD, machine);
        await eventually(async () => {
          expect(await older("refused", "ExternalRemediationRequestAvailable")).toBe("True");
        }, WITHIN);
      });

      it("a policy lets one of two Machines be replaced, and keeps its history", async () => {
        await healthy("paced");
        const both = await eventually(async () => {
          const machines = await machinesOf("paced");
          const isWell = (machine: Machine) => saidOf(machine, "HealthCheckSucceeded")[0] === "True";
          return machines.length === 2 && machines.every(isWell) && machines;
        }, WITHIN);
        for (const machine of both) await fail(machine);
        await eventually(async () => {
          const { status } = await objects.read<RemediationPolicy>("remediationpolicies", "paced");
          expect(status?.remediations).toMatchObject([
            { healthCheck: "paced", by: "Owner", outcome: "Deleted" },
          ]);
          expect(status?.underWay).toBe(0);
          const events = await eventsOf("RemediationBlocked", "paced");
          expect(events).toContain("1 remediations have begun within 3600 s");
        }, WITHIN);
        const machines = await machinesOf("paced");
        const left = both.filter(({ metadata }) => machines.some((one) => one.metadata.uid === metadata.uid));
        expect(left).toHaveLength(1);
        const [other] = left;
        const waiting = machines.find(({ metadata }) => metadata.uid === other?.metadata.uid);
        expect(saidOf(waiting, "HealthCheckSucceeded")[0]).toBe("False");
        expect(saidOf(waiting, "OwnerRemediated")).toEqual([undefined, undefined, undefined]);
        expect(await kubectl("get rempol paced")).toMatch(/paced +c1 +0 +/);
      });

      it("a policy gives the Machine of a hopeless request to its set, which replaces it", async () => {
        const machine = await healthy("escalated");
        await fail(machine);
        await requested(METAL, machine);
        await patchStatus(kubectl, `metalremediation/${machine.metadata.name}`, { phase: "Hopeless" });
        await isReplaced("escalated", machine);
        await eventually(async () => {
          const { status } = await objects.read<RemediationPolicy>("remediationpolicies", "escalated");
          expect(status?.remediations).toMatchObject([
            { by: "ExternalController", outcome: "Escalated", endedAt: expect.any(String) },
          ]);
        }, WITHIN);
      });

      it("an object of another owner that has the name of a request is left alone, and said", async () => {
        const machine = await healthy("taken");
        const { name } = machine.metadata;
        await kubectl("create configmap its-owner");
        const { uid } = (await objects.read("configmaps", "its-owner")).metadata;
        const owner = `{ apiVersion: v1, kind: ConfigMap, name: its-owner, uid: ${uid} }`;
        await kubectl(
          "create -f -",
          `
apiVersion: infrastructure.cluster.x-k8s.io/v1beta1
kind: CloudRemediation
metadata: { name: ${name}, namespace: default, ownerReferences: [${owner}] }
spec: { strategy: Reboot }
`,
        );
        await fail(machine);
        await eventually(async () => {
          const events = await eventsOf("RemediationBlocked", "taken");
          expect(events).toContain(`CloudRemediation ${name}`);
        }, WITHIN);
        await heal(machine);
        await healthy("taken");
        await holds(
          async () => {
            const left = await objects.read(CLOUD, name);
            expect(left.metadata.deletionTimestamp).toBeUndefined();
          },
          { forMs: 2_000, stepMs: 500 },
        );
      });
    },
  );
}
