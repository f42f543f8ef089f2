import type { Children } from "../../../infra/console/api/object.ts";
import type { Scene } from "../scene.ts";
import { ME } from "./me.ts";

const PATH = "objects/MachinePool/payments/eu-west-04-workers/children";

const machine = (at: number, more: Partial<Children["items"][number]> = {}) => ({
  kind: "Machine",
  namespace: "payments",
  name: `eu-west-04-workers-${String(at).padStart(3, "0")}`,
  phase: "Running",
  isReady: true,
  ...more,
});

const children: Omit<Children, "asOf"> = {
  next: "later",
  items: [
    machine(7, {
      phase: "Provisioned",
      isReady: false,
      problem: "NodeHealthy Unknown: NodeInspectionFailed",
    }),
    machine(9, { phase: "Deleting", isReady: false, problem: "Deleting True: draining for 8 minutes" }),
    ...Array.from({ length: 98 }, (_, at) => machine(at + 20)),
  ],
};

export const CHILDREN_SCENES: readonly Scene[] = [
  {
    name: "children",
    path: `/${PATH}/Machine`,
    answers: { me: ME, [PATH]: children },
    shows: "draining for 8 minutes",
  },
  {
    name: "children-none",
    path: `/${PATH}/Machine?state=other`,
    answers: { me: ME, [PATH]: { items: [] } },
    shows: "There is none",
  },
];
