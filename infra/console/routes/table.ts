import { drop, pause, requeue, resume } from "./actions.ts";
import { fleet } from "./fleet.ts";
import { job, jobs, startJob, stopJob } from "./jobs.ts";
import { letter, letters } from "./letters.ts";
import { me } from "./me.ts";
import { cluster, object } from "./objects.ts";
import { keys, queue, tenants } from "./queue.ts";
import { relay } from "./relay.ts";
import type { Route } from "./route.ts";
import { clusterRuns, objectRuns } from "./runs.ts";

/** All paths below /api/v1, in the order of openapi.json. */
export const ROUTES: readonly Route[] = [
  me,
  fleet,
  cluster,
  clusterRuns,
  object,
  objectRuns,
  queue,
  tenants,
  keys,
  letters,
  letter,
  relay,
  requeue,
  drop,
  pause,
  resume,
  startJob,
  jobs,
  job,
  stopJob,
];
