import type { TriedLetters } from "../../api/trials.ts";
import { BulkActions } from "../actions/bulk-actions.tsx";
import { useTopic } from "../data/hooks.ts";
import type { Column } from "../list/grid.tsx";
import { PagedGrid } from "../list/paged-grid.tsx";
import { Chips } from "../parts/chips.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { Part } from "../parts/part.tsx";
import { addressWith } from "../place/location.ts";
import { counted } from "../text/amounts.ts";
import { LetterLink, letterId } from "./letter-link.tsx";
import type { TrialItem } from "./trial-part.tsx";
import { VERDICT_MARKS, VERDICT_TITLES, VERDICTS, type Verdict, verdictText } from "./trial-text.ts";

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
