import type { Trials } from "../../api/actions.ts";
import type { Letters } from "../../api/letters.ts";
import type { QueueAnswer } from "../../api/queue.ts";
import { BulkActions } from "../actions/action-buttons.tsx";
import { JobsPart } from "../actions/jobs-part.tsx";
import { useRoute, useSteadyTopic, useTopic } from "../data/hooks.ts";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { pathOf } from "../place/place.ts";
import { counted, countText, queueCounts, queueHold, queueState, VERDICTS } from "../text/words.ts";
import { LetterTable } from "./letter-table.tsx";
import { TrialPart, TriedPart, VerdictChips } from "./tried-part.tsx";

interface Props {
  /** Id of a group, or empty. */
  readonly group: string;
  /** The name of a function, or empty. */
  readonly name: string;
  /** The verdict of the newest trial: only the letters that it judged so; empty: all letters as they are. */
  readonly verdict: string;
}

/** Letters of one error or of one function: how a trial ends for them, and actions on those that are listed. */
export function LetterList({ group, name, verdict: wanted }: Props) {
  const topic = `letters?${new URLSearchParams({ ...(group && { group }), ...(name && { function: name }), limit: "100" })}`;
  const letters = useSteadyTopic<Letters>(topic);
  const isFiltered = group !== "" || name !== "";
  const hasTrials = useRoute("GET /trials") === true && isFiltered;
  const trials = useTopic<Trials>(hasTrials ? "trials" : undefined);
  const trial = trials.body?.items.find((each) =>
    group === "" ? each.group === undefined && each.function === name : each.group === group,
  );
  const whole = letters.body?.group;
  const of = whole?.function ?? trial?.function ?? name;
  const verdict = VERDICTS.find((each) => each === wanted);
  return (
    <>
      <div class="head">
        <h1>{of === "" ? "Dead letters" : <Foreign text={of} />}</h1>
        {whole !== undefined && <GroupFacts group={whole} />}
      </div>
      {whole !== undefined && (
        <p class="sheet error-of">
          <Foreign text={whole.error} maxChars={600} lines />
        </p>
      )}
      {hasTrials && of !== "" && (
        <TrialPart
          answer={trials}
          trial={trial}
          of={{ function: of, ...(group && { group }) }}
          count={whole?.count}
        />
      )}
      <JobsPart isWanted={(job) => job.function === of} />
      <QueuePart name={of} />
      {trial !== undefined && <VerdictChips trial={trial} verdict={verdict} />}
      {trial !== undefined && verdict !== undefined ? (
        <TriedPart trial={trial} verdict={verdict} />
      ) : (
        <Part
          title="Letters"
          answer={letters}
          aside={countOf(letters.body)}
          end={<ActionsOn group={whole} />}
        >
          {(body) => <LetterTable topic={topic} letters={body} isFiltered={isFiltered} />}
        </Part>
      )}
    </>
  );
}

type Group = NonNullable<Letters["group"]>;

/** A letter stays when its key was requeued, so it does not say that the key is dead. */
function GroupFacts({ group: { count, dead = count, oldest, newest } }: { readonly group: Group }) {
  return (
    <span class="muted">
      <Mark of={dead > 0 ? "dead" : "healthy"} bare /> {counted(count, "letter")} with one error,{" "}
      {dead === count ? "all still dead" : dead === 0 ? "none still dead" : `${countText(dead)} still dead`},
      the newest for <Age since={newest} />, the oldest for <Age since={oldest} />
    </span>
  );
}

function countOf(letters: Letters | undefined): string | undefined {
  if (letters === undefined) return undefined;
  const { items, group, next } = letters;
  if (group !== undefined) return counted(group.count, "letter");
  return counted(items.length, "letter") + (next === undefined ? "" : " and more");
}

function ActionsOn({ group }: { readonly group: Group | undefined }) {
  return (
    <BulkActions
      selection={
        group && {
          function: group.function,
          select: { group: group.id },
          count: group.count,
          dead: group.dead,
          which: "with this error",
        }
      }
    />
  );
}

/** Shows where the keys of a function are, and what holds them up: those that were requeued wait for their turn. */
function QueuePart({ name }: { readonly name: string }) {
  const hasQueue = useRoute("GET /queue") === true && name !== "";
  const answer = useTopic<QueueAnswer>(hasQueue ? "queue" : undefined);
  const item = answer.body?.items.find((each) => each.function === name);
  if (!hasQueue || (answer.body !== undefined && item === undefined)) return null;
  return (
    <Part title="Keys in the queue" answer={answer}>
      {() =>
        item !== undefined && (
          <p class="sheet say">
            <Mark of={queueState(item).mark} bare /> <a href={pathOf("queue", name)}>{queueCounts(item)}</a>
            {queueHold(item) !== undefined && `. ${queueHold(item)}`}
          </p>
        )
      }
    </Part>
  );
}
