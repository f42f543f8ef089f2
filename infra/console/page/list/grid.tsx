import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Age } from "../parts/age.tsx";
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

export interface GridProps<Row> {
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
