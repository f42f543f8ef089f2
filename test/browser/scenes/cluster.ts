import type { ClusterAnswer } from "../../../infra/console/api/cluster.ts";
import type { Explained } from "../../../infra/console/api/explained.ts";
import { ago, HOUR, MINUTE, type Scene, SECOND } from "../scene.ts";
import { ME } from "./me.ts";
import { POOL_RUNS } from "./runs.ts";

type ExplainedFunction = Explained["functions"][number];

const IDLE = { wouldSend: [] } as const;

/** A function that has nothing to do, unless `more` says otherwise. */
function fn(name: string, object: string, more: Partial<ExplainedFunction> = {}): ExplainedFunction {
  const [kind = "", key = ""] = object.split(" ");
  return { function: name, key: `payments/eu-west-04|${kind}|${key}`, now: IDLE, ...more };
}

function node(object: string, more: Partial<Explained> = {}): Explained {
  return { object, conditions: [], functions: [], children: [], more: [], ...more };
}

const POOL = "MachinePool payments/eu-west-04-workers";
const MESSAGE =
  'kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing; create it or set spec.controlPlaneRef';

export const POOL_NODE: Explained = node(POOL, {
  phase: "ScalingUp",
  nodes: "17 of 20",
  conditions: [
    { type: "MachinesReady", status: "False", reason: "NotReady", message: "3 of 20 Machines have no Node" },
    {
      type: "Available",
      status: "False",
      reason: "NotAvailable",
      message: "17 available replicas, 20 desired",
    },
  ],
  functions: [
    fn("machinepool-nodes", POOL, {
      deadLetter: {
        function: "machinepool-nodes",
        key: "payments/eu-west-04|MachinePool|payments/eu-west-04-workers",
        tenant: "payments/eu-west-04",
        class: "live",
        reason: "MaxAttempts",
        deadSince: ago(41.5 * MINUTE),
        firstFailureAt: ago(3.5 * HOUR),
        times: 1,
        error: { class: "Transient", reason: "KubeconfigInvalid", message: MESSAGE },
      },
    }),
    fn("machinepool-status", POOL, {
      now: {
        wouldSend: [],
        waitsFor: {
          what: "MachinePool.status.nodeRefs",
          object: POOL,
          field: "status.nodeRefs",
          value: "a list of 17",
        },
      },
    }),
    fn("machinepool-adopt", POOL),
    fn("machinepool-sync", POOL, {
      now: { wouldSend: [], againAfterMs: 4.5 * MINUTE, why: "the provider reports no event for versions" },
    }),
  ],
});

const tree: Explained = node("Cluster payments/eu-west-04", {
  phase: "Provisioned",
  conditions: [
    {
      type: "RemoteConnectionProbe",
      status: "False",
      reason: "ProbeFailed",
      message: "the last probe succeeded 41 minutes ago",
    },
  ],
  functions: [
    fn("cluster-status", "Cluster payments/eu-west-04"),
    fn("cluster-adopt", "Cluster payments/eu-west-04"),
    fn("cluster-guard", "Cluster payments/eu-west-04"),
  ],
  children: [
    {
      ...POOL_NODE,
      children: [
        node("Machine payments/eu-west-04-workers-7", {
          phase: "Provisioned",
          conditions: [
            { type: "NodeHealthy", status: "Unknown", reason: "NodeInspectionFailed", message: "" },
          ],
          functions: [
            fn("machine-node", "Machine payments/eu-west-04-workers-7", {
              now: IDLE,
              history: {
                state: {
                  state: "waiting",
                  since: ago(20 * SECOND),
                  until: ago(-100 * SECOND),
                  causes: [{ what: "Machine payments/eu-west-04-workers-7", resourceVersion: "81234" }],
                  failures: 7,
                  failure: { class: "Transient", reason: "KubeconfigInvalid", message: MESSAGE },
                },
              },
            }),
          ],
        }),
        node("Machine payments/eu-west-04-workers-9", {
          phase: "Deleting",
          deletingSince: ago(8.5 * MINUTE),
          functions: [],
        }),
        node("Machine payments/eu-west-04-workers-12", {
          phase: "Provisioning",
          functions: [
            fn("machine-bootstrap", "Machine payments/eu-west-04-workers-12", {
              now: { wouldSend: ["apply Machine/status payments/eu-west-04-workers-12"] },
            }),
          ],
        }),
      ],
      more: [{ kind: "Machine", state: "ready", count: 983 }],
    },
    node("SimControlPlane payments/eu-west-04", {
      children: [node("Machine payments/eu-west-04-cp-0", { phase: "Running" })],
      more: [{ kind: "Machine", state: "ready", count: 2 }],
    }),
    node("SimCluster payments/eu-west-04", {}),
  ],
});

const cluster: Omit<ClusterAnswer, "asOf"> = {
  namespace: "payments",
  name: "eu-west-04",
  tree,
  causes: [
    {
      about: "connection",
      message: `the workload cluster has not answered for 41 minutes: ${MESSAGE}`,
    },
  ],
};

const WELL: Omit<ClusterAnswer, "asOf"> = {
  namespace: "default",
  name: "demo",
  causes: [],
  tree: node("Cluster default/demo", {
    phase: "Provisioned",
    functions: [fn("cluster-status", "Cluster default/demo"), fn("cluster-adopt", "Cluster default/demo")],
    children: [
      node("MachinePool default/demo-pool", {
        phase: "Running",
        nodes: "3 of 3",
        functions: [fn("machinepool-status", "MachinePool default/demo-pool")],
      }),
      node("SimCluster default/demo"),
    ],
  }),
};

const PATH = "clusters/payments/eu-west-04";

export const CLUSTER_SCENES: readonly Scene[] = [
  {
    name: "cluster",
    path: `/${PATH}`,
    answers: { me: ME, [PATH]: cluster, [`${PATH}/runs`]: POOL_RUNS },
    shows: "412 × nothing to do",
  },
  {
    name: "cluster-well",
    path: "/clusters/default/demo",
    answers: { me: ME, "clusters/default/demo": WELL, "clusters/default/demo/runs": { items: [] } },
    shows: "No run is known",
  },
  { name: "cluster-gone", path: "/clusters/default/gone", answers: { me: ME }, shows: "Not there" },
];
