import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { FIRST_ROWS, type RowWindow, windowRows } from "./window-rows.ts";

const NARROW = matchMedia("(max-width: 880px)");

/** Whether the screen is narrower than a table: rows have two lines then. The same limit as in the styles. */
export function useNarrow(): boolean {
  const [isNarrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const changed = () => setNarrow(NARROW.matches);
    NARROW.addEventListener("change", changed);
    return () => NARROW.removeEventListener("change", changed);
  }, []);
  return isNarrow;
}

/**
 * Returns the rows of the list in `element` that must be in the document. Of a new list these are the first ones, and
 * once they are painted all of them; from then on it follows the scrolling and the height of the page, since what stands
 * above the list moves it too.
 */
export function useRowWindow(
  element: { readonly current: HTMLElement | null },
  count: number,
  rowHeight: number,
): RowWindow {
  const [range, setRange] = useState<RowWindow | undefined>();
  const isNew = range === undefined;
  useLayoutEffect(() => {
    const measure = () => {
      if (element.current === null) return;
      const { top } = element.current.getBoundingClientRect();
      const next = windowRows(count, top, rowHeight, innerHeight);
      setRange((before) => (before?.first === next.first && before.end === next.end ? before : next));
    };
    const cancel = isNew ? afterFrame(measure) : undefined;
    const grows = new ResizeObserver(measure);
    if (!isNew) {
      measure();
      grows.observe(document.body);
    }
    addEventListener("scroll", measure, { passive: true });
    addEventListener("resize", measure);
    return () => {
      cancel?.();
      grows.disconnect();
      removeEventListener("scroll", measure);
      removeEventListener("resize", measure);
    };
  }, [count, rowHeight, isNew]);
  return range ?? { first: 0, end: Math.min(count, FIRST_ROWS) };
}

/**
 * Calls back in a task of its own behind the next frame: in the frame itself the places of what is new would have to be
 * worked out first, and it would take as long as both. Returns how to cancel it.
 */
function afterFrame(call: () => void): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const frame = requestAnimationFrame(() => {
    timer = setTimeout(call);
  });
  return () => {
    cancelAnimationFrame(frame);
    clearTimeout(timer);
  };
}
