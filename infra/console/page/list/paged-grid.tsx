import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { ask } from "../data/ask.ts";
import { Grid, type GridProps } from "./grid.tsx";

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
