import type { ObjectAnswer } from "../../../infra/console/api/object.ts";
import type { Run, Runs } from "../../../infra/console/api/runs.ts";
import { ago, HOUR, MINUTE, NOW, type Scene, SECOND } from "../scene.ts";
import { POOL_NODE } from "./cluster.ts";
import { ME } from "./me.ts";

const KEY = "payments/eu-west-04|MachinePool|payments/eu-west-04-workers";
const PATH = "objects/MachinePool/payments/eu-west-04-workers";

const run = (id: string, endedMs: number, more: Partial<Run>): Run => ({
  runId: id,
  function: "machinepool-nodes",
  key: KEY,
  endedAt: ago(endedMs),
  durationMs: 12,
  causes: [{ what: "timer" }],
  causedBy: [null],
  outcome: "ok",
  writes: [],
  caused: [],
  ...more,
});

const runs: Omit<Runs, "asOf"> = {
  knownSince: ago(23.5 * HOUR),
  items: [
    run("r-9f2c41", 41.5 * MINUTE, {
      outcome: "error",
      durationMs: 31,
      causes: [{ what: "timer" }],
      failure: {
        class: "Transient",
        reason: "KubeconfigInvalid",
        message:
          'kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing; create it or set spec.controlPlaneRef',
      },
    }),
    run("r-77b0e2", 62.5 * MINUTE, {
      function: "machinepool-status",
      durationMs: 8.4,
      causes: [{ what: "MachinePool payments/eu-west-04-workers", resourceVersion: "81207" }],
      causedBy: [{ function: "machinepool-sync", key: KEY, runId: "r-77b0d9" }],
      writes: [
        {
          verb: "apply",
          cluster: "management",
          what: "MachinePool payments/eu-west-04-workers",
          subresource: "status",
          resourceVersion: "81209",
          changes: [
            { path: "status.replicas", value: 20 },
            { path: "status.conditions[MachinesReady].status", value: "False" },
            { path: "status.conditions[MachinesReady].message" },
          ],
        },
      ],
      caused: [
        {
          function: "cluster-status",
          key: "payments/eu-west-04|Cluster|payments/eu-west-04",
          runId: "r-77b0f0",
        },
      ],
    }),
    run("r-77b0d9", 62.6 * MINUTE, {
      function: "machinepool-sync",
      durationMs: 14,
      causes: [{ what: "SimMachinePool payments/eu-west-04-workers", resourceVersion: "81205" }],
      writes: [
        {
          verb: "patch",
          cluster: "management",
          what: "MachinePool payments/eu-west-04-workers",
          resourceVersion: "81207",
          changes: [{ path: "spec.replicas", value: 20 }],
        },
      ],
      caused: [{ function: "machinepool-status", key: KEY, runId: "r-77b0e2" }],
    }),
    run("r-77a911", 2.5 * HOUR, {
      function: "machinepool-adopt",
      times: 412,
      since: ago(23.2 * HOUR),
      durationMs: 2.1,
      causes: [{ what: "resync" }],
    }),
    run("r-77a002", 3.5 * HOUR, {
      outcome: "again",
      function: "machinepool-status",
      durationMs: 1.2,
      causes: [{ what: "Cluster payments/eu-west-04", resourceVersion: "80990" }],
    }),
  ],
};

const object: Omit<ObjectAnswer, "asOf"> = {
  kind: "MachinePool",
  namespace: "payments",
  name: "eu-west-04-workers",
  cluster: { namespace: "payments", name: "eu-west-04" },
  tree: POOL_NODE,
  causes: [],
  commands: [
    "capstan explain machinepool payments/eu-west-04-workers",
    "capstan history machinepool payments/eu-west-04-workers",
    "kubectl describe machinepool --namespace payments eu-west-04-workers",
  ],
};

export const OBJECT_SCENES: readonly Scene[] = [
  {
    name: "object",
    path: "/objects/MachinePool/payments/eu-west-04-workers",
    answers: { me: ME, [PATH]: object, [`${PATH}/runs`]: runs },
    shows: "412 × nothing to do",
  },
  {
    name: "object-run",
    path: "/objects/MachinePool/payments/eu-west-04-workers?run=r-77b0e2",
    answers: { me: ME, [PATH]: object, [`${PATH}/runs`]: runs },
    shows: "status.conditions[MachinesReady].status",
  },
  {
    name: "object-partial",
    path: "/objects/MachinePool/payments/eu-west-04-workers",
    answers: {
      me: ME,
      [PATH]: { ...object, stale: [{ since: ago(5.5 * MINUTE), reason: "Redis does not answer" }] },
      [`${PATH}/runs`]: {
        error: {
          status: 503,
          reason: "Unavailable",
          message: "the history cannot be read: Redis does not answer",
          next: "this part comes back by itself; see the page Relay and workers",
          since: ago(5.5 * MINUTE),
        },
      },
    },
    shows: "Not available",
  },
  {
    name: "object-managers",
    path: "/objects/MachinePool/payments/eu-west-04-workers",
    answers: {
      me: ME,
      [PATH]: object,
      [`${PATH}/runs`]: { items: [], knownSince: NOW },
      [`${PATH}/managers`]: {
        items: [
          { manager: "capstan-machinepool-status", field: "status.replicas", at: ago(62.5 * MINUTE) },
          {
            manager: "kubectl-client-side-apply",
            field: "spec.template.spec.version",
            at: ago(30 * HOUR + 20 * SECOND),
          },
        ],
      },
    },
    act: async (page) => {
      await page.getByRole("button", { name: "Read from the API server" }).click();
      await page.getByText("kubectl-client-side-apply").scrollIntoViewIfNeeded();
    },
    shows: "kubectl-client-side-apply",
  },
];
