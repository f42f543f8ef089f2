import type { Trials } from "../../api/trials.ts";
import { Press } from "../actions/press.tsx";
import { mayTry } from "../actions/rights.ts";
import type { Answer } from "../data/topics.ts";
import { useMe } from "../data/use-routes.ts";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Part } from "../parts/part.tsx";
import { Progress } from "../parts/progress.tsx";
import { counted, countText } from "../text/amounts.ts";
import { trialText } from "./trial-text.ts";

/** A trial as lists have it. */
export type TrialItem = Trials["items"][number];

interface Props {
  readonly answer: Answer<Trials>;
  readonly trial: TrialItem | undefined;
  /** Letters that a new trial would take. */
  readonly of: { readonly function: string; readonly group?: string };
  readonly count: number | undefined;
}

/** Shows *Try all*: replays letters offline and says how each would end. */
export function TrialPart({ answer, trial, of, count }: Props) {
  const isOffered = mayTry(useMe());
  const isRunning = trial?.state === "running";
  return (
    <Part
      title="Try all"
      answer={answer}
      aside="replays each letter on what it read, with the functions of this console; nothing is sent"
      end={
        isOffered &&
        (isRunning ? (
          <Press title="Stop" path={`trials/${trial.id}/stop`} />
        ) : (
          <Press title={trial === undefined ? titleFor(count) : "Try again"} path="trials" body={of} />
        ))
      }
    >
      {() => <Result trial={trial} />}
    </Part>
  );
}

function titleFor(count: number | undefined): string {
  return count === undefined ? "Try all" : `Try ${counted(count, "letter")}`;
}

function Result({ trial }: { readonly trial: TrialItem | undefined }) {
  if (trial === undefined) return <p class="sheet trial">None of them has been tried.</p>;
  const { state, tried, total, startedAt, endedAt = startedAt, by, message } = trial;
  return (
    <div class="sheet trial">
      {state === "running" && <Progress label="Letters tried" value={tried} total={total} />}
      <p>
        <b>{trialText(trial)}</b>
      </p>
      <p>
        {state === "stopped" && `Stopped after ${countText(tried)} of ${counted(total, "letter")}. `}
        {state === "failed" && (
          <span class="bad">
            It failed: <Foreign text={message ?? "no reason given"} />.{" "}
          </span>
        )}
        {state === "running" ? "Begun" : "Tried"} by <Foreign text={by} maxChars={80} />,{" "}
        <Age since={endedAt} /> ago.
      </p>
    </div>
  );
}
