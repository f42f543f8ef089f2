import type { QueueAnswer, SamplesAnswer } from "../../../infra/console/api/queue.ts";
import { ago, MINUTE, type Scene } from "../scene.ts";
import { confirm } from "./confirm.ts";
import { buttonHasFocus } from "./focus.ts";
import { ME, OPERATOR } from "./me.ts";
import { PLAYED } from "./played.ts";

const NAME = "machine-status";
const queue = await PLAYED.ask<QueueAnswer>("queue");

const paused: typeof queue = {
  ...queue,
  items: queue.items.map((each) => (each.function === NAME ? { ...each, paused: true } : each)),
};

const SAMPLES = `queue/${NAME}/samples`;
const samples = await PLAYED.ask<SamplesAnswer>(SAMPLES);
const unknown = Object.fromEntries(
  Object.entries(samples).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(() => null) : value,
  ]),
) as typeof samples;

const FUNCTION = {
  me: ME,
  queue,
  [SAMPLES]: samples,
  [`queue/${NAME}/tenants`]: await PLAYED.ask(`queue/${NAME}/tenants`),
  [`queue/${NAME}/keys`]: await PLAYED.ask(`queue/${NAME}/keys?state=dead`),
};

export const QUEUE_SCENES: readonly Scene[] = [
  {
    name: "queue",
    path: "/queue",
    answers: {
      ...{ me: ME, queue, durations: await PLAYED.ask("durations") },
      "queue/all/samples": await PLAYED.ask("queue/all/samples"),
    },
    shows: "Ready keys",
  },
  {
    name: "queue-function",
    path: `/queue/${NAME}?state=dead`,
    answers: {
      ...FUNCTION,
      me: OPERATOR,
      [`POST queue/${NAME}/pause`]: { done: "paused", by: "ann" },
      [`POST queue/${NAME}/resume`]: {
        error: {
          status: 403,
          reason: "Forbidden",
          message: `ann may not pause ${NAME}`,
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
      { path: `queue/${NAME}/pause`, body: { paused: false } },
      { path: `queue/${NAME}/resume`, body: { paused: true } },
    ],
  },
  {
    name: "queue-function-table",
    path: `/queue/${NAME}?state=dead&as=table`,
    answers: FUNCTION,
    shows: "The whole hour",
  },
  {
    name: "queue-function-idle",
    path: `/queue/${NAME}`,
    answers: {
      ...FUNCTION,
      [SAMPLES]: unknown,
      [`queue/${NAME}/keys`]: { function: NAME, items: [] },
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
