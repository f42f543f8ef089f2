import type { Trials, TriedLetters } from "../../api/actions.ts";
import { BulkActions } from "../actions/action-buttons.tsx";
import { Press, Progress } from "../actions/press.tsx";
import { mayTry } from "../actions/rights.ts";
import { useMe, useTopic } from "../data/hooks.ts";
import type { Answer } from "../data/topics.ts";
import { type Column, PagedGrid } from "../list/grid.tsx";
import { Chips } from "../parts/filters.tsx";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { addressWith } from "../place/location.ts";
import {
  counted,
  countText,
  trialText,
  VERDICT_MARKS,
  VERDICT_TITLES,
  VERDICTS,
  type Verdict,
  verdictText,
} from "../text/words.ts";
import { LetterLink, letterId } from "./letter-table.tsx";

interface ChipsProps {
  readonly trial: TrialItem;
  readonly verdict: Verdict | undefined;
}

/** Filters of the list below: all letters as they are, or those that a trial judged alike. */
export function VerdictChips({ trial: { verdicts }, verdict }: ChipsProps) {
  const all = {
    title: "All letters",
    count: undefined,
    href: addressWith("verdict", ""),
    isOn: verdict === undefined,
  };
  return (
    <Chips
      label="Letters by verdict"
      chips={[
        all,
        ...VERDICTS.filter((each) => verdicts[each] > 0 || each === verdict).map((each) => ({
          title: VERDICT_TITLES[each],
          count: verdicts[each],
          href: addressWith("verdict", each),
          isOn: each === verdict,
          mark: VERDICT_MARKS[each],
        })),
      ]}
    />
  );
}

/** The letters that a trial judged alike: as they were when they were tried, so actions leave alone what has changed since. */
export function TriedPart({ trial, verdict }: { readonly trial: TrialItem; readonly verdict: Verdict }) {
  const topic = `trials/${trial.id}/letters?${new URLSearchParams({ verdict, limit: "100" })}`;
  const answer = useTopic<TriedLetters>(topic);
  const count = trial.verdicts[verdict];
  return (
    <Part
      title={VERDICT_TITLES[verdict]}
      answer={answer}
      aside={counted(count, "letter")}
      end={
        <BulkActions
          selection={
            // The number of a trial that runs is another one at each moment.
            trial.state === "running"
              ? undefined
              : {
                  function: trial.function,
                  select: { trial: trial.id, verdict },
                  count,
                  which: `that ${verdictText(verdict, count)}`,
                }
          }
        />
      }
    >
      {(letters) => (
        <PagedGrid
          topic={topic}
          first={letters}
          label="Letters that were tried"
          one="letter"
          columns={COLUMNS}
          idOf={letterId}
          empty={<p class="sheet say">No letter ended so.</p>}
        />
      )}
    </Part>
  );
}

type Tried = TriedLetters["items"][number];

const COLUMNS: readonly Column<Tried>[] = [
  {
    title: "Object",
    width: "minmax(200px, 320px)",
    narrow: "first",
    cell: (letter) => <LetterLink of={letter} mark={<Mark of={VERDICT_MARKS[letter.verdict]} bare />} />,
  },
  {
    title: "Replayed",
    width: "minmax(160px, 1fr)",
    narrow: "second",
    cell: ({ verdict, why }) => (
      <>
        {VERDICT_TITLES[verdict]}
        {why !== undefined && (
          <>
            : <Foreign text={why} />
          </>
        )}
      </>
    ),
  },
];

/** A trial as lists have it. */
type TrialItem = Trials["items"][number];

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
