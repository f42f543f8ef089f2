import type { LetterItem, Letters } from "../../api/letters.ts";
import { type Column, Grid } from "../list/grid.tsx";
import { usePages } from "../list/use-pages.ts";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { pathOf } from "../place/place.ts";
import { countText } from "../text/amounts.ts";
import { objectOfKey } from "../text/keys.ts";
import { LETTER_MARKS } from "./letter-marks.ts";
import { NoLetter } from "./no-letter.tsx";

interface Props {
  readonly topic: string;
  readonly letters: Letters;
  /** They are those of one error or function. */
  readonly isFiltered: boolean;
}

/** Dead letters one by one. */
export function LetterTable({ topic, letters, isFiltered }: Props) {
  const { rows, more } = usePages<LetterItem>(topic, letters, idOf);
  if (rows.length === 0) return <NoLetter isFiltered={isFiltered} />;
  return (
    <Grid
      label="Dead letters"
      one="letter"
      of={topic}
      rows={rows}
      columns={COLUMNS}
      idOf={idOf}
      more={more}
    />
  );
}

const COLUMNS: readonly Column<LetterItem>[] = [
  {
    title: "Object",
    width: "minmax(200px, 320px)",
    narrow: "first",
    cell: ({ function: name, key, state }) => (
      <span class="named">
        <Mark of={LETTER_MARKS[state]} />
        <a href={pathOf("letters", name, key)}>
          <Foreign text={objectOfKey(key)} maxChars={120} />
        </a>
      </span>
    ),
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

function idOf({ function: name, key }: LetterItem): string {
  return `${name} ${key}`;
}
