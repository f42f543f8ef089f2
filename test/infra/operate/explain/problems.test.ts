import { describe, expect, it } from "vitest";
import { machinedeploymentSets } from "../../../../functions/machinedeployment/sets.ts";
import { machinepoolGuard } from "../../../../functions/machinepool/guard.ts";
import { machinesetMachines } from "../../../../functions/machineset/machines.ts";
import { mhcMachines } from "../../../../functions/mhc/machines.ts";
import { objectTree } from "../../../../infra/operate/explain/object-tree.ts";
import type { KeyTrouble, Problem } from "../../../../infra/operate/explain/problem.ts";
import { problemsOf } from "../../../../infra/operate/explain/problems.ts";
import { withConfigurations } from "../../../../infra/operate/explain/webhook-configurations.ts";
import { createMemoryStore } from "../../../../infra/queue/backends/embedded/store.ts";
import type { Cluster } from "../../../../shared/api/cluster/cluster.ts";
import { groupOf, type Kind, type KubeObject, MANAGEMENT } from "../../../../shared/api/kinds.ts";
import type { MachineSet } from "../../../../shared/api/machineset.ts";
import { anyKindOf } from "../../../support/all-kinds.ts";
import {
  bootstrapConfig,
  cluster,
  connection,
  crd,
  infraMachine,
  infraMachinePool,
  machinePool,
  type Overrides,
} from "../../../support/builders.ts";
import { at, failed } from "../../../support/checked-machines.ts";
import { setOfDeployment } from "../../../support/foo-deployments.ts";
import {
  bootstrapTemplate,
  infraTemplate,
  machineSet,
  OWNED_BY_S1,
  setMachine,
  TEMPLATE_CRDS,
} from "../../../support/foo-sets.ts";
import { healthCheck } from "../../../support/health-checks.ts";
import { entryOf, remediationPolicy } from "../../../support/remediation-policies.ts";
import { rollingFacts } from "../../../support/rolling-deployment.ts";
import { NOW } from "../../../support/world.ts";

const FUNCTIONS = [machinedeploymentSets, machinepoolGuard, machinesetMachines, mhcMachines];
const CRDS = [
  crd("infrastructure.cluster.x-k8s.io", "FooCluster"),
  crd("controlplane.cluster.x-k8s.io", "FooControlPlane"),
  crd("infrastructure.cluster.x-k8s.io", "FooMachinePool"),
  crd("infrastructure.cluster.x-k8s.io", "FooMachine"),
  crd("bootstrap.cluster.x-k8s.io", "FooConfig"),
  ...TEMPLATE_CRDS,
];
const without = (kind: string) => CRDS.filter(({ spec }) => spec.names.kind !== kind);

function providerObject(apiVersion: string, kind: string, name: string, metadata: object = {}): KubeObject {
  const own = { name, namespace: "default", uid: `uid-${kind}-${name}`, resourceVersion: "1" };
  return { apiVersion, kind, metadata: { ...own, creationTimestamp: at("00:00:00"), ...metadata } };
}
const INFRA = providerObject("infrastructure.cluster.x-k8s.io/v1", "FooCluster", "c1-infra");
const CONTROL_PLANE = providerObject(
  "controlplane.cluster.x-k8s.io/v1",
  "FooControlPlane",
  "c1-control-plane",
);
const CLUSTER = cluster();
const POOL = machinePool();
const SET = machineSet();
/** A Cluster that works, with a pool and a set. */
const WORLD: readonly KubeObject[] = [
  INFRA,
  CONTROL_PLANE,
  CLUSTER,
  connection(),
  POOL,
  bootstrapConfig(),
  infraMachinePool(),
  SET,
  bootstrapTemplate(),
  infraTemplate(),
];

const idOf = ({ kind, metadata }: KubeObject) => `${kind} ${metadata.name}`;

/** The same with these objects in place of those of their names, and without some. */
function changed(objects: readonly KubeObject[], gone: readonly string[] = []): readonly KubeObject[] {
  const all = new Map([...WORLD, ...objects].map((object) => [idOf(object), object]));
  return [...all.values()].filter((object) => !gone.includes(idOf(object)));
}

interface Scene {
  readonly objects: readonly KubeObject[];
  readonly crds?: readonly KubeObject[];
  readonly troubles?: readonly KeyTrouble[];
  readonly platform?: readonly Problem[];
  /** `MachinePool p1`; default: the Cluster. */
  readonly of?: string;
}

async function problemsIn({
  objects,
  crds = CRDS,
  of = "Cluster c1",
  ...facts
}: Scene): Promise<readonly Problem[]> {
  await using store = createMemoryStore();
  for (const object of [...objects, ...crds]) {
    const type = { cluster: MANAGEMENT, group: groupOf(object.apiVersion), kind: object.kind };
    const metadata = { uid: idOf(object), ...object.metadata, resourceVersion: "1" };
    await store.put(type, [{ ...object, metadata }]);
    await store.advance(type, { ready: true, resourceVersion: "1" });
  }
  for (const { spec } of crds as typeof CRDS) {
    const type = { cluster: MANAGEMENT, group: spec.group, kind: spec.names.kind };
    await store.advance(type, { ready: true, resourceVersion: "1" });
  }
  const object = objects.find((each) => idOf(each) === of) as KubeObject;
  const kind = anyKindOf(groupOf(object.apiVersion), object.kind) as Kind;
  const tree = await objectTree(store, FUNCTIONS, { kind, object });
  return await problemsOf(store, tree, { now: NOW, troubles: [], ...facts });
}

const clusterWith = (overrides: Overrides<Cluster>) => cluster(overrides);
const condition = (type: string, status: "True" | "False", reason: string, message: string) => ({
  type,
  status,
  reason,
  message,
  lastTransitionTime: at("11:30:00"),
});
const away = (message: string) =>
  connection({
    status: {
      state: "unreachable",
      failures: 5,
      nodesComplete: false,
      lastSuccess: at("11:00:00"),
      message,
    },
  });
const AWAY = away(
  "workload cluster default/c1 is not connected: 10.0.0.1:6443 refuses the connection; check the server",
);
const going = (time = at("11:00:00")) => ({ deletionTimestamp: time });
const trouble = (name: string, key: string, message: string, more: Partial<KeyTrouble> = {}): KeyTrouble => ({
  function: name,
  key,
  isDead: true,
  failures: 5,
  failure: { class: "Terminal", reason: "Invalid", message },
  since: at("11:50:00"),
  until: at("12:10:00"),
  ...more,
});
const refused = (words: string) =>
  machineSet({ metadata: { annotations: { "capstan.dev/refused": `machineset-machines: ${words}` } } });
const POLICY =
  "create Machine: machines.cluster.x-k8s.io is forbidden: ValidatingAdmissionPolicy 'freeze' with binding 'all' denied request: no new Machines before Monday; ask Ann; room 5";
const PAUSED = clusterWith({
  metadata: { pausedBy: "kubectl-patch" },
  spec: { paused: true },
  status: { conditions: [condition("Paused", "True", "Paused", "Cluster spec.paused is set to true")] },
});
const HELD_MACHINE = infraMachine("m1", {
  metadata: { ...going(), finalizers: ["acme.io/backup"], ownerReferences: undefined },
});
const LOST = machinePool({
  spec: { template: { spec: { bootstrap: { configRef: { name: "nowhere" } } } } },
});
const HELD = {
  machine: setMachine("m1", { metadata: going(), spec: { infrastructureRef: { name: "m1" } } }),
  infra: HELD_MACHINE,
};
const RELAY: Problem = {
  about: "freshness",
  object: "relay",
  cause: "no relay since 11:59: nothing below is newer",
  next: "start a relay",
  severity: "broken",
  consequences: 0,
};

/** A deed or a breakdown; the words of the first line about the root, and about the next step. */
const STORIES: readonly (readonly [did: string, scene: Scene, root: RegExp, next: RegExp])[] = [
  [
    "a pool names a bootstrap config that does not exist",
    { objects: changed([LOST]), of: "MachinePool p1" },
    /^FooConfig default\/nowhere does not exist, and MachinePool default\/p1 names it in spec\.template\.spec\.bootstrap\.configRef$/,
    /create it, or correct spec\.template\.spec\.bootstrap\.configRef/,
  ],
  [
    "a set names a template by a wrong name",
    {
      objects: changed([
        machineSet({
          spec: { template: { spec: { infrastructureRef: { name: `${infraTemplate().metadata.name}x` } } } },
        }),
      ]),
      of: "MachineSet s1",
    },
    /^FooMachineTemplate default\/\S+x does not exist/,
    /\(there is s1\S*\)$/,
  ],
  [
    "the controller of the infrastructure does not run",
    {
      objects: changed([
        { ...INFRA, metadata: { ...INFRA.metadata, isSilent: true } },
        away("kubeconfig Secret default/c1-kubeconfig does not exist"),
      ]),
    },
    /^nothing has written the status of FooCluster default\/c1-infra since its creation/,
    /start the controller of its provider/,
  ],
  [
    "the CRD of the infrastructure is not installed",
    { objects: changed([], ["FooCluster c1-infra"]), crds: without("FooCluster") },
    /FooCluster does not exist$/,
    /clusterctl init --infrastructure/,
  ],
  [
    "the InfraCluster was deleted under the Cluster",
    { objects: changed([], ["FooCluster c1-infra"]) },
    /^FooCluster default\/c1-infra is gone/,
    /restore it.*until then/,
  ],
  [
    "a Cluster is paused, then a pool is scaled",
    { objects: changed([PAUSED]), of: "MachinePool p1" },
    /^Cluster default\/c1 is paused by spec\.paused since 2026-01-01T11:30:00Z, written by kubectl-patch$/,
    /kubectl --namespace default patch cluster c1/,
  ],
  [
    "a Machine that is deleted has the annotation paused",
    {
      objects: changed([
        setMachine("m1", { metadata: { ...going(), annotations: { "cluster.x-k8s.io/paused": "" } } }),
      ]),
      of: "Machine m1",
    },
    /^Machine default\/m1 is paused by the annotation cluster\.x-k8s\.io\/paused, so its deletion waits$/,
    /remove the annotation: kubectl --namespace default annotate machine m1/,
  ],
  [
    "a finalizer of someone else is on an infrastructure machine",
    { objects: changed([HELD.machine, HELD.infra]), of: "Machine m1" },
    /^FooMachine default\/m1 is being deleted since 2026-01-01T11:00:00Z, and the finalizer acme\.io\/backup keeps it/,
    /ask the owner of acme\.io\/backup/,
  ],
  [
    "the same on the InfraCluster of a deleted Cluster",
    {
      objects: [
        clusterWith({ metadata: going() }),
        connection(),
        { ...INFRA, metadata: { ...INFRA.metadata, ...going(), finalizers: ["acme.io/never"] } },
      ],
    },
    /^FooCluster default\/c1-infra .* finalizer acme\.io\/never keeps it; all else of its Cluster is gone$/,
    /ask the owner of acme\.io\/never/,
  ],
  [
    "a ValidatingAdmissionPolicy refuses Machines of a set",
    { objects: changed([refused(POLICY)]), of: "MachineSet s1" },
    /^ValidatingAdmissionPolicy freeze \(binding all\) refuses to create Machine: no new Machines before Monday; ask Ann; room 5$/,
    /change the policy, or what it refuses; MachineSet default\/s1 tries again/,
  ],
  [
    "the same for a pool, whose key is dead",
    {
      objects: changed([]),
      troubles: [trouble("machinepool-machines", "default/c1|MachinePool|default/p1", POLICY)],
    },
    /^ValidatingAdmissionPolicy freeze .*ask Ann; room 5$/,
    /tried again at 2026-01-01T12:10:00Z/,
  ],
  [
    "the server of a webhook is dead",
    {
      objects: changed([
        refused(
          'create FooMachine: Internal error occurred: failed calling webhook "check.acme.io": failed to call webhook: Post "https://127.0.0.1:9/": dial tcp 127.0.0.1:9: connect: connection refused',
        ),
        setMachine("m1", {
          metadata: { ownerReferences: [OWNED_BY_S1] },
          spec: { infrastructureRef: { name: "m1" } },
        }),
      ]),
    },
    /^webhook check\.acme\.io does not answer/,
    /start its server, or remove its configuration/,
  ],
  [
    "a ResourceQuota is used up",
    {
      objects: changed([
        refused(
          "create Machine: machines.cluster.x-k8s.io is forbidden: exceeded quota: few, requested: count/machines.cluster.x-k8s.io=1, used: count/machines.cluster.x-k8s.io=6, limited: count/machines.cluster.x-k8s.io=6",
        ),
      ]),
      of: "MachineSet s1",
    },
    /^ResourceQuota default\/few refuses to create Machine: used \S+=6, hard \S+=6/,
    /raise it/,
  ],
  [
    "the account of the functions lost a right",
    {
      objects: changed([]),
      troubles: [
        trouble(
          "machineset-status",
          "default/c1|MachineSet|default/s1",
          'apply MachineSet default/s1: machinesets.cluster.x-k8s.io "s1" is forbidden: User "system:serviceaccount:capstan-system:capstan-worker" cannot patch resource "machinesets/status" in API group "cluster.x-k8s.io" in the namespace "default"',
          { isDead: false, failures: 1 },
        ),
      ],
    },
    /capstan-worker may not patch machinesets\/status/,
    /apply Capstan's manifests.*kubectl create role/,
  ],
  [
    "the workload cluster is unreachable",
    { objects: changed([AWAY]) },
    /10\.0\.0\.1:6443 refuses the connection$/,
    /Machines and provider objects are still worked on/,
  ],
  [
    "the kubeconfig Secret is deleted",
    { objects: changed([away("kubeconfig Secret default/c1-kubeconfig does not exist")]) },
    /^kubeconfig Secret default\/c1-kubeconfig does not exist$/,
    /the controller of FooControlPlane default\/c1-control-plane writes it/,
  ],
  [
    "the client certificate expired",
    {
      objects: changed([
        away(
          "kubeconfig Secret default/c1-kubeconfig, key value: the client certificate expired at 2026-01-01T00:00:00Z",
        ),
      ]),
    },
    /expired at 2026-01-01T00:00:00Z$/,
    /the controller of FooControlPlane default\/c1-control-plane renews it/,
  ],
  ["the relay is away", { objects: changed([]), platform: [RELAY] }, /^no relay since/, /start a relay/],
  [
    "a key of the control plane object is dead",
    {
      objects: changed([]),
      troubles: [
        trouble("foo-controlplane", "default/-|FooControlPlane|default/c1-control-plane", "spec.x: bad"),
      ],
    },
    /^foo-controlplane has given up for FooControlPlane default\/c1-control-plane: Invalid: spec\.x: bad \(class Terminal\)$/,
    /capstan dlq show .*replay or drop it; it is tried again at 2026-01-01T12:10:00Z/,
  ],
  [
    "a Pod with a budget of 0 is on the Node of a Machine that is deleted",
    {
      objects: changed([
        setMachine("m1", {
          metadata: going(),
          status: {
            conditions: [
              condition(
                "Deleting",
                "True",
                "DrainingNode",
                "Drain not completed yet (started at 2026-01-01T11:00:00Z):\n* Pod default/web: cannot evict pod as it would violate the pod's disruption budget. The disruption budget web-pdb needs 1 healthy pods and has 1 currently",
              ),
            ],
          },
        }),
      ]),
    },
    /^Machine default\/m1 cannot be drained: Pod default\/web: .*web-pdb/,
    /nodeDrainTimeoutSeconds/,
  ],
  [
    "too many Machines are unhealthy for a health check",
    {
      objects: changed([
        healthCheck({
          status: {
            conditions: [
              condition(
                "RemediationAllowed",
                "False",
                "TooManyUnhealthy",
                "Remediation is not allowed, the number of not started or unhealthy machines exceeds maxUnhealthy (total: 6, unhealthy: 4, maxUnhealthy: 40%)",
              ),
            ],
          },
        }),
      ]),
    },
    /^MachineHealthCheck default\/h1 holds remediation back: 4 of 6 Machines are unhealthy, and maxUnhealthy: 40% is exceeded$/,
    /repair the Nodes/,
  ],
  [
    "the retries of a RemediationPolicy are used up",
    {
      objects: changed([
        setMachine("m1", { status: { conditions: [failed()] } }),
        bootstrapConfig({ metadata: { name: "m1" } }),
        infraMachine("m1"),
        remediationPolicy({
          spec: { retries: { perMachine: 1, windowSeconds: 86_400 } },
          status: { remediations: [entryOf("m1", { endedAt: at("11:20:00"), outcome: "Recovered" })] },
        }),
      ]),
    },
    /^Machine default\/m1 is unhealthy since 2026-01-01T08:00:00Z, and RemediationPolicy default\/r1 lets it wait: 1 remediations of it/,
    /repair or delete the Machine/,
  ],
  [
    "a set is newer than its control plane",
    {
      objects: changed([
        machineSet({
          status: {
            conditions: [
              condition(
                "ScalingUp",
                "True",
                "ScalingUp",
                'Scaling up from 3 to 5 replicas is blocked because:\n* MachineSet version (1.35.0) and ControlPlane version (1.34.2) do not conform to the kubernetes version skew policy as MachineSet version is higher than ControlPlane version ("KubernetesVersionSkew" preflight check failed)',
              ),
            ],
          },
        }),
      ]),
    },
    /^MachineSet default\/s1 makes no Machine: MachineSet version \(1\.35\.0\) and ControlPlane version \(1\.34\.2\).*KubernetesVersionSkew/,
    /upgrade the control plane first/,
  ],
  [
    "a pool names a Cluster that does not exist",
    {
      objects: changed([machinePool({ metadata: { name: "p9" }, spec: { clusterName: "c11" } })]),
      of: "MachinePool p9",
    },
    /^Cluster default\/c11 does not exist, and MachinePool default\/p9 names it$/,
    /correct spec\.clusterName \(there is c1\)/,
  ],
  [
    "a Machine has got no Node for more than ten minutes",
    {
      objects: changed([
        setMachine("m1", {
          metadata: { ownerReferences: [OWNED_BY_S1] },
          status: {
            conditions: [condition("Ready", "False", "NotReady", "* NodeHealthy: Waiting for a Node")],
          },
        }),
        bootstrapConfig({ metadata: { name: "m1" } }),
        infraMachine("m1"),
      ]),
      of: "Machine m1",
    },
    /^Machine default\/m1 is not ready since 2026-01-01T11:30:00Z: NodeHealthy: Waiting for a Node$/,
    /look at what it names/,
  ],
  [
    "the provider does not end the deletion of its machine",
    {
      objects: changed([
        setMachine("m1", {
          metadata: { deletionTimestamp: at("10:00:00"), ownerReferences: [OWNED_BY_S1] },
          spec: { infrastructureRef: { name: "m1" } },
        }),
        infraMachine("m1", {
          metadata: {
            deletionTimestamp: at("10:00:00"),
            finalizers: ["foomachine.infrastructure.cluster.x-k8s.io"],
          },
        }),
      ]),
    },
    /^FooMachine default\/m1 is being deleted since 2026-01-01T10:00:00Z: the finalizer \S+ keeps it$/,
    /read the log of the controller of API group/,
  ],
  [
    "a Cluster is not available for more than ten minutes, and nothing says why",
    {
      objects: changed([
        clusterWith({
          status: {
            conditions: [
              condition(
                "Available",
                "False",
                "NotAvailable",
                "* WorkersAvailable:\n  * MachinePool p1: 1 of 3",
              ),
            ],
          },
        }),
      ]),
    },
    /^Cluster default\/c1 is not available since 2026-01-01T11:30:00Z: WorkersAvailable:, MachinePool p1: 1 of 3$/,
    /look at what it names/,
  ],
  [
    "a ClusterResourceSet names a ConfigMap that does not exist",
    {
      objects: changed([
        {
          apiVersion: "addons.cluster.x-k8s.io/v1beta2",
          kind: "ClusterResourceSet",
          metadata: { namespace: "default", name: "r1", uid: "uid-r1", resourceVersion: "1" },
          status: {
            conditions: [
              condition(
                "ResourcesApplied",
                "False",
                "NotApplied",
                "0 of 1 Clusters; c1: ConfigMap addon not found",
              ),
            ],
          },
        } as KubeObject,
      ]),
      of: "ClusterResourceSet r1",
    },
    /^ClusterResourceSet default\/r1 is applied to 0 of 1 Clusters; c1: ConfigMap addon not found$/,
    /create or correct what it names/,
  ],
  [
    "a topology that nothing runs",
    {
      objects: changed([
        clusterWith({
          spec: { topology: { classRef: { name: "c" }, version: "v1.34.2" }, infrastructureRef: undefined },
        }),
      ]),
    },
    /^spec\.topology needs Cluster API's topology controller/,
    /set infrastructureRef and controlPlaneRef instead/,
  ],
];

describe("the first line", () => {
  it.each(STORIES)("is the root when %s", async (_, scene, root, next) => {
    const reported = await problemsIn(scene);
    expect(reported.map(({ cause }) => cause)).toEqual([expect.stringMatching(root)]);
    expect(reported[0]?.next).toMatch(next);
    // The same root is in front of what is said about the whole Cluster.
    const isInCluster =
      scene.of !== undefined && !["MachinePool p9", "ClusterResourceSet r1"].includes(scene.of);
    if (isInCluster) expect(await problemsIn({ ...scene, of: "Cluster c1" })).toEqual(reported);
  });

  it.each([
    ["paused, and a policy", { objects: changed([PAUSED, refused(POLICY)]) }, [/spec\.paused/, /freeze/]],
    ["no relay, and a lost config", { objects: changed([LOST]), platform: [RELAY] }, [/no relay/, /nowhere/]],
    [
      "unreachable, and a foreign finalizer",
      { objects: changed([AWAY, HELD.machine, HELD.infra]) },
      [/refuses the connection/, /acme\.io\/backup/],
    ],
  ] as const)("is what must be mended first of two at once: %s", async (_, scene, causes) => {
    const reported = await problemsIn(scene);
    expect(reported.map(({ cause }) => cause)).toEqual(causes.map((cause) => expect.stringMatching(cause)));
  });

  it("a rollout that has stood still for ten minutes, but for what holds up its sets", async () => {
    const { deployment, sets } = rollingFacts({});
    const stuck = setOfDeployment("d1-next", {
      metadata: {
        annotations: { "machinedeployment.clusters.x-k8s.io/revision": "2" },
        creationTimestamp: at("11:40:00"),
      },
      spec: { replicas: 1, template: { spec: deployment.spec.template.spec } },
      status: { replicas: 1, availableReplicas: 0, upToDateReplicas: 1, observedGeneration: 2 },
    });
    const world = (set: MachineSet) => changed([deployment, ...sets, set]);
    const [found, ...others] = await problemsIn({ objects: world(stuck), of: "MachineDeployment d1" });
    expect(others).toEqual([]);
    expect(found).toMatchObject({ about: "rollout", severity: "broken", since: at("11:40:00") });
    expect(found?.cause).toMatch(
      /^the rollout of MachineDeployment default\/d1 stands still since .*: 1 of 1 Machine of MachineSet d1-next is not available/,
    );
    const young = { ...stuck, metadata: { ...stuck.metadata, creationTimestamp: at("11:55:00") } };
    expect(await problemsIn({ objects: world(young), of: "MachineDeployment d1" })).toEqual([]);
    const message =
      'Scaling up from 0 to 1 replicas is blocked because:\n* MachineSet version (1.35.0) and ControlPlane version (1.34.2) do not conform to the kubernetes version skew policy as MachineSet version is higher than ControlPlane version ("KubernetesVersionSkew" preflight check failed)';
    const blocked = {
      ...stuck,
      status: {
        ...stuck.status,
        replicas: 0,
        conditions: [condition("ScalingUp", "True", "ScalingUp", message)],
      },
    };
    const problems = await problemsIn({ objects: world(blocked as MachineSet), of: "MachineDeployment d1" });
    expect(problems.map(({ about, consequences }) => [about, consequences])).toEqual([["version", 1]]);
  });

  it("is missing where nothing is wrong", async () => {
    expect(await problemsIn({ objects: changed([]) })).toEqual([]);
  });

  it("names the configuration of a webhook where it can be read", async () => {
    const away = { ...RELAY, about: "refused", object: "webhook check.acme.io", cause: "no" } as const;
    const configuration = {
      apiVersion: "admissionregistration.k8s.io/v1",
      kind: "ValidatingWebhookConfiguration",
      metadata: { name: "acme-checks" },
      webhooks: [{ name: "check.acme.io" }],
    };
    const list = async ({ kind }: Kind) => {
      if (kind.startsWith("Mutating")) throw new Error("forbidden");
      return { items: [configuration], resourceVersion: "1" };
    };
    const named = await withConfigurations([RELAY, away], { list: list as never });
    expect(named).toEqual([
      RELAY,
      {
        ...away,
        object: "ValidatingWebhookConfiguration acme-checks",
        cause: "no (configuration: ValidatingWebhookConfiguration acme-checks)",
      },
    ]);
  });

  it("counts equal causes, and names each right once", async () => {
    const keys = ["s1", "s2"].map((name) => `default/c1|MachineSet|default/${name}`);
    const objects = changed([machineSet({ metadata: { name: "s2", uid: "uid-s2" } })]);
    const troubles = keys.map((key) => trouble("machineset-machines", key, "no"));
    expect(await problemsIn({ objects, troubles })).toMatchObject([
      { cause: expect.stringMatching(/and 1 more like it/), consequences: 1 },
    ]);
  });
});
