import { SECOND } from "../../../shared/function/backoff.ts";
import { allHeads } from "../../queue/letters/all-heads.ts";
import { groupIdOf } from "../../queue/letters/letter-groups.ts";
import {
  nothingSchema,
  trialRequestSchema,
  trialSchema,
  trialsSchema,
  triedLettersQuerySchema,
  triedLettersSchema,
} from "../api/actions.ts";
import { MAX_ITEMS } from "../api/page.ts";
import type { RunningTrial, Trials } from "../jobs/trials.ts";
import { problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import { functionNamed, pageInMemory, requireRight, seesKey } from "./require.ts";
import { defineRoute } from "./route.ts";

/** Work that is under way in this process costs nothing to look at. */
export const IN_MEMORY = { everyMs: SECOND } as const;

export const startTrial = defineRoute(
  {
    method: "POST",
    path: "/trials",
    summary: "Starts to replay the dead letters of a function or a group offline; nothing is sent.",
    needs: ["trials", "letters"],
    body: trialRequestSchema,
    answer: trialSchema,
  },
  async ({ viewer, body: { function: wanted, group }, ports }, { functions }) => {
    const { name } = functionNamed(functions, wanted).spec;
    const heads = (await allHeads(ports.letters, { function: name })).filter(
      (head) => seesKey(viewer, head.key) && (group === undefined || groupIdOf(head) === group),
    );
    if (heads.length === 0) {
      throw problem("notFound", "none of these dead letters is left", "open the list of dead letters");
    }
    await requireRight(
      viewer,
      "try",
      heads.map(({ key }) => key),
    );
    return ports.trials.start({ function: name, group, heads, by: viewer.name }).status();
  },
);

export const trials = defineRoute(
  {
    method: "GET",
    path: "/trials",
    summary: "Returns the trials since this process started, the newest first.",
    needs: ["trials"],
    answer: trialsSchema,
  },
  async ({ viewer, ports }) => {
    const seen = ports.trials.list().filter((trial) => seesTrial(viewer, trial));
    return { items: seen.slice(0, MAX_ITEMS).map((trial) => trial.status()) };
  },
  () => IN_MEMORY,
);

export const trial = defineRoute(
  {
    method: "GET",
    path: "/trials/{id}",
    summary: "Returns how far a trial is, and how many letters would end how.",
    needs: ["trials"],
    answer: trialSchema,
  },
  async ({ viewer, params, ports }) => trialAt(viewer, ports.trials, params["id"]).status(),
  () => IN_MEMORY,
);

export const triedLetters = defineRoute(
  {
    method: "GET",
    path: "/trials/{id}/letters",
    summary: "Returns what became of each letter so far.",
    needs: ["trials"],
    query: triedLettersQuerySchema,
    answer: triedLettersSchema,
  },
  async ({ viewer, params, query: { verdict, limit, next }, ports }) => {
    const tried = trialAt(viewer, ports.trials, params["id"]).tried();
    const places = new Map(tried.map((one, at) => [one, { score: at, member: "" }]));
    const wanted = tried.filter((one) => verdict === undefined || one.verdict === verdict);
    return pageInMemory(wanted, (one) => places.get(one) ?? FIRST, { limit, after: next });
  },
  () => IN_MEMORY,
);
const FIRST = { score: 0, member: "" };

export const stopTrial = defineRoute(
  {
    method: "POST",
    path: "/trials/{id}/stop",
    summary: "Stops a trial; what it has found stays.",
    needs: ["trials"],
    body: nothingSchema,
    answer: trialSchema,
  },
  async ({ viewer, params, ports }) => {
    const found = trialAt(viewer, ports.trials, params["id"]);
    await requireRight(viewer, "try", found.keys);
    found.stop();
    return found.status();
  },
);

/** One of keys which the viewer does not see is not there for that viewer. */
export function trialAt(viewer: Viewer, all: Trials, id = ""): RunningTrial {
  const found = all.get(id);
  if (found !== undefined && seesTrial(viewer, found)) return found;
  throw problem(
    "notFound",
    "this process has no such trial: it is of an earlier one, or too old",
    "try the letters again",
  );
}

function seesTrial(viewer: Viewer, { keys }: RunningTrial): boolean {
  return keys.every((key) => seesKey(viewer, key));
}
