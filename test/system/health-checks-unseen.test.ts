import { afterAll, beforeAll, expect, it } from "vitest";
import type { Running } from "../../infra/cli/compose.ts";
import { parseKubeconfig } from "../../infra/platform/kube/kubeconfig.ts";
import { Connection, type Secret } from "../../shared/api/core.ts";
import { MANAGEMENT } from "../../shared/api/kinds.ts";
import type { MachineHealthCheck } from "../../shared/api/machinehealthcheck.ts";
import { KUBECONFIG_VALIDITY_SECONDS } from "../../shared/rules/credentials/kubeconfig.ts";
import { isCompleteView } from "../../shared/rules/workload/complete-view.ts";
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
import { kubeconfigBy } from "../support/issued.ts";
import { simClusterOfMachines } from "../support/manifests.ts";
import { objectsOf } from "../support/objects.ts";
import { JUDGES } from "../support/processes/api-servers.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { describeWith } from "../support/requires.ts";

/** The deadline comes when a test changes the check, not before. */
const HOUR_SECONDS = 3_600;
const PAUSED = "cluster.x-k8s.io/paused";
const TYPE = { cluster: MANAGEMENT, group: Connection.group, kind: Connection.kind };
const UNREACHABLE = "fault.sim.capstan.dev/unreachable";

/** Ways in which the Nodes of a Cluster can no longer be seen, and how that ends. */
const TROUBLES: {
  readonly [cluster: string]: {
    readonly begin: (kubectl: Kubectl, cluster: string) => Promise<unknown>;
    readonly end: (kubectl: Kubectl, cluster: string) => Promise<unknown>;
  };
} = {
  away: {
    begin: (kubectl, cluster) => kubectl(`annotate simcontrolplane/${cluster} ${UNREACHABLE}=`),
    end: (kubectl, cluster) => kubectl(`annotate simcontrolplane/${cluster} ${UNREACHABLE}-`),
  },
  forbidden: {
    async begin(kubectl, cluster) {
      const secretOf = async (name: string): Promise<Secret> =>
        JSON.parse(await kubectl(`get secret/${cluster}-${name} -o json`));
      const { value = "" } = (await secretOf("kubeconfig")).data ?? {};
      const { server } = parseKubeconfig(Buffer.from(value, "base64").toString());
      const viewer = await kubeconfigBy(await secretOf("ca"), {
        server: server.origin,
        subject: { commonName: "jane", organization: "viewers" },
        validitySeconds: KUBECONFIG_VALIDITY_SECONDS,
      });
      await writeKubeconfig(kubectl, cluster, viewer);
    },
    end: renewKubeconfig,
  },
  gone: {
    async begin(kubectl, cluster) {
      // Its provider would make another one.
      await kubectl(`annotate simcontrolplane/${cluster} ${PAUSED}=`);
      await kubectl(`delete secret/${cluster}-kubeconfig`);
    },
    end: (kubectl, cluster) => kubectl(`annotate simcontrolplane/${cluster} ${PAUSED}-`),
  },
  hostile: {
    begin: (kubectl, cluster) =>
      writeKubeconfig(kubectl, cluster, "users: [{ name: u, user: { exec: { command: touch } } }]"),
    end: renewKubeconfig,
  },
};

function writeKubeconfig(kubectl: Kubectl, cluster: string, text: string): Promise<string> {
  const value = Buffer.from(text).toString("base64");
  return patch(kubectl, `secret/${cluster}-kubeconfig`, { data: { value } });
}

/** Its provider makes a new one in place of one that is deleted. */
function renewKubeconfig(kubectl: Kubectl, cluster: string): Promise<string> {
  return kubectl(`delete secret/${cluster}-kubeconfig`);
}

for (const flavour of JUDGES) {
  describeWith(flavour.missing ?? kubectlMissing(), flavour)(
    `health checks of a Cluster whose Nodes cannot be seen on ${flavour.name}`,
    { concurrent: true },
    () => {
      const stack = new AsyncDisposableStack();
      let kubectl: Kubectl;
      let scene: CheckedSets;
      let capstan: Running;

      beforeAll(async () => {
        const server = stack.use(await flavour.start());
        kubectl = kubectlFor(server.kubeconfigFile);
        scene = checkedSets(objectsOf(server.kubeconfigFile));
        capstan = stack.use(await startCapstan(server.kubeconfigFile));
        const manifests = Object.keys(TROUBLES).flatMap((name) => [
          simClusterOfMachines(name, 1),
          checkedSet(`w-${name}`, { replicas: 2, cluster: name, checks: nodeCheck(HOUR_SECONDS) }),
        ]);
        await kubectl("apply -f -", manifests.join("---"));
      });
      afterAll(() => stack.disposeAsync());

      it.each(Object.entries(TROUBLES))(
        "no verdict changes and nothing starts while its server or its kubeconfig is %s, and deadlines are made up for",
        async (cluster, { begin, end }) => {
          const set = `w-${cluster}`;
          const [late, cut] = await scene.healthy(set, 2);
          const reported = async () => {
            const { status } = await scene.objects.read<MachineHealthCheck>("machinehealthchecks", set);
            return [status?.expectedMachines, status?.currentHealthy, status?.observedGeneration];
          };
          const reports = (healthy: number) =>
            eventually(async () => expect((await reported()).slice(0, 2)).toEqual([2, healthy]), WITHIN);
          // While the set came up it has reported one healthy Machine before, too.
          await reports(2);
          await scene.fail(late);
          await reports(1);
          const before = await reported();

          await begin(kubectl, cluster);
          await eventually(async () => {
            expect(await scene.eventsOf("ConnectionFailed")).toContainEqual(
              expect.stringMatching(new RegExp(`^${cluster}: `)),
            );
            // Such an Event may be older: a connection that is just being made fails, too.
            const key = { namespace: "default", name: cluster };
            const connection = await capstan.store.get(TYPE, key);
            expect(isCompleteView(connection as Connection | undefined)).toBe(false);
          }, WITHIN);
          await scene.fail(cut, "Gone");
          const unhealthyNodeConditions = [{ type: "Ready", status: "False", timeoutSeconds: 1 }];
          await patch(kubectl, `mhc/${set}`, { spec: { checks: { unhealthyNodeConditions } } });
          await holds(async () => {
            const machines = await scene.machinesOf(set);
            expect(machines.map(({ metadata }) => metadata.uid)).toEqual(
              [late, cut].map((one) => one?.metadata.uid),
            );
            for (const machine of machines) {
              expect(conditionIn(machine, "HealthCheckSucceeded")[0]).toBe("True");
              expect(conditionIn(machine, "OwnerRemediated")).toEqual([undefined, undefined, undefined]);
            }
            expect(await reported()).toEqual(before);
          }, FOR_LONG);

          await end(kubectl, cluster);
          await scene.isReplaced(set, late, 2);
          await scene.isReplaced(set, cut, 2);
          await scene.healthy(set, 2);
        },
      );
    },
  );
}
