import { useState } from "preact/hooks";
import type { LetterAnswer, LetterItem, ReplayAnswer } from "../../api/letters.ts";
import { LetterActions } from "../actions/action-buttons.tsx";
import { useOnce, useRoute, useTopic } from "../data/hooks.ts";
import { LetterFacts } from "../letters/letter-facts.tsx";
import { LETTER_MARKS } from "../letters/letter-table.tsx";
import { Commands, Table, type TableColumn, Wide } from "../parts/facts.tsx";
import { Crumbs } from "../parts/links.tsx";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { hrefOf, pathOf } from "../place/place.ts";
import { counted, objectOfKey } from "../text/words.ts";

interface Props {
  readonly name: string;
  readonly of: string;
}

/** A dead letter: what failed, what led there, what it read and wrote, and what a replay decides now. */
export function Letter({ name, of }: Props) {
  const path = pathOf("letters", name, of).slice(1);
  const answer = useTopic<LetterAnswer>(path);
  const head = answer.body?.head;
  return (
    <>
      <Crumbs
        of={[
          { title: "Dead letters", href: "/letters" },
          { title: name, href: `/letters?${new URLSearchParams({ function: name })}` },
        ]}
      />
      <div class="head">
        <h1>
          {head !== undefined && <Mark of={LETTER_MARKS[head.state]} />}
          {answer.body?.object === undefined ? (
            <Foreign text={objectOfKey(of)} maxChars={200} />
          ) : (
            <a href={hrefOf(answer.body.object)}>
              <Foreign text={objectOfKey(of)} maxChars={200} />
            </a>
          )}
        </h1>
        {head !== undefined && <StateLine head={head} />}
        <LetterActions head={head} />
      </div>
      <Part title="Failure" answer={answer}>
        {({ head: { error, reason } }) => (
          <p class="sheet error-of">
            <span class="bad">
              <Foreign text={error} maxChars={2_000} lines />
            </span>{" "}
            <span class="muted">
              <Foreign text={reason} />
            </span>
          </p>
        )}
      </Part>
      <ReplayPart path={path} isRecorded={head?.recorded === true} />
      {answer.body?.letter !== undefined && <LetterFacts letter={answer.body.letter} />}
      <Part title="On the command line" answer={answer}>
        {({ commands }) => <Commands commands={commands} />}
      </Part>
    </>
  );
}

function StateLine({ head: { state, deadSince, times, recorded } }: { readonly head: LetterItem }) {
  return (
    <span class="muted">
      {STATES[state]} <Age since={deadSince} />
      {times > 1 && `, ${counted(times, "time")}`}
      {!recorded && "; its letter is gone or was never written"}
    </span>
  );
}
const STATES = {
  dead: "dead for",
  revived: "revived: it waits for a run, or fails again; it was dead since",
  resolved: "resolved: it has run since; it was dead since",
  unknown: "the queue cannot be asked; dead since",
} as const;

/** A replay takes up to 2 s of a processor of the server, so it is made only when a person asks. */
function ReplayPart({ path, isRecorded }: { readonly path: string; readonly isRecorded: boolean }) {
  const hasReplay = useRoute("GET /letters/{function}/{key}/replay");
  const [isOpen, open] = useState(false);
  if (hasReplay !== true || !isRecorded) return null;
  if (isOpen) return <OpenReplay path={path} />;
  return (
    <section class="part" aria-label="Replay">
      <header>
        <h2>Replay</h2>
        <button type="button" class="button" onClick={() => open(true)}>
          Run it again on what it read
        </button>
        <span class="aside">changes nothing: no request is sent</span>
      </header>
    </section>
  );
}

function OpenReplay({ path }: { readonly path: string }) {
  const answer = useOnce<ReplayAnswer>(`${path}/replay`);
  return (
    <Part title="Replay" answer={answer}>
      {(replay) => <Replay replay={replay} />}
    </Part>
  );
}

const VERDICTS: { readonly [verdict in ReplayAnswer["verdict"]]: string } = {
  reproduced: "It fails again as it did.",
  different: "It decides something else now.",
  "not replayable": "It cannot be replayed.",
  cut: "The replay was cut off.",
};

/** The decision then and now side by side; lines that differ are marked. */
function Replay({ replay: { verdict, why, lines = [] } }: { readonly replay: ReplayAnswer }) {
  return (
    <div class="sheet replay">
      <p class="say">
        <b>{VERDICTS[verdict]}</b> {why !== undefined && <Foreign text={why} />}
      </p>
      {lines.length > 0 && (
        <Wide label="Decisions side by side">
          <Table
            columns={DECISION_COLUMNS}
            rows={lines.map((line, at) => ({ ...line, at }))}
            idOf={({ at }) => `${at}`}
            rowClass={({ same }) => (same ? "" : "differs")}
          />
        </Wide>
      )}
    </div>
  );
}

const DECISION_COLUMNS: readonly TableColumn<NonNullable<ReplayAnswer["lines"]>[number]>[] = [
  { title: "Then", cell: ({ left }) => left !== undefined && <Foreign text={left} lines /> },
  {
    title: <span class="unseen">Difference</span>,
    class: "sign",
    cell: ({ left, right, same }) => (same ? "" : signOf(left, right)),
  },
  { title: "Now", cell: ({ right }) => right !== undefined && <Foreign text={right} lines /> },
];

function signOf(left: string | undefined, right: string | undefined): string {
  if (left === undefined) return ">";
  return right === undefined ? "<" : "|";
}
