import { afterAll, beforeAll, expect, it } from "vitest";
import type { Remediation } from "../../infra/cli/remediations/remediation-list.ts";
import type { ExplainedTree } from "../../infra/operate/explain/explain-tree.ts";
import type { Machine } from "../../shared/api/machine/machine.ts";
import { conditionOf } from "../../shared/rules/conditions/conditions.ts";
import { startCapstan } from "../support/capstan.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import { simClusterOfMachines, simMachineSet } from "../support/manifests.ts";
import { type Objects, objectsOf } from "../support/objects.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { runCli } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

const WITHIN = { withinMs: 180_000, stepMs: 500 };
const HOLD = "capstan.dev/hold-remediation";

interface Checked {
  readonly cluster?: string;
  readonly replicas: number;
  readonly remediation?: string;
  readonly policy?: string;
}

/** By set: each has a health check of its name, and some a policy. */
const SETS = {
  limited: { replicas: 3, remediation: "{ triggerIf: { unhealthyLessThanOrEqualTo: 1 } }" },
  paced: { replicas: 2, policy: "pacing: { maxRemediations: 1, windowSeconds: 3600 }" },
  held: { replicas: 1, policy: "cooldownSeconds: 0" },
  repaired: {
    replicas: 1,
    remediation:
      "{ templateRef: { apiVersion: infrastructure.sim.capstan.dev/v1beta2, kind: SimRemediationTemplate, name: repaired } }",
  },
  away: { cluster: "c2", replicas: 2, remediation: "{ triggerIf: { unhealthyLessThanOrEqualTo: 0 } }" },
} as const satisfies { readonly [name: string]: Checked };
type SetName = keyof typeof SETS;

function checkedSet(name: string, { replicas, cluster = "c1", ...more }: Checked): string {
  const policy = `---
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: { name: ${name}, namespace: default }
spec: { clusterName: ${cluster}, healthChecks: [${name}], ${more.policy} }
`;
  return `${simMachineSet(name, cluster, replicas)}---
apiVersion: cluster.x-k8s.io/v1beta2
kind: MachineHealthCheck
metadata: { name: ${name}, namespace: default }
spec:
  clusterName: ${cluster}
  selector: { matchLabels: { set: ${name} } }
  checks:
    nodeStartupTimeoutSeconds: 0
    unhealthyNodeConditions: [{ type: Ready, status: "False", timeoutSeconds: 1 }]
  remediation: ${more.remediation ?? "{ triggerIf: { unhealthyLessThanOrEqualTo: 100% } }"}
${more.policy === undefined ? "" : policy}`;
}

const TEMPLATE = `
apiVersion: infrastructure.sim.capstan.dev/v1beta2
kind: SimRemediationTemplate
metadata: { name: repaired, namespace: default }
spec: { template: { spec: { delaySeconds: 1 } } }
`;

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `what commands say about health checks on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      let objects: Objects;
      let kubeconfig = "";

      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubeconfig = server.kubeconfigFile;
        kubectl = kubectlFor(kubeconfig);
        objects = objectsOf(kubeconfig);
        stack.use(await startCapstan(kubeconfig));
        const clusters = ["c1", "c2"].map((name) => simClusterOfMachines(name, 1));
        const sets = Object.entries(SETS).map(([name, checked]) => checkedSet(name, checked));
        await kubectl("apply -f -", [...clusters, TEMPLATE, ...sets].join("---"));
      });
      afterAll(() => stack.disposeAsync());

      async function capstan(...args: readonly string[]): Promise<string> {
        const { code, output } = await runCli(...args, "--kubeconfig", kubeconfig);
        expect(code, output).toBe(0);
        return output;
      }

      /** The health in the JSON of `capstan explain`. */
      async function explained(kind: string, name: string) {
        const tree: ExplainedTree = JSON.parse(
          await capstan("explain", kind, `default/${name}`, "-o", "json"),
        );
        return tree.health;
      }

      async function remediationsOf({ metadata }: Machine): Promise<readonly Remediation[]> {
        const all: readonly Remediation[] = JSON.parse(
          await capstan("remediations", "-n", "default", "-o", "json"),
        );
        return all.filter(({ uid }) => uid === metadata.uid);
      }

      async function machinesOf(set: SetName): Promise<readonly Machine[]> {
        return objects.list("machines", `labelSelector=set=${set}`);
      }

      const healthOf = ({ status }: Machine) =>
        conditionOf(status?.conditions, "HealthCheckSucceeded")?.status;

      /** The Machines of a set, once all are healthy. */
      function healthy(set: SetName): Promise<readonly Machine[]> {
        return eventually(async () => {
          const machines = await machinesOf(set);
          expect(machines.map(healthOf)).toEqual(Array.from({ length: SETS[set].replicas }, () => "True"));
          return machines;
        }, WITHIN);
      }

      async function fail(...machines: readonly (Machine | undefined)[]): Promise<void> {
        for (const machine of machines) {
          const body = { spec: { faults: { node: "NotReady" } } };
          await patch(kubectl, `siminstance/${machine?.metadata.name}`, body);
        }
      }

      const failed = (set: SetName, count: number) =>
        eventually(async () => {
          const found = (await machinesOf(set)).filter((machine) => healthOf(machine) === "False");
          expect(found).toHaveLength(count);
          return found;
        }, WITHIN);

      it("a limit holds remediation back: who keeps which place, and nothing was remediated", async () => {
        const [first, second] = await healthy("limited");
        await fail(first, second);
        const [machine] = await failed("limited", 2);
        await kubectl("wait mhc/limited --for=condition=RemediationAllowed=false --timeout=240s");
        const message = expect.stringMatching(
          /exceeds maxUnhealthy \(total: 3, unhealthy: 2, maxUnhealthy: 1\)/,
        );
        await eventually(async () => {
          expect(await explained("mhc", "limited")).toMatchObject([
            {
              limit: { isAllowed: false, message, used: 2, places: 1 },
              handOver: { because: "limit", text: message },
              counts: { healthy: 1, unhealthy: 2 },
            },
          ]);
        }, WITHIN);
        const table = await capstan("explain", "machinehealthcheck", "default/limited");
        const name = machine?.metadata.name;
        const row = "unhealthy: UnhealthyNode +\\S+ +the Machine itself +limit$";
        expect(table).toMatch(new RegExp(`^${name} +${row}`, "m"));
        expect(table).toMatch(/^limit .*; 2 of 1 places used\nhand-over +waits for limit: /m);
        expect(await capstan("explain", "machine", `default/${name}`)).toMatch(
          new RegExp(`^default/limited +${row}`, "m"),
        );
        expect(await remediationsOf(machine as Machine)).toEqual([]);
      });

      it("a policy holds remediation back, and remembers the one before when its Event is gone", async () => {
        const both = await healthy("paced");
        await fail(...both);
        const gone = await eventually(async () => {
          const left = (await machinesOf("paced")).map(({ metadata }) => metadata.uid);
          const found = both.filter(({ metadata }) => !left.includes(metadata.uid));
          expect(found).toHaveLength(1);
          return found[0] as Machine;
        }, WITHIN);
        const waiting = both.find((machine) => machine !== gone) as Machine;
        await eventually(async () => {
          expect(await kubectl("get rempol/paced -o jsonpath={.status.remediations[0].outcome}")).toBe(
            "Deleted",
          );
          expect(await kubectl("get events --field-selector=reason=RemediationBlocked")).toContain(
            `Remediation of ${waiting.metadata.name} waits for RemediationPolicy paced`,
          );
        }, WITHIN);
        const text = expect.stringContaining(
          "RemediationPolicy paced: 1 remediations have begun within 3600 s",
        );
        const target = {
          machine: waiting.metadata.name,
          verdict: "unhealthy",
          waitsFor: "RemediationPolicy paced",
        };
        await eventually(async () => {
          expect(await explained("mhc", "paced")).toMatchObject([{ handOver: { because: "policy", text } }]);
          expect(await explained("machine", waiting.metadata.name)).toMatchObject([
            { healthCheck: "default/paced", handOver: { because: "policy", text }, targets: [target] },
          ]);
        }, WITHIN);
        const replaced = { healthCheck: "default/paced", outcome: "replaced", reason: "UnhealthyNode" };
        await eventually(async () => {
          expect(await remediationsOf(gone)).toMatchObject([{ ...replaced, endedAt: expect.any(String) }]);
        }, WITHIN);
        const filter = `involvedObject.uid=${gone.metadata.uid}`;
        await kubectl(`delete events --field-selector=${filter}`);
        expect(await remediationsOf(gone)).toMatchObject([{ ...replaced, endedAt: expect.any(String) }]);
        expect(await capstan("remediations")).toMatch(
          new RegExp(
            `default/paced +default/${gone.metadata.name} +UnhealthyNode +\\S+ calm .*replaced +\\S+$`,
            "m",
          ),
        );
        expect(await remediationsOf(waiting)).toEqual([]);
      });

      it("an annotation holds a Machine back, and the history says that it has waited for it", async () => {
        const [machine] = (await healthy("held")) as readonly [Machine];
        const { name } = machine.metadata;
        await kubectl(`annotate machine/${name} ${HOLD}=me`);
        await fail(machine);
        await failed("held", 1);
        await eventually(async () => {
          const events = await kubectl(`get events --field-selector=involvedObject.name=${name}`);
          expect(events).toContain("Remediation by default/held waits until annotation");
          expect(await explained("machine", name)).toMatchObject([
            { targets: [{ waitsFor: `annotation ${HOLD} to be removed` }] },
          ]);
        }, WITHIN);
        await kubectl(`annotate machine/${name} ${HOLD}-`);
        await kubectl(`wait machine/${name} --for=delete --timeout=240s`);
        await eventually(async () => {
          expect(await remediationsOf(machine)).toMatchObject([
            { healthCheck: "default/held", outcome: "replaced", waitedFor: [`annotation ${HOLD}`] },
          ]);
        }, WITHIN);
      });

      it("after a remediation its Machine is healthy, and the list says who has repaired it", async () => {
        const [machine] = (await healthy("repaired")) as readonly [Machine];
        const { name } = machine.metadata;
        await fail(machine);
        await eventually(async () => {
          expect(await kubectl("get events --field-selector=reason=MachineMarkedUnhealthy")).toContain(
            `Machine default/${name} has been marked as unhealthy by default/repaired`,
          );
        }, WITHIN);
        await healthy("repaired");
        const repaired = { actor: `SimRemediation ${name}`, outcome: "recovered" };
        await eventually(async () => {
          expect(await remediationsOf(machine)).toMatchObject([
            { healthCheck: "default/repaired", ...repaired, endedAt: expect.any(String) },
          ]);
        }, WITHIN);
        expect(await explained("mhc", "repaired")).toMatchObject([{ targets: [{ verdict: "healthy" }] }]);
        expect(await explained("machine", name)).toMatchObject([
          { healthCheck: "default/repaired", targets: [{ machine: name, verdict: "healthy" }] },
        ]);
      });

      it("all three answer while the workload cluster is away", async () => {
        const [machine] = (await healthy("away")) as readonly [Machine];
        const { name } = machine.metadata;
        await fail(machine);
        await failed("away", 1);
        await kubectl("wait mhc/away --for=condition=RemediationAllowed=false --timeout=240s");
        await kubectl("annotate simcontrolplane/c2 fault.sim.capstan.dev/unreachable=true");
        const place = expect.stringMatching(/^its HealthCheckSucceeded, False since .*\(UnhealthyNode\)$/);
        const target = { machine: name, verdict: "unknown", place, waitsFor: "its Node to be seen" };
        const limit = { isAllowed: false, isStored: true, used: 1 };
        await eventually(async () => {
          const [health] = (await explained("mhc", "away")) ?? [];
          expect(health).toMatchObject({ nodes: "unseen", limit, counts: { unknown: 2 } });
          expect(health?.targets).toContainEqual(expect.objectContaining(target));
        }, WITHIN);
        expect(await explained("machine", name)).toMatchObject([{ nodes: "unseen", targets: [target] }]);
        expect(await capstan("explain", "mhc", "default/away")).toMatch(
          /^Nodes +are not visible[\s\S]*^limit +as the status had it while Nodes were visible: Remediation is not allowed/m,
        );
        expect(await capstan("explain", "machine", `default/${name}`)).toMatch(/Nodes +are not visible/);
        expect(await remediationsOf(machine)).toEqual([]);
      });
    },
  );
}
