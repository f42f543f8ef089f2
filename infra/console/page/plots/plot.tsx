import { useEffect, useRef, useState } from "preact/hooks";
import { type DrawnPlot, drawPlot } from "./draw-plot.ts";
import { type HourRow, type PlotSpec, summaryOf } from "./series.ts";

interface Props {
  readonly plot: PlotSpec;
  /** Oldest first. */
  readonly rows: readonly HourRow[];
}

/** Lines over the last hour, with their newest values, or those under the pointer. The table beside it has the same. */
export function Plot({ plot, rows }: Props) {
  const { title, series, textOf } = plot;
  const place = useRef<HTMLDivElement>(null);
  const [at, point] = useState<number | undefined>();
  const isDrawn = useDrawn(place, plot, rows, point);
  const shown = at === undefined ? undefined : rows[at];
  return (
    <figure class="plot">
      <figcaption>
        <h3>{title}</h3>
        <ul>
          {series.map((one) => {
            const value = shown === undefined ? summaryOf(rows, one.of).newest : (shown[one.of] ?? undefined);
            return (
              <li key={one.of}>
                <i class={`${one.tone}${one.isDashed ? " dashed" : ""}`} aria-hidden="true" />
                {one.title} <b>{value === undefined ? "not known" : textOf(value)}</b>
              </li>
            );
          })}
        </ul>
      </figcaption>
      <div
        ref={place}
        class="lines-of"
        role="img"
        aria-label={`${title}, the last hour: ${inWords(plot, rows)}`}
      />
      {!isDrawn && <p class="muted">The plot cannot be loaded; the table has the same.</p>}
    </figure>
  );
}

/** Keeps a plot drawn while the component is shown; false when it cannot be. */
function useDrawn(
  place: { readonly current: HTMLElement | null },
  plot: PlotSpec,
  rows: readonly HourRow[],
  onPoint: (at: number | undefined) => void,
): boolean {
  const drawn = useRef<DrawnPlot | undefined>(undefined);
  const newest = useRef(rows);
  const [canDraw, setDraws] = useState(true);
  useEffect(() => {
    let isGone = false;
    const draw = async (): Promise<void> => {
      if (place.current === null) return;
      const made = await drawPlot(place.current, plot, rows, onPoint);
      if (isGone) return made[Symbol.dispose]();
      drawn.current = made;
      made.update(newest.current);
    };
    draw().catch(() => setDraws(false));
    return () => {
      isGone = true;
      drawn.current?.[Symbol.dispose]();
    };
  }, [plot]);
  useEffect(() => {
    newest.current = rows;
    drawn.current?.update(rows);
  }, [rows]);
  return canDraw;
}

/** Returns `Runs at most 8.2, Failures at most 0`. */
function inWords({ series, textOf }: PlotSpec, rows: readonly HourRow[]): string {
  return series
    .map((one) => {
      const { greatest } = summaryOf(rows, one.of);
      return `${one.title} ${greatest === undefined ? "not known" : `up to ${textOf(greatest)}`}`;
    })
    .join(", ");
}
