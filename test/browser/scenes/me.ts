import type { Me } from "../../../infra/console/api/me.ts";

const ROUTES = [
  ...[
    "fleet",
    "clusters/{namespace}/{name}",
    "clusters/{namespace}/{name}/runs",
    "objects/{kind}/{namespace}/{name}",
  ],
  ...["objects/{kind}/{namespace}/{name}/runs", "objects/{kind}/{namespace}/{name}/live", "queue"],
  "objects/{kind}/{namespace}/{name}/children",
  ...[
    "queue/{function}/tenants",
    "queue/{function}/keys",
    "queue/{function}/samples",
    "durations",
    "letters",
    "letter-groups",
  ],
  ...["letters/{function}/{key}", "letters/{function}/{key}/replay", "relay", "search", "me", "stream"],
].map((path) => `GET /${path}`);
const TRIALS = ["GET /trials", "GET /trials/{id}/letters", "POST /trials", "POST /trials/{id}/stop"];

/** Without --actions a server has no more. */
const ACTIONS = [
  ...["GET /jobs", "POST /jobs", "POST /jobs/{id}/stop", "POST /jobs/{id}/resume"],
  ...["POST /letters/{function}/{key}/requeue", "POST /letters/{function}/{key}/drop"],
  ...["POST /queue/{function}/pause", "POST /queue/{function}/resume"],
];

/** A person who may look, at a server that lets others act. */
export const ME: Omit<Me, "asOf"> = {
  user: "ann",
  by: "code",
  sees: "all",
  may: { requeue: [], drop: [], pause: false, try: [] },
  version: "0.1.0",
  routes: [...ROUTES, ...TRIALS, ...ACTIONS],
  functions: [
    {
      name: "machinepool-nodes",
      summary: "Links the Nodes of a MachinePool and counts those that are ready.",
      kind: "MachinePool",
    },
    { name: "machine-node", summary: "Links the Node of a Machine.", kind: "Machine" },
  ],
};

/** A person who may do everything. */
export const OPERATOR: typeof ME = { ...ME, may: { requeue: "all", drop: "all", pause: true, try: "all" } };
