import { useEffect, useState } from "preact/hooks";

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
