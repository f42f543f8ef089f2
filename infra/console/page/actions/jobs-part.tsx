import type { Job, Jobs } from "../../api/actions.ts";
import { useMe, useRoute, useTopic } from "../data/hooks.ts";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { JOB_MARKS, jobText, jobTitle } from "../text/words.ts";
import { Press, Progress } from "./press.tsx";
import { mayActOnMany } from "./rights.ts";

type JobItem = Jobs["items"][number];
/** The newest. */
const MOST = 10;

/** Shows bulk actions with their progress, the newest first; nothing where none of them is wanted. */
export function JobsPart({ isWanted = () => true }: { readonly isWanted?: (job: JobItem) => boolean }) {
  const answer = useTopic<Jobs>(useRoute("GET /jobs") === true ? "jobs" : undefined);
  const jobs = answer.body?.items.filter(isWanted).slice(0, MOST) ?? [];
  if (jobs.length === 0 && (answer.body !== undefined || answer.error === undefined)) return null;
  return (
    <Part title="Bulk actions" answer={answer}>
      {() => (
        <ul class="sheet jobs">
          {jobs.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </ul>
      )}
    </Part>
  );
}

function JobRow({ job }: { readonly job: JobItem }) {
  const { action, function: name, state, by, startedAt, total, done, changed, message } = job;
  return (
    <li>
      <span class="named">
        <Mark of={JOB_MARKS[state]} bare />
        <span>
          <b>{jobTitle(job)}</b> of <Foreign text={name} />
        </span>
      </span>
      <Progress label={jobTitle(job)} value={done + changed} total={total} />
      <span class="why">
        {jobText(job)}
        {message !== undefined && (
          <>
            ; <Foreign text={message} />
          </>
        )}
        <span class="muted">
          {" "}
          by <Foreign text={by} maxChars={80} />, <Age since={startedAt} /> ago
        </span>
      </span>
      <Buttons job={job} action={action} />
    </li>
  );
}

/** Stops a job that runs, or continues one with the letters that are left. */
function Buttons({ job: { id, state }, action }: { readonly job: JobItem; readonly action: Job["action"] }) {
  const me = useMe();
  if (!mayActOnMany(me, action)) return null;
  if (state === "running") return <Press title="Stop" path={`jobs/${id}/stop`} />;
  if (state === "done" || me?.routes.includes("POST /jobs/{id}/resume") !== true) return null;
  return <Press title="Continue" path={`jobs/${id}/resume`} />;
}
