import type { Scene } from "../scene.ts";
import { FUNCTION, GROUP, job, letters, NONE, queue } from "./letter-group.ts";
import { OPERATOR } from "./me.ts";

const refused = (message: string) => ({
  status: 403,
  reason: "Forbidden",
  message,
  next: "bind a role on capstan.dev: create deadletters/requeue",
});

/** Rights that were withdrawn, and a bulk action that another person has continued, while the page was open. */
export const LETTER_REFUSED_SCENES: readonly Scene[] = [
  {
    name: "group-refused",
    path: `/letters?group=${GROUP}`,
    answers: {
      me: OPERATOR,
      letters,
      queue: queue(),
      trials: NONE,
      jobs: { items: [job(), job({ id: "j-40aa", state: "stopped" })] },
      "POST trials": { error: refused("ann may not try dead letters in namespace payments") },
      "POST jobs/j-51c0/stop": { error: refused("ann may not requeue dead letters in namespace payments") },
      "POST jobs/j-40aa/resume": {
        error: {
          status: 412,
          reason: "Changed",
          message: "the bulk action is running",
          next: "look at it as it is now",
          current: { state: "running" },
        },
      },
    },
    shows: "eu-west-04-arm",
    steps: [
      {
        name: "group-refused-trial",
        act: (page) => page.getByRole("button", { name: "Try 4,012 letters" }).press("Enter"),
        shows: "ann may not try dead letters",
      },
      {
        name: "group-refused-stop",
        act: (page) => page.getByRole("button", { name: "Stop" }).press("Enter"),
        shows: "ann may not requeue dead letters",
      },
      {
        name: "group-refused-continue",
        act: (page) => page.getByRole("button", { name: "Continue" }).press("Enter"),
        shows: "the bulk action is running; look at it as it is now",
      },
    ],
    sends: [
      { path: "trials", body: { function: FUNCTION, group: GROUP } },
      { path: "jobs/j-51c0/stop", body: {} },
      { path: "jobs/j-40aa/resume", body: {} },
    ],
  },
];
