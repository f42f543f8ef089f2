import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../data/ask.ts";
import { Age } from "../parts/text.tsx";
import { counted } from "../text/words.ts";
import { useHeldRows } from "./held-rows.ts";
import { useNarrow, useRowWindow } from "./screen.ts";

export interface Column<Row> {
  readonly title: string;
  /** The width in a CSS grid: `90px`, `minmax(160px, 2fr)`. */
  readonly width: string;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Sorts by this column. */
  readonly href?: string | undefined;
  readonly isSorted?: boolean;
  /** Place on a narrow screen, where a row has two lines: at the beginning or end of the first, or the second. Absent: left out. */
  readonly narrow?: "first" | "end" | "second";
}

interface GridProps<Row> {
  /** Title for screen readers. */
  readonly label: string;
  /** Identifies the list: another filter is another list. */
  readonly of: string;
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row>[];
  readonly idOf: (row: Row) => string;
  /** The name of one row: `Cluster`. */
  readonly one: string;
  /** There are more rows: called when the end comes near. */
  readonly more?: (() => void) | undefined;
}

const ROW_PX = 32;
const NARROW_ROW_PX = 54;

/** A table of any length: only the rows on the screen are in the document, and none moves while it is read. */
export function Grid<Row>({ label, of, rows: newest, columns, idOf, one, more }: GridProps<Row>) {
  const list = useRef<HTMLDivElement>(null);
  const rowPx = useNarrow() ? NARROW_ROW_PX : ROW_PX;
  const isRead = () => list.current !== null && isReading(list.current);
  const { rows, gone, waiting, showNewest } = useHeldRows(of, newest, idOf, isRead);
  const { first, end } = useRowWindow(list, rows.length, rowPx);
  if (more !== undefined && end >= rows.length - 20) queueMicrotask(more);
  const tracks = { gridTemplateColumns: columns.map(({ width }) => width).join(" ") };
  return (
    <div class="sheet grid">
      {waiting + gone.size > 0 && (
        <button type="button" class="newer" onClick={showNewest}>
          {waiting > 0 ? `${waiting} new` : `${counted(gone.size, one)} left the list`}
        </button>
      )}
      <div role="grid" aria-label={label} aria-rowcount={rows.length + 1}>
        <div class="titles" role="rowgroup">
          <div role="row" aria-rowindex={1} style={tracks}>
            {columns.map(({ title, isNumber, href, isSorted }) => (
              <span
                key={title}
                role="columnheader"
                class={isNumber === true ? "number" : ""}
                aria-sort={isSorted === true ? "other" : undefined}
              >
                {href === undefined ? title : <a href={href}>{title}</a>}
              </span>
            ))}
          </div>
        </div>
        <div ref={list} class="rows" role="rowgroup" style={{ height: `${rows.length * rowPx}px` }}>
          <div style={{ transform: `translateY(${first * rowPx}px)` }} role="presentation">
            {rows.slice(first, end).map((row, at) => (
              <div
                key={idOf(row)}
                role="row"
                aria-rowindex={first + at + 2}
                class={gone.has(idOf(row)) ? "row gone" : "row"}
                style={tracks}
                tabIndex={first + at === 0 ? 0 : -1}
                data-row=""
              >
                {columns.map((column) => (
                  <span key={column.title} role="gridcell" class={classOf(column)}>
                    {column.cell(row)}
                  </span>
                ))}
              </div>
            ))}
          </div>
        </div>
      </div>
    </div>
  );
}

function classOf({ isNumber, narrow }: Column<never>): string {
  return `${isNumber === true ? "number " : ""}${narrow ?? "out"}`;
}

/** A list is read while it is scrolled, while a row has the focus, and while the pointer is on it. */
function isReading(list: HTMLElement): boolean {
  return (
    list.getBoundingClientRect().top < 0 || list.contains(document.activeElement) || list.matches(":hover")
  );
}

/** How long a row has been as it is. */
export const SINCE: Column<{ readonly since?: string | undefined }> = {
  title: "Since",
  width: "56px",
  isNumber: true,
  narrow: "end",
  cell: ({ since }) => since !== undefined && <Age since={since} />,
};

interface Props<Row> extends Pick<GridProps<Row>, "label" | "one" | "columns" | "idOf"> {
  /** Path with a query: the pages behind the first one are asked for below it. */
  readonly topic: string;
  readonly first: List<Row>;
  /** The content in place of a table without rows. */
  readonly empty: ComponentChildren;
}

/** A table whose further pages are read when a person comes near their place. */
export function PagedGrid<Row>({ topic, first, empty, ...grid }: Props<Row>) {
  const { rows, more } = usePages<Row>(topic, first, grid.idOf);
  return rows.length === 0 ? empty : <Grid {...grid} of={topic} rows={rows} more={more} />;
}

/** A page of a list. */
interface List<Row> {
  readonly items: readonly Row[];
  /** The cursor of the next page; absent where this is the last page. */
  readonly next?: string | undefined;
}

interface Paged<Row> {
  readonly rows: readonly Row[];
  /** Reads the page behind the last one; absent when there is none. */
  readonly more: (() => void) | undefined;
}

interface Later<Row> {
  readonly of: string;
  readonly pages: readonly List<Row>[];
}

/**
 * Adds the pages behind the first one, read when a person comes near their place. The first page is the one of the topic,
 * which stays current; the others are as they were read. A row that is in two pages is shown once.
 */
export function usePages<Row>(topic: string, first: List<Row>, idOf: (row: Row) => string): Paged<Row> {
  const [later, setLater] = useState<Later<Row>>({ of: topic, pages: [] });
  const asked = useRef("");
  useEffect(() => {
    asked.current = "";
  }, [topic]);
  const pages = later.of === topic ? later.pages : NONE;
  const { next } = pages.at(-1) ?? first;
  const more = (): void => {
    if (next === undefined || asked.current === next) return;
    asked.current = next;
    void ask(`${topic}&${new URLSearchParams({ next })}`).then((answer) => {
      if (!("body" in answer)) {
        asked.current = "";
        return;
      }
      setLater({ of: topic, pages: [...pages, answer.body as List<Row>] });
    });
  };
  const rows = useMemo(() => onceEach([first, ...pages], idOf), [first, pages]);
  return { rows, more: next === undefined ? undefined : more };
}
const NONE: readonly never[] = [];

function onceEach<Row>(pages: readonly List<Row>[], idOf: (row: Row) => string): readonly Row[] {
  const rows = new Map<string, Row>();
  for (const row of pages.flatMap(({ items }) => items)) if (!rows.has(idOf(row))) rows.set(idOf(row), row);
  return [...rows.values()];
}
