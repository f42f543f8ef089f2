import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorBody } from "../../api/error.ts";
import type { SearchAnswer } from "../../api/search.ts";
import { ask } from "../data/ask.ts";

/** Results for a text; those of the text before stay until the answer is there. */
interface Found {
  readonly of: string;
  readonly items?: SearchAnswer["items"];
  readonly error?: ErrorBody;
}

/** Keys that follow each other so soon are one question. */
const PAUSE_MS = 60;

/** Searches for a text; an empty one finds nothing. `onFound` is called with each answer. */
export function useFound(text: string, onFound: (found: Found) => void): Found {
  const [found, setFound] = useState<Found>({ of: "" });
  const newest = useRef(onFound);
  newest.current = onFound;
  useEffect(() => {
    if (text === "") return;
    const stop = new AbortController();
    const search = async (): Promise<void> => {
      const asked = await ask(`search?${new URLSearchParams({ q: text })}`, undefined, stop.signal);
      if (stop.signal.aborted) return;
      const next = { of: text, ...("body" in asked ? (asked.body as SearchAnswer) : asked) };
      setFound(next);
      newest.current(next);
    };
    const timer = setTimeout(() => void search(), PAUSE_MS);
    return () => {
      clearTimeout(timer);
      stop.abort();
    };
  }, [text]);
  return found;
}
