import type { Keys, QueueAnswer, QueueItem } from "../../../infra/console/api/queue.ts";
import { ago, MINUTE, type Scene, SECOND } from "../scene.ts";
import { ME } from "./me.ts";

const item = (name: string, more: Partial<QueueItem> = {}): QueueItem => ({
  function: name,
  ready: 0,
  waiting: 12,
  running: 0,
  dead: 0,
  lastMinute: { runs: 40, busyMs: 480 },
  ...more,
});

const queue: Omit<QueueAnswer, "asOf"> = {
  all: true,
  items: [
    item("cluster-adopt"),
    item("cluster-delete", { waiting: 1, lastMinute: { runs: 2, busyMs: 90 } }),
    item("cluster-guard", { waiting: 0 }),
    item("cluster-status", {
      running: 3,
      ready: 4,
      oldestReadyMs: { live: 800 },
      lastMinute: { runs: 1_240, busyMs: 9_300 },
    }),
    item("machine-drain", { waiting: 31, breakerOpen: true, lastMinute: { runs: 55, busyMs: 12_000 } }),
    item("machine-node", {
      ready: 1_204,
      running: 20,
      oldestReadyMs: { live: 95 * SECOND, resync: 140 * SECOND },
      lastMinute: { runs: 8_400, busyMs: 84_000 },
    }),
    item("machinepool-nodes", { dead: 3, waiting: 210, lastMinute: { runs: 610, busyMs: 8_900 } }),
    item("machinepool-status", { running: 1, waiting: 200, lastMinute: { runs: 410, busyMs: 2_050 } }),
    item("mhc-machines", { paused: true, ready: 18, oldestReadyMs: { live: 10.5 * MINUTE }, waiting: 0 }),
  ],
};

const TENANTS = {
  items: [
    { tenant: "payments/eu-west-04", ready: 0, waiting: 3, running: 0, dead: 3 },
    { tenant: "search/us-east-11", ready: 0, waiting: 2, running: 0, dead: 0 },
  ],
};

const deadKeys: Omit<Keys, "asOf"> = {
  function: "machinepool-nodes",
  items: ["workers", "spot", "gpu"].map((name, at) => ({
    key: `payments/eu-west-04|MachinePool|payments/eu-west-04-${name}`,
    object: { type: "object", kind: "MachinePool", namespace: "payments", name: `eu-west-04-${name}` },
    state: "dead",
    since: ago((41.5 + 7 * at) * MINUTE),
    causes: [{ what: "timer" }],
    failures: 16,
    failure: {
      class: "Transient",
      reason: "KubeconfigInvalid",
      message: 'kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing',
    },
  })),
};

const FUNCTION = { me: ME, queue, "queue/machinepool-nodes/tenants": TENANTS };

export const QUEUE_SCENES: readonly Scene[] = [
  { name: "queue", path: "/queue", answers: { me: ME, queue }, shows: "machinepool-status" },
  {
    name: "queue-function",
    path: "/queue/machinepool-nodes?state=dead",
    answers: { ...FUNCTION, "queue/machinepool-nodes/keys": deadKeys },
    shows: "eu-west-04-gpu",
  },
  {
    name: "queue-function-idle",
    path: "/queue/machinepool-nodes",
    answers: { ...FUNCTION, "queue/machinepool-nodes/keys": { function: "machinepool-nodes", items: [] } },
    shows: "No key is ready",
  },
  {
    name: "queue-away",
    path: "/queue",
    answers: {
      me: ME,
      queue: {
        error: {
          status: 503,
          reason: "Unavailable",
          message: "the queue cannot be read: Redis at 127.0.0.1:6379 does not answer",
          next: "this part comes back by itself once Redis answers",
          since: ago(3.5 * MINUTE),
        },
      },
    },
    shows: "Not available",
  },
];
