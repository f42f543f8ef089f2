import type { ComponentChildren } from "preact";
import type { LetterItem, Letters } from "../../api/letters.ts";
import { type Column, PagedGrid } from "../list/grid.tsx";
import type { MarkName } from "../parts/mark-names.ts";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { pathOf } from "../place/place.ts";
import { countText, objectOfKey } from "../text/words.ts";

interface Props {
  readonly topic: string;
  readonly letters: Letters;
  /** They are those of one error or function. */
  readonly isFiltered: boolean;
}

/** Shows dead letters one by one. */
export function LetterTable({ topic, letters, isFiltered }: Props) {
  return (
    <PagedGrid
      topic={topic}
      first={letters}
      label="Dead letters"
      one="letter"
      columns={COLUMNS}
      idOf={letterId}
      empty={<NoLetter isFiltered={isFiltered} />}
    />
  );
}

const COLUMNS: readonly Column<LetterItem>[] = [
  {
    title: "Object",
    width: "minmax(200px, 320px)",
    narrow: "first",
    cell: (letter) => <LetterLink of={letter} mark={<Mark of={LETTER_MARKS[letter.state]} />} />,
  },
  { title: "Function", width: "minmax(120px, 180px)", cell: ({ function: name }) => <Foreign text={name} /> },
  {
    title: "Error",
    width: "minmax(160px, 1fr)",
    narrow: "second",
    cell: ({ error, recorded }) => (
      <>
        {!recorded && <span class="muted">(no letter) </span>}
        <Foreign text={error} />
      </>
    ),
  },
  { title: "Times", width: "56px", isNumber: true, cell: ({ times }) => countText(times) },
  {
    title: "Dead for",
    width: "64px",
    isNumber: true,
    narrow: "end",
    cell: ({ deadSince }) => <Age since={deadSince} />,
  },
];

/** How the key of a letter stands. */
export const LETTER_MARKS: { readonly [state in LetterItem["state"]]: MarkName } = {
  dead: "dead",
  revived: "progressing",
  resolved: "healthy",
  unknown: "unknown",
};

/** Shows a text where no letter is: at all, or of one error or function. */
export function NoLetter({ isFiltered = false }: { readonly isFiltered?: boolean }) {
  if (isFiltered)
    return (
      <p class="sheet say">
        <Mark of="healthy" bare /> <b>No letter is left here.</b> <a href="/letters">All dead letters</a>
      </p>
    );
  return (
    <p class="sheet say">
      <Mark of="healthy" bare /> <b>No dead letter.</b> No function has given up.
    </p>
  );
}

interface LetterLinkProps {
  readonly of: { readonly function: string; readonly key: string };
  readonly mark: ComponentChildren;
}

/** The object of a dead letter behind its mark, as a link to the letter. */
export function LetterLink({ of: { function: name, key }, mark }: LetterLinkProps) {
  return (
    <span class="named">
      {mark}
      <a href={pathOf("letters", name, key)}>
        <Foreign text={objectOfKey(key)} maxChars={120} />
      </a>
    </span>
  );
}

/** Identifies a letter among those of all functions. */
export function letterId({ function: name, key }: LetterLinkProps["of"]): string {
  return `${name} ${key}`;
}
