import { type JobRequest, jobRequestSchema, jobSchema, jobsSchema, nothingSchema } from "../api/actions.ts";
import { MAX_ITEMS } from "../api/page.ts";
import type { RunningJob, Seen } from "../jobs/job.ts";
import type { Jobs } from "../jobs/jobs.ts";
import { problem } from "../problem.ts";
import type { Viewer } from "../viewer.ts";
import { demandRight } from "./demand.ts";
import { seesKey } from "./keys.ts";
import { functionNamed } from "./named.ts";
import { defineRoute } from "./route.ts";

export const startJob = defineRoute(
  {
    method: "POST",
    path: "/jobs",
    summary:
      "Starts to requeue or drop many dead letters, ten a second; those that have changed are left alone.",
    needs: ["jobs"],
    body: jobRequestSchema,
    answer: jobSchema,
  },
  async ({ viewer, body, ports }, { functions }) => {
    const { name } = functionNamed(functions, body.function).spec;
    const { action } = body;
    const seen = selected(body);
    const demand = (keys: readonly string[]) => demandRight(viewer, action, keys);
    await demand(seen.map(({ key }) => key));
    return ports.jobs.start({ action, function: name, seen, by: viewer.name, demand }).status();
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
    await demandRight(viewer, action, found.keys);
    if (state === "running") found.stop();
    return found.status();
  },
);

function selected({ select: { keys }, count, confirm, function: name }: JobRequest): readonly Seen[] {
  if (count !== keys.length) {
    throw problem(
      "invalidField",
      "count: it is not the number of keys",
      "send the number of keys that was shown",
      { field: "count" },
    );
  }
  if (count > MAX_UNCONFIRMED && confirm !== name) {
    throw problem(
      "invalidField",
      `confirm: over ${MAX_UNCONFIRMED} keys need the name of the function`,
      `type ${name}`,
      { field: "confirm" },
    );
  }
  return keys;
}
const MAX_UNCONFIRMED = 100;

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
