import type { Run, Runs } from "../../../infra/console/api/runs.ts";
import { ago, HOUR, MINUTE } from "../scene.ts";

const KEY = "payments/eu-west-04|MachinePool|payments/eu-west-04-workers";
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

export const POOL_RUNS: Omit<Runs, "asOf"> = {
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

/** Nothing has happened for a day. */
export const IDLE_RUNS: Omit<Runs, "asOf"> = {
  knownSince: ago(23.5 * HOUR),
  items: ["status", "adopt", "sync"].map((name, at) =>
    run(`r-6${at}`, (at + 1) * MINUTE, {
      function: `machinepool-${name}`,
      times: 804,
      since: ago(23.2 * HOUR),
      causes: [{ what: "resync" }],
    }),
  ),
};
