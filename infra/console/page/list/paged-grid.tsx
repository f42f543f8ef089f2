import type { ComponentChildren } from "preact";
import { Grid, type GridProps } from "./grid.tsx";
import { type List, usePages } from "./use-pages.ts";

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
