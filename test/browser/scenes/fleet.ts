import {
  CLUSTER_STATES,
  type ClusterState,
  type Fleet,
  type FleetItem,
} from "../../../infra/console/api/fleet.ts";
import { ago, HOUR, MINUTE, type Scene } from "../scene.ts";
import { ME } from "./me.ts";

const healthy = (namespace: string, name: string, version = "v1.34.2"): FleetItem => ({
  namespace,
  name,
  state: "healthy",
  phase: "Provisioned",
  version,
  machines: { desired: 20, ready: 20 },
  deadLetters: 0,
  failing: 0,
  since: ago(31 * HOUR),
});

const TROUBLED: readonly FleetItem[] = [
  {
    ...healthy("payments", "eu-west-04"),
    state: "dead",
    reason:
      'machinepool-nodes gave up after 16 attempts: kubeconfig Secret payments/eu-west-04-kubeconfig: key "value" missing; create it or set spec.controlPlaneRef',
    since: ago(41.5 * MINUTE),
    machines: { desired: 20, ready: 17 },
    deadLetters: 3,
    about: {
      function: "machinepool-nodes",
      key: "payments/eu-west-04|MachinePool|payments/eu-west-04-workers",
    },
  },
  {
    ...healthy("search", "us-east-11"),
    state: "failing",
    reason: "machine-drain has failed 5 times: the budget search/indexer allows no eviction of Pod indexer-7",
    since: ago(12.5 * MINUTE),
    machines: { desired: 40, ready: 39 },
    failing: 1,
  },
  {
    ...healthy("payments", "eu-north-02"),
    state: "unreachable",
    reason: "the workload cluster does not answer: dial tcp 10.40.2.1:6443: connection refused",
    since: ago(9.5 * MINUTE),
    machines: { desired: 20, ready: 0 },
  },
  {
    ...healthy("default", "ml-training"),
    state: "waiting",
    reason: "cluster-status waits for Cluster.status.initialization.infrastructureProvisioned",
    since: ago(6.5 * MINUTE),
    phase: "Provisioning",
    machines: { desired: 64, ready: 0 },
  },
  {
    ...healthy("search", "us-west-03"),
    state: "progressing",
    reason: "MachinePool search/us-west-03-workers grows from 20 to 32",
    since: ago(3.5 * MINUTE),
    phase: "Provisioned",
    machines: { desired: 32, ready: 24 },
  },
  {
    ...healthy("default", "old-staging"),
    state: "deleting",
    reason: "being deleted: 4 Machines are left",
    since: ago(4.5 * MINUTE),
    phase: "Deleting",
    machines: { desired: 0, ready: 4 },
  },
  {
    ...healthy("default", "frozen"),
    state: "paused",
    reason: "paused by spec.paused",
    since: ago(52 * HOUR),
  },
];

const HEALTHY = ["payments", "search", "default", "web"].flatMap((namespace) =>
  Array.from({ length: 11 }, (_, at) =>
    healthy(
      namespace,
      `${namespace}-${String(at + 1).padStart(2, "0")}`,
      at % 3 === 0 ? "v1.33.6" : "v1.34.2",
    ),
  ),
);

/** Answer of `fleet` for these Clusters. */
export function fleetOf(
  items: readonly FleetItem[],
  more: Partial<Record<ClusterState, number>> = {},
): Omit<Fleet, "asOf"> {
  const counts = Object.fromEntries(
    CLUSTER_STATES.map((state) => [
      state,
      items.filter((item) => item.state === state).length + (more[state] ?? 0),
    ]),
  ) as Record<ClusterState, number>;
  return { items, counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Answers of a console that lets persons in by the link of its terminal, or by a token. */
export function signedOut(signIn: "link" | "token", next: string): Scene["answers"] {
  const message = "the session is unknown or has ended";
  const refusal = { error: { status: 401, reason: "Unauthorized", message, next, signIn } };
  return { me: refusal, fleet: refusal };
}

const fleet = fleetOf([...TROUBLED, ...HEALTHY]);

export const FLEET_SCENES: readonly Scene[] = [
  { name: "fleet", path: "/", answers: { me: ME, fleet }, shows: "eu-west-04" },
  {
    name: "fleet-calm",
    path: "/",
    answers: { me: ME, fleet: fleetOf(HEALTHY) },
    shows: "Nothing needs you",
  },
  { name: "fleet-empty", path: "/", answers: { me: ME, fleet: fleetOf([]) }, shows: "There is no Cluster" },
  { name: "fleet-loading", path: "/", answers: { me: ME, fleet: undefined }, shows: "Dead letters" },
  {
    name: "fleet-filtered",
    path: "/?state=unreachable&q=payments",
    answers: {
      me: ME,
      fleet: { ...fleet, items: fleet.items.filter(({ state }) => state === "unreachable") },
    },
    shows: "eu-north-02",
  },
  {
    name: "fleet-forbidden",
    path: "/",
    answers: {
      me: { ...ME, sees: [] },
      fleet: {
        error: {
          status: 403,
          reason: "Forbidden",
          message: "ann may list Clusters in no namespace",
          next: "ask for the role capstan-viewer in the namespaces of your Clusters",
        },
      },
    },
    shows: "Not allowed",
  },
  {
    name: "fleet-partial",
    path: "/",
    answers: {
      me: ME,
      fleet: {
        ...fleetOf([
          ...TROUBLED,
          ...HEALTHY.slice(0, 6).map((item) => ({
            ...item,
            state: "unknown" as const,
            reason: "its objects are not read yet",
          })),
        ]),
        stale: [
          { since: ago(14.5 * MINUTE), reason: "the relay has stopped: no process gave a sign of life" },
          { reason: "4 of 11 kinds are not listed yet" },
        ],
      },
    },
    shows: "the relay has stopped",
  },
  {
    name: "fleet-lost",
    path: "/",
    answers: { me: ME, fleet },
    isCut: true,
    shows: "Not live for",
  },
  {
    name: "signed-out",
    path: "/",
    answers: signedOut("link", "open the link that the terminal of this console shows"),
    shows: "Sign in",
  },
  {
    name: "signed-out-token",
    path: "/",
    answers: signedOut("token", "log in with a token of the management cluster, or let the proxy send one"),
    shows: "Sign in",
  },
  { name: "missing", path: "/nowhere", answers: { me: ME }, shows: "has no page at this address" },
  {
    name: "search",
    path: "/",
    answers: {
      me: ME,
      fleet: fleetOf(HEALTHY),
      search: {
        items: [
          {
            place: { type: "cluster", namespace: "payments", name: "eu-west-04" },
            title: "payments/eu-west-04",
            hint: "Cluster, 3 dead letters",
          },
          {
            place: { type: "object", kind: "MachinePool", namespace: "payments", name: "eu-west-04-workers" },
            title: "payments/eu-west-04-workers",
            hint: "MachinePool of eu-west-04",
          },
          {
            place: { type: "function", function: "machinepool-nodes" },
            title: "machinepool-nodes",
            hint: "Links the Nodes of a MachinePool",
          },
        ],
      },
    },
    act: async (page) => {
      await page.getByText("Nothing needs you").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type("eu-west-04");
    },
    shows: "MachinePool of eu-west-04",
    opens: async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type("x");
      await page.locator(".found a").first().waitFor();
    },
  },
  {
    name: "keys",
    path: "/",
    answers: { me: ME, fleet: fleetOf(HEALTHY) },
    act: async (page) => {
      await page.getByText("Nothing needs you").waitFor();
      await page.keyboard.press("?");
    },
    shows: "next, previous row",
  },
];
