import type { Me } from "../../../infra/console/api/me.ts";

const ROUTES = [
  ...[
    "fleet",
    "clusters/{namespace}/{name}",
    "clusters/{namespace}/{name}/runs",
    "objects/{kind}/{namespace}/{name}",
  ],
  ...["objects/{kind}/{namespace}/{name}/runs", "objects/{kind}/{namespace}/{name}/managers", "queue"],
  "objects/{kind}/{namespace}/{name}/children",
  ...[
    "queue/{function}/tenants",
    "queue/{function}/keys",
    "queue/{function}/samples",
    "letters",
    "letter-groups",
  ],
  ...["letters/{function}/{key}", "letters/{function}/{key}/replay", "relay", "search", "me", "stream"],
].map((path) => `GET /${path}`);

export const ME: Omit<Me, "asOf"> = {
  user: "ann",
  by: "code",
  sees: "all",
  may: { requeue: [], drop: [], pause: false },
  version: "0.1.0",
  routes: ROUTES,
  functions: [
    {
      name: "machinepool-nodes",
      summary: "Links the Nodes of a MachinePool and counts those that are ready.",
      kind: "MachinePool",
    },
    { name: "machine-node", summary: "Links the Node of a Machine.", kind: "Machine" },
  ],
};
