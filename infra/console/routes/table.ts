import { MINUTE, SECOND } from "../../../shared/function/backoff.ts";
import { ALL_FUNCTIONS, SAMPLE_EVERY_MS } from "../../../shared/runtime/queue/samples.ts";
import { align, linesOfDecision } from "../../operate/replay/align-decisions.ts";
import type { ApartResult } from "../../operate/replay/replay-apart.ts";
import { groupLetters, groupPlaceOf } from "../../queue/letters/letter-groups.ts";
import { recentDurations } from "../../queue/samples/recent-durations.ts";
import { seriesOf } from "../../queue/samples/series.ts";
import { fleetQuerySchema, fleetSchema } from "../api/fleet.ts";
import {
  letterGroupsQuerySchema,
  letterGroupsSchema,
  type ReplayAnswer,
  replaySchema,
} from "../api/letters.ts";
import { searchQuerySchema, searchSchema } from "../api/page.ts";
import { durationsSchema, samplesSchema } from "../api/queue.ts";
import { relaySchema } from "../api/relay.ts";
import { HEADS_KEPT_MS } from "../sources/letter-heads.ts";
import { sees } from "../viewer.ts";
import { drop, pause, requeue, resume } from "./actions.ts";
import { job, jobs, resumeJob, startJob, stopJob } from "./jobs.ts";
import { letter, letterAt, letters } from "./letters.ts";
import { live } from "./live.ts";
import { me } from "./me.ts";
import { children, cluster, object } from "./objects.ts";
import { keys, queue, tenants } from "./queue.ts";
import { functionNamed, pageInMemory, refuseCursor, requireAll, requireKey, seesKey } from "./require.ts";
import { defineRoute, type Route } from "./route.ts";
import { clusterRuns, objectRuns } from "./runs.ts";
import { startTrial, stopTrial, trial, trials, triedLetters } from "./trials.ts";

/** A minute lies between the first row and the last. */
const LOOKED_AT_MS = MINUTE + SAMPLE_EVERY_MS;

const samples = defineRoute(
  {
    method: "GET",
    path: "/queue/{function}/samples",
    summary:
      "Returns the last hour of a function, or of `all` together, a row per 10 s; for those who see all namespaces.",
    needs: ["samples"],
    answer: samplesSchema,
  },
  async ({ viewer, params, ports }, { functions, clock }) => {
    const asked = params["function"];
    const name = asked === ALL_FUNCTIONS ? asked : functionNamed(functions, asked).spec.name;
    requireAll(viewer);
    const series = seriesOf(await ports.samples(name), clock.now().getTime());
    return { function: name, ...series, from: new Date(series.from).toISOString() };
  },
  () => ({ everyMs: SAMPLE_EVERY_MS }),
);

const durations = defineRoute(
  {
    method: "GET",
    path: "/durations",
    summary:
      "Returns how long the runs of each function took in the last minute; for those who see all namespaces.",
    needs: ["samples"],
    answer: durationsSchema,
  },
  async ({ viewer, ports }, { functions }) => {
    requireAll(viewer);
    const items = functions.map(async ({ spec: { name } }) => ({
      function: name,
      ...recentDurations(await ports.samples(name, LOOKED_AT_MS)),
    }));
    return { items: await Promise.all(items) };
  },
  () => ({ everyMs: SAMPLE_EVERY_MS }),
);

const fleet = defineRoute(
  {
    method: "GET",
    path: "/fleet",
    summary: "Returns the Clusters that the viewer may see, worst first, and how many are in each state.",
    needs: ["fleet"],
    query: fleetQuerySchema,
    answer: fleetSchema,
  },
  async ({ viewer, query: { state, limit, next, ...filter }, ports }) => {
    const states = state === undefined ? undefined : [state];
    const selection = { ...filter, sight: viewer.sight, states, limit, after: next };
    return await Promise.resolve(selection).then(ports.fleet.page).catch(refuseCursor);
  },
  () => ({ fleet: true }),
);

const letterGroups = defineRoute(
  {
    method: "GET",
    path: "/letter-groups",
    summary: "Returns the dead letters by function and error, those with the most dead keys first.",
    needs: ["heads"],
    query: letterGroupsQuerySchema,
    answer: letterGroupsSchema,
  },
  async ({ viewer, query: { function: name, limit, next }, ports }) => {
    const heads = await ports.heads();
    const seen = heads.filter(
      (head) => head.function === (name ?? head.function) && seesKey(viewer, head.key),
    );
    const { items, ungrouped } = await groupLetters(seen);
    return { ...pageInMemory(items, groupPlaceOf, { limit, after: next }), ungrouped };
  },
  ({ query: { function: name } }) => ({
    lettersOf: name === undefined ? "all" : [name],
    // Keys that live again change no letter.
    everyMs: HEADS_KEPT_MS,
  }),
);

/** Processes give a sign of life so often. */
const BEAT_MS = 10 * SECOND;

const relay = defineRoute(
  {
    method: "GET",
    path: "/relay",
    summary: "Returns the processes, their watches, and the connections to workload clusters.",
    needs: ["relay"],
    answer: relaySchema,
  },
  async ({ viewer, ports }) => {
    const { connections, connected, ...all } = await ports.relay();
    const seen = connections.filter(({ namespace }) => sees(viewer, namespace));
    return { ...all, connections: seen, connected: viewer.sight === "all" ? connected : undefined };
  },
  () => ({ everyMs: BEAT_MS }),
);

const MAX_LINES = 2_000;

const replay = defineRoute(
  {
    method: "GET",
    path: "/letters/{function}/{key}/replay",
    summary: "Replays a dead letter offline, for at most 2 s and in 256 MiB. Nothing is sent.",
    needs: ["letters", "replay"],
    isOnce: true,
    answer: replaySchema,
  },
  async ({ viewer, params: { function: name = "", key = "" }, ports }) => {
    requireKey(viewer, key);
    return answerOf(await ports.replay(await letterAt(ports.letters, name, key)));
  },
);

function answerOf(result: ApartResult): Omit<ReplayAnswer, "asOf"> {
  if (result.type === "cut" || result.type === "not replayable") {
    return { verdict: result.type, why: result.why };
  }
  const { type, recorded, replayed } = result;
  const rows = align(linesOfDecision(recorded), linesOfDecision(replayed));
  const lines = rows.slice(0, MAX_LINES).map(({ left, right }) => ({ left, right, same: left === right }));
  const why = rows.length > MAX_LINES ? `the first ${MAX_LINES} lines of ${rows.length}` : undefined;
  return { verdict: type, why, recorded, replayed, lines };
}

const search = defineRoute(
  {
    method: "GET",
    path: "/search",
    summary: "Finds Clusters, objects, functions and dead letters by their names, best first.",
    needs: ["search"],
    query: searchQuerySchema,
    answer: searchSchema,
  },
  async ({ viewer: { sight }, query: { q }, ports }) => ({ items: await ports.search({ q, sight }) }),
);

/** All paths below /api/v1, in the order of openapi.json. */
export const ROUTES: readonly Route[] = [
  me,
  fleet,
  cluster,
  clusterRuns,
  object,
  objectRuns,
  children,
  live,
  queue,
  tenants,
  keys,
  samples,
  durations,
  letterGroups,
  letters,
  letter,
  replay,
  startTrial,
  trials,
  trial,
  triedLetters,
  stopTrial,
  relay,
  search,
  requeue,
  drop,
  pause,
  resume,
  startJob,
  jobs,
  job,
  stopJob,
  resumeJob,
];
