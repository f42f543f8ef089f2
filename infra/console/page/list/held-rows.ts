import { useReducer, useRef } from "preact/hooks";

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

/** Rows as a reader sees them. */
interface HeldRows<Row> {
  readonly rows: readonly Row[];
  /** Ids of rows that the newest list no longer has. */
  readonly gone: ReadonlySet<string>;
  /** Rows of the newest list that are not shown yet. */
  readonly waiting: number;
}

/**
 * Keeps rows in their places while a person reads them: rows that are shown get their new content and stay, rows that
 * the newest list lacks stay as `gone`, and new rows wait. Only rows behind the last one are added: they move none.
 */
export function holdRows<Row>(
  shown: readonly Row[],
  newest: readonly Row[],
  idOf: (row: Row) => string,
): HeldRows<Row> {
  const byId = new Map(newest.map((row) => [idOf(row), row]));
  const ids = new Set(shown.map(idOf));
  const gone = new Set([...ids].filter((id) => !byId.has(id)));
  const last = newest.findLastIndex((row) => ids.has(idOf(row)));
  const behind = last === -1 ? [] : newest.slice(last + 1);
  const rows = [...shown.map((row) => byId.get(idOf(row)) ?? row), ...behind];
  return { rows, gone, waiting: byId.size + gone.size - rows.length };
}
