import {
  CLUSTER_STATES,
  type ClusterState,
  type Fleet,
  type FleetItem,
} from "../../../infra/console/api/fleet.ts";
import { ago, MINUTE, type Scene } from "../scene.ts";
import { ME } from "./me.ts";
import { PLAYED } from "./played.ts";

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
  const needs = items
    .filter(({ state }) => ["dead", "failing", "unreachable", "waiting"].includes(state))
    .map((item) => ({ ...item, count: 1 }));
  return { items, needs, counts, total: Object.values(counts).reduce((sum, count) => sum + count, 0) };
}

/** Answers of a console that lets persons in by the link of its terminal, or by a token. */
export function signedOut(signIn: "link" | "token", next: string): Scene["answers"] {
  const message = "the session is unknown or has ended";
  const refusal = { error: { status: 401, reason: "Unauthorized", message, next, signIn } };
  return { me: refusal, fleet: refusal };
}

const fleet = await PLAYED.ask<Fleet>("fleet");
const CALM = fleetOf(fleet.items.filter(({ state }) => state === "healthy" || state === "paused"));

const RELAY_GONE = [
  { since: ago(14.5 * MINUTE), reason: "the relay has stopped: no process gave a sign of life" },
];
const PARTLY = [...RELAY_GONE, { reason: "4 of 11 kinds are not listed yet" }];

export const FLEET_SCENES: readonly Scene[] = [
  { name: "fleet", path: "/", answers: { me: ME, fleet }, shows: "its budget is used up" },
  {
    name: "fleet-calm",
    path: "/",
    answers: { me: ME, fleet: CALM },
    shows: "1 Cluster is paused. Every other Cluster",
  },
  { name: "fleet-empty", path: "/", answers: { me: ME, fleet: fleetOf([]) }, shows: "There is no Cluster" },
  {
    name: "fleet-calm-old",
    path: "/",
    answers: { me: { ...ME, stale: RELAY_GONE }, fleet: { ...CALM, stale: RELAY_GONE } },
    shows: "Nothing needed you",
  },
  { name: "fleet-loading", path: "/", answers: { me: ME, fleet: undefined }, shows: "Dead letters" },
  {
    name: "fleet-filtered",
    path: "/?state=unreachable&q=edge",
    answers: { me: ME, fleet: await PLAYED.ask("fleet?state=unreachable&q=edge") },
    shows: "connect ECONNREFUSED",
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
      me: { ...ME, stale: PARTLY },
      fleet: {
        ...fleetOf(
          fleet.items.map((item) =>
            item.state === "healthy"
              ? { ...item, state: "unknown", reason: "its objects are not read yet" }
              : item,
          ),
        ),
        stale: PARTLY,
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
      fleet: CALM,
      search: await PLAYED.ask("search?q=billing"),
    },
    act: async (page) => {
      await page.getByText("No problems").waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").waitFor();
      await page.keyboard.type("billing");
    },
    shows: "machine-status default/billing",
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
    answers: { me: ME, fleet: CALM },
    act: async (page) => {
      await page.getByText("No problems").waitFor();
      await page.keyboard.press("?");
    },
    shows: "next, previous row",
  },
];
