import type { LetterGroups, LetterItem, ReplayAnswer } from "../../../infra/console/api/letters.ts";
import { ago, HOUR, MINUTE, type Scene, SECOND } from "../scene.ts";
import { confirm } from "./confirm.ts";
import { ME, OPERATOR } from "./me.ts";
import { PLAYED } from "./played.ts";

const ERROR =
  'KubeconfigInvalid: kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing; create it or set spec.controlPlaneRef';

const item = (name: string, deadMs: number, more: Partial<LetterItem> = {}): LetterItem => ({
  function: "machinepool-nodes",
  key: `payments/eu-west-04|MachinePool|payments/eu-west-04-${name}`,
  state: "dead",
  reason: "MaxAttempts",
  error: ERROR,
  deadSince: ago(deadMs),
  times: 1,
  recorded: true,
  ...more,
});

const HEAD = item("workers", 41.5 * MINUTE);
const PATH = "letters/machinepool-nodes/payments%2Feu-west-04%7CMachinePool%7Cpayments%2Feu-west-04-workers";

const kind = (name: string) => ({
  group: "cluster.x-k8s.io",
  version: "v1beta2",
  kind: name,
  plural: `${name.toLowerCase()}s`,
  namespaced: true,
});
const letter = {
  v: 2,
  build: { version: "0.1.0", configDigest: "0" },
  firstFailureAt: ago(3.5 * HOUR),
  attempts: [3, 2, 1].map((left) => ({
    run: `r-9f2c4${4 - left}`,
    start: ago((41.5 + 30 * (left - 1)) * MINUTE),
    durationMs: 31,
    failures: 17 - left,
    again: 0,
    error: {
      name: "TerminalError",
      class: "Transient",
      reason: "KubeconfigInvalid",
      message:
        'kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing; create it or set spec.controlPlaneRef',
      stack:
        "KubeError: kubeconfig Secret payments/eu-west-04-kubeconfig\n    at readKubeconfig (shared/rules/workload/kubeconfig.ts:41:11)\n    at async runStep (shared/runtime/run-step.ts:118:20)",
    },
  })),
  causes: [{ what: "timer" }, { what: "Cluster payments/eu-west-04", resourceVersion: "81190" }],
  run: {
    reads: [
      {
        question: {
          call: "get",
          kind: kind("MachinePool"),
          key: { namespace: "payments", name: "eu-west-04-workers" },
        },
        source: "snapshot",
        answer: { type: "object" },
        found: [{ name: "eu-west-04-workers", resourceVersion: "81209" }],
      },
      {
        question: {
          call: "live.secret",
          kind: { kind: "Secret" },
          key: { namespace: "payments", name: "eu-west-04-kubeconfig" },
        },
        source: "live",
        answer: { type: "secret" },
        found: [{ name: "eu-west-04-kubeconfig", resourceVersion: "70011" }],
      },
    ],
    writes: [],
  },
  truncated: [],
};

const replay: Omit<ReplayAnswer, "asOf"> = {
  verdict: "different",
  lines: [
    { left: "sends nothing", right: "apply MachinePool/status payments/eu-west-04-workers", same: false },
    { right: "  nodeRefs:", same: false },
    { right: "    - name: eu-west-04-workers-7", same: false },
    { left: "result: failed KubeconfigInvalid", right: "result: done", same: false },
    { left: "events: none", right: "events: none", same: true },
  ],
};

const OBJECT = {
  type: "object",
  kind: "MachinePool",
  namespace: "payments",
  name: "eu-west-04-workers",
} as const;
const commands = [`capstan dlq show ${HEAD.function} '${HEAD.key}'`];
const ONE = { me: ME, [PATH]: { head: HEAD, letter, object: OBJECT, commands } };
const NONE = { items: [] };
const SEEN = { deadSince: HEAD.deadSince, times: HEAD.times };

const groups = await PLAYED.ask<LetterGroups>("letter-groups");
const [
  {
    function: name,
    examples: [key = ""],
  } = { function: "", examples: [] },
] = groups.items;
const PLAYED_PATH = `letters/${name}/${encodeURIComponent(key)}`;

export const LETTER_SCENES: readonly Scene[] = [
  {
    name: "letters",
    path: "/letters",
    answers: { me: ME, "letter-groups": groups, jobs: NONE },
    shows: "its budget is used up",
  },
  {
    name: "letters-none",
    path: "/letters",
    answers: { me: ME, "letter-groups": { ungrouped: 0, ...NONE }, jobs: NONE },
    shows: "No dead letter",
  },
  {
    name: "letter",
    path: `/${PLAYED_PATH}`,
    answers: { me: ME, [PLAYED_PATH]: await PLAYED.ask(PLAYED_PATH) },
    shows: "its budget is used up",
  },
  {
    name: "letter-stack",
    path: `/${PATH}`,
    answers: { ...ONE, [`${PATH}/replay`]: replay },
    shows: "Stack of the last failure",
    steps: [
      {
        name: "letter-replay",
        act: (page) => page.getByRole("button", { name: "Run it again" }).press("Enter"),
        shows: "It decides something else now",
      },
    ],
    opens: (page) => page.getByRole("button", { name: "Run it again" }).click(),
  },
  {
    name: "letter-actions",
    path: `/${PATH}`,
    answers: {
      ...ONE,
      me: OPERATOR,
      [`POST ${PATH}/requeue`]: { done: "requeued", by: "ann" },
      [`POST ${PATH}/drop`]: {
        error: {
          status: 412,
          reason: "Changed",
          message: "the letter is not as it was shown",
          next: "look at it as it is now, and decide again",
          current: { ...HEAD, deadSince: ago(12 * SECOND), times: 2 },
        },
      },
    },
    shows: "Stack of the last failure",
    steps: [
      {
        name: "letter-requeue",
        act: (page) => page.getByRole("button", { name: "Requeue" }).press("Enter"),
        shows: "with all its attempts",
      },
      {
        name: "letter-requeued",
        act: async (page, stage) => {
          await confirm(page);
          await page.getByText("Requeued by ann").waitFor();
          stage.change(PATH, { head: { ...HEAD, state: "resolved" }, letter, object: OBJECT, commands });
        },
        shows: "resolved: it has run since",
      },
      {
        name: "letter-changed",
        act: async (page) => {
          await page.getByRole("button", { name: "Drop" }).press("Enter");
          await confirm(page);
        },
        shows: "Nothing was done",
      },
    ],
    sends: [
      { path: `${PATH}/requeue`, body: SEEN },
      { path: `${PATH}/drop`, body: SEEN },
    ],
  },
];
