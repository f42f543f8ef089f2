import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { loadAll } from "js-yaml";
import { expect, it } from "vitest";
import { serverProcesses } from "../../infra/deploy/manifests/deployments.ts";
import { compareText } from "../../shared/rules/conditions/conditions.ts";
import { createAuthoritySecret } from "../support/authority-secret.ts";
import { deployAccounts, userOf } from "../support/deployed-accounts.ts";
import { eventually } from "../support/eventually.ts";
import { FOO_CLUSTER, FOO_MACHINE_PROVIDER, FOO_PROVIDER, fooNode } from "../support/foo-provider.ts";
import { createKubeconfigSecret, patch, patchStatus } from "../support/foo-workload.ts";
import { allowDisruptions, deletingText, fooMachine, placePod } from "../support/going-machines.ts";
import { ownNamespace } from "../support/own-namespace.ts";
import { REAL } from "../support/processes/api-servers.ts";
import { type AuditedRequest, readAuditLog } from "../support/processes/audit-log.ts";
import { type Kubectl, kubectlFor, kubectlMissing } from "../support/processes/kubectl.ts";
import { startRealServer } from "../support/processes/real-server.ts";
import { redisMissing, startRedis } from "../support/processes/redis-server.ts";
import { describeWith } from "../support/requires.ts";
import { testFolder } from "../support/test-folder.ts";

const WITHIN = { withinMs: 120_000, stepMs: 300 };
const WORKLOAD_ROLE = "infra/platform/kube/workload-role.yaml";
const WORKLOAD_USER = "capstan-of-foo";

interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
}

/** A provider whose groups are the three of Cluster API: no role of its own is needed for it. */
const STANDARD = (manifest: string) => manifest.replaceAll(".foo.example.com", ".cluster.x-k8s.io");

/** `get nodes`, for requests and for rules. */
function deedsOf({ verb, group = "", resource, subresource }: AuditedRequest): string {
  return `${verb} ${[group, resource, subresource].filter((part) => part !== "" && part !== undefined).join("/")}`;
}
async function grantedInWorkload(): Promise<readonly string[]> {
  const [role] = loadAll(await readFile(WORKLOAD_ROLE, "utf8")) as [{ readonly rules: readonly Rule[] }];
  return role.rules.flatMap(({ apiGroups, resources, verbs }) =>
    verbs.flatMap((verb) =>
      resources.map(
        (resource) => `${verb} ${[...apiGroups, resource].filter((part) => part !== "").join("/")}`,
      ),
    ),
  );
}

/** Besides the Pod that a budget holds, one of a DaemonSet, and a volume that is attached. */
const DAEMON_AND_VOLUME = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent, namespace: default }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: a, image: a }] }
---
apiVersion: v1
kind: PersistentVolume
metadata: { name: v1 }
spec:
  capacity: { storage: 1Gi }
  accessModes: [ReadWriteOnce]
  csi: { driver: csi.dev, volumeHandle: h1 }
  claimRef: { namespace: default, name: data }
---
apiVersion: storage.k8s.io/v1
kind: VolumeAttachment
metadata: { name: a1 }
spec: { attacher: csi.dev, nodeName: m1, source: { persistentVolumeName: v1 } }
`;

async function placeDaemonAndVolume(workload: Kubectl): Promise<void> {
  await workload("create -f -", DAEMON_AND_VOLUME);
  await patchStatus(workload, "volumeattachment/a1", { attached: true });
  const uid = await workload("get daemonset/agent -o jsonpath={.metadata.uid}");
  const owner = { apiVersion: "apps/v1", kind: "DaemonSet", name: "agent", uid, controller: true };
  const pod = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "agent-m1", namespace: "default", ownerReferences: [owner] },
    spec: { nodeName: "m1", containers: [{ name: "a", image: "a" }] },
  };
  await workload("create -f -", JSON.stringify(pod));
}

/** A Cluster with an endpoint and the authority that a user has written. */
async function withoutControlPlane(kubectl: Kubectl): Promise<void> {
  await createAuthoritySecret(kubectl, "alone");
  const [, cluster = "", infrastructure = ""] = ["", ...FOO_CLUSTER.split("---")];
  const alone = [cluster.replace(/ {2}controlPlaneRef:.*\n/, ""), infrastructure].map((text) =>
    text.replaceAll(/\bname: foo\b/g, "name: alone"),
  );
  await kubectl("apply -f -", STANDARD(alone.join("---")));
  await patch(kubectl, "foocluster/alone", {
    spec: { controlPlaneEndpoint: { host: "127.0.0.1", port: 1 } },
  });
  await patchStatus(kubectl, "foocluster/alone", { initialization: { provisioned: true } });
}

/** Cluster foo, whose kubeconfig has the rights of `workload-role.yaml`, and Machine m1 in it, Running. */
async function runMachine(kubectl: Kubectl, workload: Kubectl, kubeconfigFile: string): Promise<void> {
  await workload(`apply -f ${WORKLOAD_ROLE}`);
  await kubectl("apply -f -", STANDARD(FOO_CLUSTER.split("---").slice(0, 3).join("---")));
  await createKubeconfigSecret(kubectl, kubeconfigFile);
  await patchStatus(kubectl, "foocluster/foo", { initialization: { provisioned: true } });
  await patchStatus(kubectl, "foocontrolplane/foo-cp", {
    externalManagedControlPlane: true,
    initialization: { controlPlaneInitialized: true },
  });
  await kubectl("apply -f -", STANDARD(fooMachine("m1", 'labels: { "node.cluster.x-k8s.io/tier": gold }')));
  await patchStatus(kubectl, "fooconfig/m1", {
    initialization: { dataSecretCreated: true },
    dataSecretName: "m1-data",
  });
  await patchStatus(kubectl, "foomachine/m1", { initialization: { provisioned: true } });
  await workload("create -f -", fooNode("m1"));
  const ready = { type: "Ready", status: "True", lastTransitionTime: "2026-01-01T00:00:00Z" };
  await patchStatus(workload, "node/m1", { conditions: [ready] });
  await kubectl("wait machine/m1 --for=jsonpath={.status.phase}=Running --timeout=240s");
}

describeWith(REAL.missing ?? redisMissing() ?? kubectlMissing(), REAL)(
  "accounts with few rights on two real kube-apiservers",
  () => {
    it("S-03, S-05, S-07: with rights in two namespaces only, relay and workers run, drain and delete a Machine, each under its own token", async () => {
      const assets = process.env["KUBEBUILDER_ASSETS"] ?? "";
      await using management = await startRealServer(assets);
      await using remote = await startRealServer(assets, { controllers: false });
      await using redis = await startRedis();
      await using stack = new AsyncDisposableStack();
      const dir = testFolder("accounts");
      const [kubectl, workload] = [kubectlFor(management.kubeconfigFile), kubectlFor(remote.kubeconfigFile)];
      await kubectl("apply --server-side -f infra/platform/crds/generated");
      await kubectl("apply -f -", STANDARD(`${FOO_PROVIDER}---${FOO_MACHINE_PROVIDER}`));
      await kubectl("wait crd --all --for=condition=Established --timeout=240s");
      const processes = await serverProcesses();
      const accounts = stack.use(
        await deployAccounts(
          management,
          processes.map(({ name }) => name),
          ["namespaced", "hardened"],
        ),
      );
      const beside = await ownNamespace(management.kubeconfigFile, "beside");
      for (const namespace of ["default", "beside"])
        await kubectl(`apply --validate=strict --namespace ${namespace} -k ${accounts.manifests}/namespace`);
      const started = processes.map((process) => {
        const scope = process.part === "relay" ? ["--namespace", "default", "--namespace", "beside"] : [];
        return stack.use(accounts.start(process, redis.url, ...scope));
      });
      const [relay, ...workers] = started;
      await eventually(() => {
        expect(relay?.output()).toContain("first list");
        for (const { output } of workers) expect(output()).toContain("serving");
      }, WITHIN);

      await writeFile(join(dir, "foo"), await remote.kubeconfigOf(WORKLOAD_USER, "capstan-workload"), {
        mode: 0o600,
      });
      await runMachine(kubectl, workload, join(dir, "foo"));
      await withoutControlPlane(kubectl);
      await beside.apply(STANDARD(FOO_CLUSTER));
      await eventually(async () => {
        expect(await beside.kubectl("get cluster/foo -o jsonpath={.metadata.finalizers}")).not.toBe("");
      }, WITHIN);
      await eventually(async () => {
        expect(await kubectl("get secret/alone-kubeconfig -o name")).toContain("alone-kubeconfig");
      }, WITHIN);

      await placePod(workload, "m1");
      await placeDaemonAndVolume(workload);
      await kubectl("delete machine/m1 --wait=false");
      await eventually(
        async () => expect(await deletingText(kubectl, "m1")).toMatch(/DrainingNode[\s\S]*budget-m1/),
        WITHIN,
      );
      expect(await workload("get node/m1 -o jsonpath={.spec.unschedulable}")).toBe("true");
      await allowDisruptions(workload, "m1", 1);
      await eventually(async () => {
        const pod = "get pod/web-m1 -o jsonpath={.metadata.deletionTimestamp}";
        expect(await workload(pod)).not.toBe("");
      }, WITHIN);
      // As its kubelet does once its containers have ended.
      await workload("delete pod/web-m1 --grace-period=0 --force --ignore-not-found");
      await eventually(
        async () =>
          expect(await deletingText(kubectl, "m1")).toMatch(/WaitingForVolumeDetach[\s\S]*default\/data/),
        WITHIN,
      );
      await patchStatus(workload, "volumeattachment/a1", { attached: false });
      await kubectl("wait machine/m1 --for=delete --timeout=240s");
      expect(await workload("get nodes -o name")).toBe("");

      // A watch is in the audit log once it has ended.
      for (const process of started) await process[Symbol.asyncDispose]();
      const inWorkload = (await readAuditLog(remote.auditLog)).filter(({ user }) => user === WORKLOAD_USER);
      const onObjects = inWorkload.filter(({ resource }) => resource !== "");
      expect(inWorkload.filter(({ code }) => code === 403)).toEqual([]);
      // Servers before v1.34 stream no first list: Nodes are listed there.
      const used = new Set([...onObjects.map(deedsOf), "list nodes"]);
      expect([...used].toSorted(compareText)).toEqual((await grantedInWorkload()).toSorted(compareText));

      const ours = (await readAuditLog(management.auditLog)).filter(({ user }) =>
        processes.some(({ name }) => user === userOf(name)),
      );
      expect(new Set(ours.map(({ user }) => user))).toEqual(
        new Set(processes.map(({ name }) => userOf(name))),
      );
      expect(ours.filter(({ code }) => code === 403)).toEqual([]);
      const asCore = `--as=${userOf("capstan-worker-core")}`;
      const can = await kubectl(`auth can-i --list ${asCore} --namespace default`);
      expect(can).toContain("machines.cluster.x-k8s.io");
      expect(can).not.toContain("secrets");
      const elsewhere = await kubectl(`auth can-i --list ${asCore} --namespace kube-system`);
      expect(elsewhere).toContain("customresourcedefinitions");
      expect(elsewhere).not.toContain("machines.cluster.x-k8s.io");
    });
  },
);
