import type { QueueItem } from "../../api/queue.ts";
import { useMe } from "../data/use-routes.ts";
import { pathOf } from "../place/place.ts";
import { counted, countText } from "../text/amounts.ts";
import { ActionButtons } from "./action-buttons.tsx";
import type { Action } from "./confirm.tsx";
import { mayPause } from "./rights.ts";

/** Pauses or resumes a function; undefined: its queue is not known. */
export function PauseAction({ item }: { readonly item: QueueItem | undefined }) {
  const isOffered = mayPause(useMe()) && item !== undefined;
  return <ActionButtons actions={isOffered ? [actionOn(item)] : []} />;
}

function actionOn({ function: name, paused = false, ready, running, waiting }: QueueItem): Action {
  const shared = { subject: name, body: { paused } };
  if (paused)
    return {
      ...shared,
      verb: "Resume",
      replaces: "Pause",
      past: "Resumed",
      path: `${pathOf("queue", name).slice(1)}/resume`,
      effect: (
        <p>
          All processes run it again, for all Clusters. {counted(ready, "key")} {ready === 1 ? "is" : "are"}{" "}
          ready and {countText(waiting)} wait for their time.
        </p>
      ),
    };
  return {
    ...shared,
    verb: "Pause",
    past: "Paused",
    path: `${pathOf("queue", name).slice(1)}/pause`,
    effect: (
      <p>
        No process begins a run of it any more, for any Cluster, until a person resumes it.{" "}
        {counted(running, "run")} in progress {running === 1 ? "ends" : "end"} as usual; events are kept, and
        their keys wait.
      </p>
    ),
  };
}
