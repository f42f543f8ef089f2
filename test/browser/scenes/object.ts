import type { ObjectAnswer } from "../../../infra/console/api/object.ts";
import { ago, HOUR, MINUTE, NOW, type Scene, SECOND } from "../scene.ts";
import { POOL_NODE } from "./cluster.ts";
import { ME } from "./me.ts";
import { IDLE_RUNS, POOL_RUNS } from "./runs.ts";

const PATH = "objects/MachinePool/payments/eu-west-04-workers";

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
    answers: { me: ME, [PATH]: object, [`${PATH}/runs`]: POOL_RUNS },
    shows: "412 × nothing to do",
  },
  {
    name: "object-run",
    path: "/objects/MachinePool/payments/eu-west-04-workers?run=r-77b0e2",
    answers: { me: ME, [PATH]: object, [`${PATH}/runs`]: POOL_RUNS },
    shows: "status.conditions[MachinesReady].status",
    opens: async (page, text) => {
      // Ids of runs in the address: lone surrogates cannot stand there.
      for (const shape of text.isWellFormed() ? ["failed", "wrote"] : []) {
        await page.locator(`.lanes .${shape}`).first().click();
        await page.locator(".chosen").waitFor();
      }
    },
  },
  {
    name: "object-run-forgotten",
    path: "/objects/MachinePool/payments/eu-west-04-workers?run=r-1&by=machinepool-nodes",
    answers: { me: ME, [PATH]: object, [`${PATH}/runs`]: POOL_RUNS },
    shows: "is forgotten",
  },
  {
    name: "object-idle",
    path: "/objects/MachinePool/payments/eu-west-04-workers",
    answers: { me: ME, [PATH]: object, [`${PATH}/runs`]: IDLE_RUNS },
    shows: "2,412 × nothing to do",
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
          {
            manager: "capstan-machinepool-status",
            operation: "Apply",
            field: "status.replicas",
            time: ago(62.5 * MINUTE),
          },
          {
            manager: "kubectl-client-side-apply",
            operation: "Update",
            field: "spec.template.spec.version",
            time: ago(30 * HOUR + 20 * SECOND),
          },
        ],
        more: 0,
      },
    },
    act: async (page) => {
      await page.getByRole("button", { name: "Read from the API server" }).click();
      await page.getByText("kubectl-client-side-apply").scrollIntoViewIfNeeded();
    },
    shows: "kubectl-client-side-apply",
  },
];
