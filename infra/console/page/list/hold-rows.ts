/** Rows as a reader sees them. */
export interface HeldRows<Row> {
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
