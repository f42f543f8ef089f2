import { useReducer, useRef } from "preact/hooks";
import { type HeldRows, holdRows } from "./hold-rows.ts";

interface ShownRows<Row> extends HeldRows<Row> {
  /** Shows the newest list as it is. */
  readonly showNewest: () => void;
}

interface Memory<Row> {
  /** Identifies the list: another filter is another list. */
  readonly of: string;
  readonly newest: readonly Row[];
  readonly held: HeldRows<Row>;
}

/** Follows a list, but leaves its rows in their places while `isRead` says that a person reads them. */
export function useHeldRows<Row>(
  of: string,
  newest: readonly Row[],
  idOf: (row: Row) => string,
  isRead: () => boolean,
): ShownRows<Row> {
  const memory = useRef<Memory<Row> | undefined>(undefined);
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  const before = memory.current;
  if (before?.of !== of || (before.newest !== newest && !isRead())) {
    memory.current = { of, newest, held: asTheyAre(newest) };
  } else if (before.newest !== newest) {
    memory.current = { of, newest, held: holdRows(before.held.rows, newest, idOf) };
  }
  const held = memory.current?.held ?? asTheyAre(newest);
  const showNewest = () => {
    memory.current = { of, newest, held: asTheyAre(newest) };
    redraw(undefined);
  };
  return { ...held, showNewest };
}

function asTheyAre<Row>(rows: readonly Row[]): HeldRows<Row> {
  return { rows, gone: new Set(), waiting: 0 };
}
