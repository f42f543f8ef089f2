import type { LetterItem, Letters } from "../../api/letters.ts";
import type { Column } from "../list/grid.tsx";
import { PagedGrid } from "../list/paged-grid.tsx";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { countText } from "../text/amounts.ts";
import { LetterLink, letterId } from "./letter-link.tsx";
import { LETTER_MARKS } from "./letter-marks.ts";
import { NoLetter } from "./no-letter.tsx";

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
