import { useLayoutEffect, useState } from "preact/hooks";
import { type RowWindow, windowRows } from "./window-rows.ts";

/** Rows that are drawn at once when a list appears: all of a screen would hold up the page for longer than 50 ms (W-602). */
const FIRST_ROWS = 12;

/**
 * Follows the scrolling of the page and returns the rows of the list in `element` that must be in the document. Of a new
 * list these are the first ones, and with the next frame all of them.
 */
export function useRowWindow(
  element: { readonly current: HTMLElement | null },
  count: number,
  rowHeight: number,
): RowWindow {
  const [range, setRange] = useState<RowWindow | undefined>();
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current === null) return;
      const { top } = element.current.getBoundingClientRect();
      const next = windowRows(count, top, rowHeight, innerHeight);
      setRange((before) => (before?.first === next.first && before.end === next.end ? before : next));
    };
    const frame = range === undefined ? requestAnimationFrame(measure) : undefined;
    if (frame === undefined) measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame);
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [count, rowHeight]);
  return range ?? { first: 0, end: Math.min(count, FIRST_ROWS) };
}
