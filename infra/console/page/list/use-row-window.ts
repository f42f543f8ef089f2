import { useLayoutEffect, useState } from "preact/hooks";
import { type RowWindow, windowRows } from "./window-rows.ts";

/** Follows the scrolling of the page and returns the rows of the list in `element` that must be in the document. */
export function useRowWindow(
  element: { readonly current: HTMLElement | null },
  count: number,
  rowHeight: number,
): RowWindow {
  // Before its place is known, as if it began at the upper edge.
  const [range, setRange] = useState<RowWindow>(() => windowRows(count, 0, rowHeight, innerHeight));
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current === null) return;
      const { top } = element.current.getBoundingClientRect();
      const next = windowRows(count, top, rowHeight, innerHeight);
      setRange((before) => (before.first === next.first && before.end === next.end ? before : next));
    };
    measure();
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [count, rowHeight]);
  return range;
}
