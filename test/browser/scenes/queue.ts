import type {
  Durations,
  Keys,
  QueueAnswer,
  QueueItem,
  SamplesAnswer,
} from "../../../infra/console/api/queue.ts";
import { ago, MINUTE, type Scene, SECOND } from "../scene.ts";
import { confirm } from "./confirm.ts";
import { buttonHasFocus } from "./focus.ts";
import { ME, OPERATOR } from "./me.ts";

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

const paused: typeof queue = {
  ...queue,
  items: queue.items.map((each) =>
    each.function === "machinepool-nodes" ? { ...each, paused: true } : each,
  ),
};

const durations: Omit<Durations, "asOf"> = {
  items: [
    { function: "cluster-adopt", runs: 40, p50Ms: 7.5, p99Ms: 24 },
    { function: "cluster-guard" },
    { function: "machine-drain", runs: 55, p50Ms: 180, p99Ms: 2_400 },
    { function: "machine-node", runs: 8_400, p50Ms: 9.4, p99Ms: 91 },
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

/** An hour with a burst of failures, and a gap while the relay was away. */
const STEPS = Array.from({ length: 360 }, (_, at) => at);
const known = (of: (at: number) => number) => STEPS.map((at) => (at > 90 && at < 110 ? null : of(at)));
const wave = (at: number) => 1 + Math.sin(at / 20);
const inBurst = (at: number) => at > 200 && at < 250;
const samples: Omit<SamplesAnswer, "asOf"> = {
  function: "machinepool-nodes",
  stepMs: 10 * SECOND,
  from: ago(359 * 10 * SECOND),
  ready: known((at) => Math.round(40 * wave(at)) + (inBurst(at) ? 200 : 0)),
  waiting: known(() => 210),
  running: known((at) => Math.round(5 * wave(at))),
  dead: known((at) => (at > 250 ? 3 : 0)),
  oldestReadyMs: known((at) => 800 * wave(at)),
  runs: known((at) => Math.round(60 * wave(at))),
  failures: known((at) => (inBurst(at) ? 20 : 0)),
  p50Ms: known((at) => 8 * wave(at)),
  p99Ms: known((at) => (inBurst(at) ? 2_400 : 90 * wave(at))),
};
const unknown: Omit<SamplesAnswer, "asOf"> = Object.fromEntries(
  Object.entries(samples).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(() => null) : value,
  ]),
) as typeof samples;

const SAMPLES = "queue/machinepool-nodes/samples";
const FUNCTION = { [SAMPLES]: samples, me: ME, queue, "queue/machinepool-nodes/tenants": TENANTS };

export const QUEUE_SCENES: readonly Scene[] = [
  { name: "queue", path: "/queue", answers: { me: ME, queue, durations }, shows: "2.4 s" },
  {
    name: "queue-function",
    path: "/queue/machinepool-nodes?state=dead",
    answers: {
      ...FUNCTION,
      me: OPERATOR,
      "queue/machinepool-nodes/keys": deadKeys,
      "POST queue/machinepool-nodes/pause": { done: "paused", by: "ann" },
      "POST queue/machinepool-nodes/resume": {
        error: {
          status: 403,
          reason: "Forbidden",
          message: "ann may not pause machinepool-nodes",
          next: "bind a role on capstan.dev: update functions/pause",
        },
      },
    },
    shows: "Runs per second",
    steps: [
      {
        name: "function-pause",
        act: async (page, stage) => {
          await page.getByRole("button", { name: "Pause" }).focus();
          // Another person does, and resumes it.
          stage.change("queue", paused);
          await buttonHasFocus(page, "Resume");
          stage.change("queue", queue);
          await buttonHasFocus(page, "Pause");
          await page.keyboard.press("Enter");
        },
        shows: "until a person resumes it",
      },
      {
        name: "function-paused",
        act: async (page, stage) => {
          await confirm(page);
          await page.getByText("Paused by ann").waitFor();
          stage.change("queue", paused);
        },
        shows: "Paused by a person",
      },
      {
        name: "function-refused",
        act: async (page) => {
          await page.getByRole("button", { name: "Resume" }).press("Enter");
          await confirm(page);
        },
        shows: "Not allowed",
      },
    ],
    sends: [
      { path: "queue/machinepool-nodes/pause", body: { paused: false } },
      { path: "queue/machinepool-nodes/resume", body: { paused: true } },
    ],
  },
  {
    name: "queue-function-table",
    path: "/queue/machinepool-nodes?state=dead&as=table",
    answers: { ...FUNCTION, "queue/machinepool-nodes/keys": deadKeys },
    shows: "The whole hour",
  },
  {
    name: "queue-function-idle",
    path: "/queue/machinepool-nodes",
    answers: {
      ...FUNCTION,
      [SAMPLES]: unknown,
      "queue/machinepool-nodes/keys": { function: "machinepool-nodes", items: [] },
    },
    shows: "Nothing is known yet",
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
