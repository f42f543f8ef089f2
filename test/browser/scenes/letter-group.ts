import type { Jobs, Trials, TriedLetters } from "../../../infra/console/api/actions.ts";
import type { LetterItem, Letters } from "../../../infra/console/api/letters.ts";
import type { QueueAnswer } from "../../../infra/console/api/queue.ts";
import { ago, HOUR, MINUTE, type Scene, SECOND } from "../scene.ts";
import { buttonHasFocus } from "./focus.ts";
import { ME, OPERATOR } from "./me.ts";

export const FUNCTION = "machinepool-nodes";
export const GROUP = "4f1c22aa90b1e001";
const ERROR = 'kubeconfig Secret …: key "value" missing; create it or set spec.controlPlaneRef';
export const NONE = { items: [] };

export const queue = (more: Partial<QueueAnswer["items"][number]> = {}): Omit<QueueAnswer, "asOf"> => ({
  all: true,
  items: [{ function: FUNCTION, ready: 0, waiting: 210, running: 0, dead: 4_010, ...more }],
});

const keyOf = (name: string) => `payments/eu-west-04|MachinePool|payments/eu-west-04-${name}`;

const item = (name: string, deadMs: number, more: Partial<LetterItem> = {}): LetterItem => ({
  function: FUNCTION,
  key: keyOf(name),
  state: "dead",
  reason: "MaxAttempts",
  error: ERROR.replace("…", "payments/eu-west-04-kubeconfig"),
  deadSince: ago(deadMs),
  times: 1,
  recorded: true,
  ...more,
});

const GROUP_OF: NonNullable<Letters["group"]> = {
  id: GROUP,
  function: FUNCTION,
  reason: "MaxAttempts",
  error: ERROR,
  count: 4_012,
  dead: 4_010,
  oldest: ago(3.5 * HOUR),
  newest: ago(9.5 * MINUTE),
  examples: [keyOf("workers")],
};

export const letters: Omit<Letters, "asOf"> = {
  group: GROUP_OF,
  items: [
    item("workers", 41.5 * MINUTE),
    item("spot", 48.5 * MINUTE, { times: 3 }),
    item("gpu", 55.5 * MINUTE, { state: "resolved" }),
    item("tpu", 56.5 * MINUTE, { state: "revived" }),
    item("arm", 57.5 * MINUTE, { recorded: false }),
  ],
  next: "4",
};

type Trial = Trials["items"][number];
const trial = (more: Partial<Trial> = {}): Trial => ({
  id: "t-7f3a",
  function: FUNCTION,
  group: GROUP,
  state: "done",
  by: "ann",
  startedAt: ago(95 * SECOND),
  endedAt: ago(5 * SECOND),
  total: 4_012,
  tried: 4_012,
  verdicts: { succeeds: 3_988, "fails-as-before": 12, differs: 8, unknown: 4 },
  ...more,
});
const TRYING = trial({
  state: "running",
  endedAt: undefined,
  tried: 1_204,
  verdicts: { succeeds: 1_204, "fails-as-before": 0, differs: 0, unknown: 0 },
});

const FAILED_TRIAL = trial({
  state: "failed",
  tried: 40,
  verdicts: { succeeds: 39, "fails-as-before": 0, differs: 0, unknown: 1 },
  message: "the letters cannot be read: Redis at 127.0.0.1:6379 does not answer",
});

const tried: Omit<TriedLetters, "asOf"> = {
  items: ["workers", "spot", "gpu", "arm"].map((name) => ({
    function: FUNCTION,
    key: keyOf(name),
    deadSince: ago(41.5 * MINUTE),
    times: 1,
    verdict: "succeeds",
  })),
};

type Job = Jobs["items"][number];
export const job = (more: Partial<Job> = {}): Job => ({
  id: "j-51c0",
  action: "requeue",
  function: FUNCTION,
  state: "running",
  by: "ann",
  of: { trial: "t-7f3a" },
  startedAt: ago(199.5 * SECOND),
  total: 3_988,
  done: 1_992,
  changed: 2,
  ...more,
});

const FAILED_JOB = job({
  state: "failed",
  action: "drop",
  total: 12,
  done: 10,
  changed: 0,
  message: "ann may not drop dead letters in namespace payments",
});

const UNAVAILABLE = {
  status: 503,
  reason: "Unavailable",
  message: "the API server has not confirmed the rights of the viewer",
  next: "try again",
};

export const LETTER_GROUP_SCENES: readonly Scene[] = [
  {
    name: "letters-group",
    path: `/letters?group=${GROUP}`,
    answers: { me: ME, letters, queue: queue({ paused: true }), trials: NONE, jobs: { items: [job()] } },
    shows: "eu-west-04-arm",
  },
  {
    name: "group",
    path: `/letters?group=${GROUP}`,
    answers: {
      me: OPERATOR,
      letters,
      queue: queue(),
      trials: { items: [FAILED_TRIAL] },
      "trials/t-7f3a/letters": tried,
      jobs: { items: [FAILED_JOB] },
      "POST trials": TRYING,
      "POST jobs": job({ done: 0, changed: 0 }),
      "POST jobs/j-51c0/stop": job({ state: "stopped" }),
      "POST jobs/j-51c0/resume": job(),
    },
    shows: "It failed",
    steps: [
      {
        name: "group-trying",
        act: async (page, stage) => {
          await page.getByRole("button", { name: "Try again" }).press("Enter");
          stage.change("trials", { items: [TRYING] });
        },
        shows: "1,204 of 4,012",
      },
      {
        name: "group-tried",
        act: async (page, stage) => {
          await buttonHasFocus(page, "Stop");
          stage.change("trials", { items: [trial()] });
          await buttonHasFocus(page, "Try again");
        },
        shows: "3,988 would succeed, 12 fail as before",
      },
      {
        name: "group-requeue",
        act: async (page) => {
          await page.getByRole("link", { name: "Would succeed 3,988" }).press("Enter");
          await page.getByRole("heading", { name: "Would succeed" }).waitFor();
          await page.getByRole("button", { name: "Requeue" }).press("Enter");
          await page.getByRole("dialog").waitFor();
          await page.keyboard.type(FUNCTION);
        },
        shows: "Ten a second",
      },
      {
        name: "group-requeuing",
        act: async (page, stage) => {
          await page.keyboard.press("Enter");
          await page.getByText("Started by ann").waitFor();
          stage.change("jobs", { items: [job()] });
        },
        shows: "1,994 of 3,988",
      },
      {
        name: "group-stopped",
        act: async (page, stage) => {
          await page.getByRole("button", { name: "Stop" }).focus();
          await page.keyboard.down("Enter");
          stage.change("jobs", { items: [job({ state: "stopped", endedAt: ago(0) })] });
          await buttonHasFocus(page, "Continue");
          // As a key that is held down: it must not press the button again.
          await page.keyboard.down("Enter");
          await page.keyboard.up("Enter");
        },
        shows: "1,994 are left",
      },
      {
        name: "group-requeued",
        act: async (page, stage) => {
          await page.keyboard.press("Enter");
          stage.change("letters", { ...letters, group: { ...GROUP_OF, dead: 24 } });
          stage.change("queue", queue({ dead: 24, ready: 1_200, running: 1, breakerOpen: true }));
          await page.getByText("24 still dead").waitFor();
          await page.getByText("one run begins per second").waitFor();
          stage.change("jobs", {
            items: [job({ state: "done", done: 3_976, changed: 12, endedAt: ago(0) })],
          });
        },
        shows: "3,976 requeued",
      },
    ],
    sends: [
      { path: "trials", body: { function: FUNCTION, group: GROUP } },
      {
        path: "jobs",
        body: {
          action: "requeue",
          function: FUNCTION,
          select: { trial: "t-7f3a", verdict: "succeeds" },
          count: 3_988,
          confirm: FUNCTION,
        },
      },
      { path: "jobs/j-51c0/stop", body: {} },
      { path: "jobs/j-51c0/resume", body: {} },
    ],
    opens: (page) => page.getByRole("button", { name: "Requeue" }).first().click(),
  },
  {
    name: "group-partial",
    path: `/letters?group=${GROUP}`,
    answers: {
      me: OPERATOR,
      letters: {
        ...letters,
        stale: [{ since: ago(3.5 * MINUTE), reason: "Redis at 127.0.0.1:6379 does not answer" }],
      },
      queue: { error: UNAVAILABLE },
      trials: { error: UNAVAILABLE },
      jobs: { error: UNAVAILABLE },
    },
    shows: "Not available",
  },
];
