import { afterAll, beforeAll, expect, it } from "vitest";
import { rightsOfProcess } from "../../infra/deploy/manifests/accounts.ts";
import { NAMESPACE, type ServerProcess, serverProcesses } from "../../infra/deploy/manifests/deployments.ts";
import { createAuthoritySecret } from "../support/authority-secret.ts";
import { startCapstan } from "../support/capstan.ts";
import { type CheckedSets, checkedSet, checkedSets } from "../support/checked-sets.ts";
import { deployAccounts, OF_SIMS, userOf } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { patch } from "../support/foo-workload.ts";
import {
  simCluster,
  simClusterOfMachines,
  simMachine,
  simMachineDeployment,
  simPool,
  simPoolWithMachines,
} from "../support/manifests.ts";
import { objectsThrough } from "../support/objects.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { type AuditedRequest, readAuditLog } from "../support/processes/audit-log.ts";
import type { CliProcess } from "../support/processes/cli.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { type RealServer, startRealServer } from "../support/processes/real-server.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { grantsIn, type Right, rightsIn, takeRights } from "../support/taken-rights.ts";

const WITHIN = { withinMs: 240_000, stepMs: 500 };
const CAPI = "cluster.x-k8s.io";

/** Taken away at first: each is missed by name, and comes back by the command that its failure names. */
const TAKEN: { readonly [account: string]: readonly Right[] } = {
  "capstan-relay": ["get /secrets"],
  "capstan-worker-core": [
    `patch ${CAPI}/clusters`,
    `patch ${CAPI}/clusters/status`,
    `patch ${CAPI}/machinepools`,
    `patch ${CAPI}/machinepools/status`,
    `patch ${CAPI}/machinesets`,
    `patch ${CAPI}/machinesets/status`,
    `create ${CAPI}/machines`,
    `patch ${CAPI}/machines`,
  ],
  "capstan-worker-workload": ["get /secrets"],
};
/** Asked for by OwnerReferencesPermissionEnforcement alone, whose refusal names no account. */
const OF_OWNERS = { account: "capstan-worker-core", right: `delete ${CAPI}/machinehealthchecks` };

const TEMPLATE = {
  apiVersion: "infrastructure.sim.capstan.dev/v1beta2",
  kind: "SimRemediationTemplate",
  name: "r",
};
const REMEDIATION = `
apiVersion: ${TEMPLATE.apiVersion}
kind: SimRemediationTemplate
metadata: { name: r, namespace: default }
spec: { template: { spec: { delaySeconds: 1 } } }
---
apiVersion: capstan.dev/v1alpha1
kind: RemediationPolicy
metadata: { name: s1, namespace: default }
spec: { clusterName: c1, healthChecks: [s1, s2], pacing: { maxRemediations: 9, windowSeconds: 60 } }
`;
const CONFIG_MAP = `
apiVersion: v1
kind: ConfigMap
metadata: { name: addon }
data: { a: '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"addon"}}' }
`;

function resourceSet(name: string): string {
  return `
apiVersion: addons.cluster.x-k8s.io/v1beta2
kind: ClusterResourceSet
metadata: { name: ${name} }
spec: { clusterSelector: { matchLabels: { addon: "yes" } }, resources: [{ kind: ConfigMap, name: addon }] }
`;
}

/** A Cluster without a control plane provider: Capstan issues its kubeconfig. */
const ALONE = simCluster("alone")
  .split("---")
  .slice(0, 2)
  .join("---")
  .replace(/ {2}controlPlaneRef:.*\n/, "");

/** As the rule of its account names it: one for all kinds of a provider, whose groups stand for the standard ones here. */
function rightOf({ verb, group = "", resource, subresource }: AuditedRequest): Right {
  const standard = group.replace(/\.sim\.capstan\.dev$/, `.${CAPI}`);
  if (standard !== group) return `${verb} ${standard}/*`;
  return `${verb} ${group}/${[resource, subresource].filter((part) => part !== undefined).join("/")}`;
}

/** Rights that other tests use: by account, where others have the same one. */
const ELSEWHERE: ReadonlySet<string> = new Set([
  // A kubeconfig is renewed, or cannot be issued (`system/kubeconfig`).
  "capstan-worker-credentials patch /secrets",
  "capstan-worker-credentials create /events",
  // A refused create is noted on the health check that asked for it (`shared/runtime/run-step`).
  `capstan-worker-workload patch ${CAPI}/machinehealthchecks`,
]);

/**
 * Whether one run may do without it: what a snapshot or a watch shows is read only when that fails (KR-05, KR-11),
 * and no request is audited for what OwnerReferencesPermissionEnforcement asks for: this server runs it.
 */
function isOfFailures(account: string, right: Right): boolean {
  if (ELSEWHERE.has(`${account} ${right}`)) return true;
  if (/ (\/secrets|\/namespaces)$/.test(right)) return false;
  return /^(get|list) /.test(right) || right.endsWith("/finalizers");
}

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)(
  "the rights of a deployment on a real kube-apiserver that checks who changes owners",
  () => {
    const stack = new AsyncDisposableStack();
    let server: RealServer;
    let kubectl: Kubectl;
    let scene: CheckedSets;
    let processes: readonly ServerProcess[];
    const running: CliProcess[] = [];

    beforeAll(async () => {
      const admission = ["OwnerReferencesPermissionEnforcement"];
      server = stack.use(await startRealServer(process.env["KUBEBUILDER_ASSETS"] ?? "", { admission }));
      const redis = stack.use(await startRedis());
      kubectl = kubectlFor(server.kubeconfigFile);
      scene = checkedSets(objectsThrough(kubectl));
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await kubectl("wait crd --all --for=condition=Established --timeout=240s");
      processes = await serverProcesses();
      const accounts = stack.use(
        await deployAccounts(
          server,
          processes.map(({ name }) => name),
          ["owner-enforcement"],
        ),
      );
      await accounts.grantForProviders();
      for (const [account, rights] of Object.entries(TAKEN)) await takeRights(kubectl, account, rights);
      await takeRights(kubectl, OF_OWNERS.account, [OF_OWNERS.right]);
      // The simulated providers are others' work, under an account of their own.
      stack.use(
        await startCapstan(server.kubeconfigFile, {
          functions: OF_SIMS,
          roles: ["cloud", "relay", "worker"],
          installCrds: false,
        }),
      );
      for (const process of processes) running.push(stack.use(accounts.start(process, redis.url)));
    });
    afterAll(() => stack.disposeAsync());

    it("eleven rights are missed by name, and granted as their failures say", async () => {
      const external = { templateRef: TEMPLATE };
      await kubectl(
        "apply -f -",
        [
          simClusterOfMachines("c1", 1),
          simPoolWithMachines("p1", "c1", 2),
          checkedSet("s1", { replicas: 2 }),
          checkedSet("s2", { replicas: 1, remediation: JSON.stringify(external) }),
          REMEDIATION,
        ].join("---"),
      );
      const granted = new Set<string>();
      await eventually(async () => {
        // kubectl writes an ampersand as six characters.
        const messages = JSON.stringify(JSON.parse(await kubectl("get events,clusters -o json")));
        for (const [role, binding] of grantsIn(messages)) {
          if (granted.has(role)) continue;
          granted.add(role);
          for (const command of [role, binding]) await kubectl(command.replace("kubectl ", ""));
        }
        const phases = await kubectl(
          "get machinepools,machinesets -o jsonpath={.items[*].status.readyReplicas}",
        );
        expect([phases, granted.size]).toEqual(["2 2 1", Object.values(TAKEN).flat().length]);
      }, WITHIN);
      await eventually(async () => {
        expect(await kubectl("get events -o jsonpath={.items[*].message}")).toContain(
          "add the component owner-enforcement, or let the account delete machinehealthchecks.cluster.x-k8s.io",
        );
      }, WITHIN);
      const name = "capstan-test-owners";
      await kubectl(`create clusterrole ${name} --verb=delete --resource=machinehealthchecks.${CAPI}`);
      await kubectl(
        `create clusterrolebinding ${name} --clusterrole=${name} --serviceaccount=${NAMESPACE}:${OF_OWNERS.account}`,
      );
      // The refused run comes again by itself: only then has the account used its other rights on health checks.
      await eventually(async () => {
        const owners = "get machinehealthchecks -o jsonpath={.items[*].metadata.ownerReferences[0].kind}";
        expect(await kubectl(owners)).toBe("Cluster Cluster");
        const counts = "get machinehealthchecks -o jsonpath={.items[*].status.expectedMachines}";
        expect(await kubectl(counts)).toBe("2 1");
      }, WITHIN);
      const named = [...granted].map((command) => {
        const [, verb, resource] = /--verb=(\S+) --resource=(\S+)/.exec(command) ?? [];
        return `${command.split(" ")[3]?.replace(/-(get|create|patch)-.*/, "")} ${verb} ${resource}`;
      });
      const taken = Object.entries(TAKEN).flatMap(([account, rights]) =>
        rights.map((right) => {
          const [verb, place = ""] = right.split(" ");
          const [group, plural, ...sub] = place.split("/");
          return `${account} ${verb} ${[group === "" ? plural : `${plural}.${group}`, ...sub].join("/")}`;
        }),
      );
      expect(new Set(named)).toEqual(new Set(taken));
    });

    it("no account is refused anything, and none has a right that it does not use", async () => {
      const before = (await readAuditLog(server.auditLog)).length;
      const [first] = await scene.healthy("s1", 2);
      await scene.fail(first);
      await scene.isReplaced("s1", first, 2);
      const [second] = await scene.healthy("s2", 1);
      await scene.fail(second);
      await scene.failed("s2", second);
      await scene.healthy("s2", 1);
      const more = [simPool("p2", "c1", 2), simMachine("m1", "c1"), simMachineDeployment("d1", "c1", 1)];
      await kubectl("apply -f -", more.join("---"));
      await kubectl("wait machine/m1 machinepool/p2 --for=jsonpath={.status.phase}=Running --timeout=240s");
      await kubectl("wait machinedeployment/d1 --for=condition=Available --timeout=240s");
      const version = { spec: { template: { spec: { version: "v1.34.3" } } } };
      await patch(kubectl, "machinedeployment/d1", version);
      await eventually(async () => {
        const sets = "get machinesets --selector=cluster.x-k8s.io/deployment-name=d1";
        expect(await kubectl(`${sets} -o jsonpath={.items[*].spec.template.spec.version}`)).toBe("v1.34.3");
      }, WITHIN);
      await kubectl("label cluster/c1 addon=yes");
      for (const set of ["r1", "r2"]) {
        await kubectl("apply -f -", [CONFIG_MAP, resourceSet(set)].join("---"));
        await kubectl(`wait clusterresourceset/${set} --for=condition=ResourcesApplied --timeout=240s`);
      }
      await kubectl("delete clusterresourceset/r1 --timeout=240s");
      for (const pool of ["p1", "p2"]) await patch(kubectl, `machinepool/${pool}`, { spec: { replicas: 1 } });
      await patch(kubectl, "machineset/s1", { spec: { template: { metadata: { labels: { more: "x" } } } } });
      await patch(kubectl, "machineset/s1", { spec: { replicas: 1 } });
      await createAuthoritySecret(kubectl, "alone");
      await kubectl("apply -f -", ALONE);
      await eventually(async () => {
        expect(await kubectl("get secret/alone-kubeconfig -o name")).toContain("alone-kubeconfig");
      }, WITHIN);
      await kubectl("delete machine/m1 --timeout=240s");
      await kubectl("delete cluster/c1 cluster/alone --wait=false");
      await eventually(async () => {
        expect(
          await kubectl("get clusters,machines,machinepools,machinesets,machinedeployments -o name"),
        ).toBe("");
      }, WITHIN);

      // A watch is in the audit log once it has ended.
      for (const process of running) await process[Symbol.asyncDispose]();
      const all = await readAuditLog(server.auditLog);
      for (const process of processes) {
        const { name } = process;
        const granted = rightsIn(rightsOfProcess(process));
        const ofAccount = (requests: readonly AuditedRequest[]) =>
          requests.filter(({ user, resource }) => user === userOf(name) && resource !== "");
        expect([name, ofAccount(all.slice(before)).filter(({ code }) => code === 403)]).toEqual([name, []]);
        const used = new Set(
          ofAccount(all)
            .filter(({ code }) => code !== 403)
            .map(rightOf),
        );
        const idle = granted.filter((right) => !used.has(right) && !isOfFailures(name, right));
        expect([name, idle]).toEqual([name, []]);
      }
    });
  },
);
