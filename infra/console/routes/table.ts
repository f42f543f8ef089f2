import { drop, pause, requeue, resume } from "./actions.ts";
import { children } from "./children.ts";
import { durations } from "./durations.ts";
import { fleet } from "./fleet.ts";
import { job, jobs, resumeJob, startJob, stopJob } from "./jobs.ts";
import { letterGroups } from "./letter-groups.ts";
import { letter, letters } from "./letters.ts";
import { live } from "./live.ts";
import { me } from "./me.ts";
import { cluster, object } from "./objects.ts";
import { keys, queue, tenants } from "./queue.ts";
import { relay } from "./relay.ts";
import { replay } from "./replay.ts";
import type { Route } from "./route.ts";
import { clusterRuns, objectRuns } from "./runs.ts";
import { samples } from "./samples.ts";
import { search } from "./search.ts";
import { startTrial, stopTrial, trial, trials, triedLetters } from "./trials.ts";

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
