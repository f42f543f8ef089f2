import { allHeads } from "../../queue/letters/all-heads.ts";
import { knownDeaths, stillDead } from "../../queue/letters/known-deaths.ts";
import { groupIdOf } from "../../queue/letters/letter-groups.ts";
import {
  type Job,
  type JobRequest,
  jobRequestSchema,
  jobSchema,
  jobsSchema,
  nothingSchema,
} from "../api/actions.ts";
import { MAX_ITEMS } from "../api/page.ts";
import type { Actor, Jobs, RunningJob, Seen } from "../jobs/jobs.ts";
import type { Ports } from "../ports.ts";
import { problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import { functionNamed, requireRight, seesKey } from "./require.ts";
import { defineRoute } from "./route.ts";
import { IN_MEMORY, trialAt } from "./trials.ts";

export const startJob = defineRoute(
  {
    method: "POST",
    path: "/jobs",
    summary:
      "Starts to requeue or drop many dead letters, ten a second; those that have changed are left alone.",
    needs: ["jobs", "letters", "queue"],
    body: jobRequestSchema,
    answer: jobSchema,
  },
  async ({ viewer, body, ports }, { functions }) => {
    const { name } = functionNamed(functions, body.function).spec;
    const { action, select } = body;
    requireConfirmed(body);
    const seen = await selectedKeys(viewer, ports, body);
    requireCount(body, seen.length);
    const actor = actorOf(viewer, action);
    await actor.requireRight(seen.map(({ key }) => key));
    const of = "keys" in select ? undefined : shownSelection(select);
    return ports.jobs.start({ action, function: name, seen, of, actor }).status();
  },
);

export const jobs = defineRoute(
  {
    method: "GET",
    path: "/jobs",
    summary: "Returns the bulk actions since this process started, the newest first.",
    needs: ["jobs"],
    answer: jobsSchema,
  },
  async ({ viewer, ports }) => {
    const seen = ports.jobs.list().filter((job) => seesJob(viewer, job));
    return { items: seen.slice(0, MAX_ITEMS).map((job) => job.status()) };
  },
  () => IN_MEMORY,
);

export const job = defineRoute(
  {
    method: "GET",
    path: "/jobs/{id}",
    summary: "Returns how far a bulk action is.",
    needs: ["jobs"],
    answer: jobSchema,
  },
  async ({ viewer, params, ports }) => jobAt(viewer, ports.jobs, params["id"]).status(),
  () => IN_MEMORY,
);

export const stopJob = defineRoute(
  {
    method: "POST",
    path: "/jobs/{id}/stop",
    summary: "Stops a bulk action; what it has done stays done.",
    needs: ["jobs"],
    body: nothingSchema,
    answer: jobSchema,
  },
  async ({ viewer, params, ports }) => {
    const found = jobAt(viewer, ports.jobs, params["id"]);
    const { action, state } = found.status();
    await requireRight(viewer, action, found.keys);
    if (state === "running") found.stop();
    return found.status();
  },
);

export const resumeJob = defineRoute(
  {
    method: "POST",
    path: "/jobs/{id}/resume",
    summary: "Continues a bulk action that was stopped or has failed, behind the last key that it took.",
    needs: ["jobs"],
    body: nothingSchema,
    answer: jobSchema,
  },
  async ({ viewer, params, ports }) => {
    const found = jobAt(viewer, ports.jobs, params["id"]);
    const { action, state } = found.status();
    const actor = actorOf(viewer, action);
    await actor.requireRight(found.keys);
    if (state !== "stopped" && state !== "failed") {
      throw problem("changed", `the bulk action is ${state}`, "look at it as it is now", {
        current: { state },
      });
    }
    ports.jobs.resume(found, actor);
    return found.status();
  },
);

function actorOf(viewer: Viewer, action: JobRequest["action"]): Actor {
  return { by: viewer.name, requireRight: (keys) => requireRight(viewer, action, keys) };
}

function requireConfirmed({ count, confirm, function: name }: JobRequest): void {
  if (count <= MAX_UNCONFIRMED || confirm === name) return;
  throw problem(
    "invalidField",
    `confirm: over ${MAX_UNCONFIRMED} keys need the name of the function`,
    `type ${name}`,
    { field: "confirm" },
  );
}
const MAX_UNCONFIRMED = 100;

/** A group or a trial may have grown since it was shown. */
function requireCount({ count, select }: JobRequest, found: number): void {
  if (count === found) return;
  if ("keys" in select) {
    const next = "send the number of keys that was shown";
    throw problem("invalidField", "count: it is not the number of keys", next, { field: "count" });
  }
  const next = "look at the number as it is now, and decide again";
  throw problem("changed", `there are ${found} letters now, not ${count}`, next, {
    current: { count: found },
  });
}

interface Sources extends Pick<Ports, "trials"> {
  readonly letters: NonNullable<Ports["letters"]>;
  readonly queue: NonNullable<Ports["queue"]>;
}

/** The letters that are meant, of those that the viewer sees. Of a group, only keys that are still dead are requeued. */
async function selectedKeys(
  viewer: Viewer,
  { letters, queue, trials }: Sources,
  { action, function: name, select }: JobRequest,
): Promise<readonly Seen[]> {
  if ("keys" in select) return select.keys;
  if ("group" in select) {
    const heads = (await allHeads(letters, { function: name })).filter(
      (head) => groupIdOf(head) === select.group && seesKey(viewer, head.key),
    );
    if (action === "drop") return heads.map(seenOf);
    return stillDead(await knownDeaths(heads, queue)).map(seenOf);
  }
  if (trials === undefined) throw problem("notFound", "this server has no trials", "select keys or a group");
  const tried = trialAt(viewer, trials, select.trial).tried();
  return tried.filter((one) => one.function === name && one.verdict === select.verdict).map(seenOf);
}

function seenOf({ key, deadSince, times }: Seen): Seen {
  return { key, deadSince, times };
}

function shownSelection(select: Exclude<JobRequest["select"], { readonly keys: unknown }>): Job["of"] {
  return "group" in select ? { group: select.group } : { trial: select.trial };
}

/** One that acts on keys which the viewer does not see is not there for that viewer. */
function jobAt(viewer: Viewer, all: Jobs, id = ""): RunningJob {
  const found = all.get(id);
  if (found !== undefined && seesJob(viewer, found)) return found;
  throw problem(
    "notFound",
    "this process has no such bulk action: it is of an earlier one, or too old",
    "open the list of bulk actions",
  );
}

function seesJob(viewer: Viewer, { keys }: RunningJob): boolean {
  return keys.every((key) => seesKey(viewer, key));
}
