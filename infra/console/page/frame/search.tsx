import { useEffect, useRef, useState } from "preact/hooks";
import type { ErrorBody, SearchAnswer } from "../../api/page.ts";
import { ask } from "../data/ask.ts";
import { Foreign } from "../parts/text.tsx";
import { goTo } from "../place/location.ts";
import { hrefOf } from "../place/place.ts";
import { counted } from "../text/words.ts";
import { Dialog } from "./dialog.tsx";

type Item = SearchAnswer["items"][number];

/** Finds objects, functions, letters and runs by a part of their names. */
export function Search({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
  const query = text.trim();
  /** The text for which Enter was pressed before its answer was there. */
  const awaited = useRef<string | undefined>(undefined);
  const open = ({ place }: Item): void => {
    close();
    goTo(hrefOf(place));
  };
  const found = useFound(query, ({ of, items: [first] = [] }) => {
    if (awaited.current === of && first !== undefined) open(first);
  });
  const openFirst = (): void => {
    const [first] = found.of === query ? (found.items ?? []) : [];
    awaited.current = query;
    if (first !== undefined) open(first);
  };
  return (
    <Dialog title="Find" close={close}>
      <input
        class="seek-text"
        type="search"
        aria-label="Name of an object, a function, a letter or a run"
        placeholder="Object, function, letter or run id"
        maxLength={200}
        autofocus
        value={text}
        onInput={({ currentTarget }) => setText(currentTarget.value)}
        onKeyDown={(event) => stepToResults(event, openFirst)}
      />
      {query === "" ? (
        <p class="say">
          Type a part of a name: <code>demo</code>, <code>machine-node</code>, a run id.
        </p>
      ) : (
        <Results query={query} {...found} open={open} />
      )}
    </Dialog>
  );
}

interface ResultsProps extends ReturnType<typeof useFound> {
  readonly query: string;
  readonly open: (item: Item) => void;
}

function Results({ query, of, items, error, open }: ResultsProps) {
  if (error !== undefined) return <p class="say">{error.message}</p>;
  if (items === undefined) return <p class="say">Searching</p>;
  if (items.length === 0)
    return (
      <p class="say" role="status">
        Nothing has <Foreign text={of} /> in its name, among what you may see.
      </p>
    );
  return (
    <>
      <p class="unseen" role="status">
        {counted(items.length, "result")}
      </p>
      <ul class="found" aria-busy={of !== query}>
        {items.map((item) => (
          <li key={`${hrefOf(item.place)} ${item.title}`}>
            <a
              href={hrefOf(item.place)}
              onClick={(event) => {
                event.preventDefault();
                open(item);
              }}
              onKeyDown={(event) => stepToResults(event)}
            >
              <span>
                <small>{item.place.type}</small> <Foreign text={item.title} />
              </span>
              {item.hint !== undefined && <Foreign text={item.hint} maxChars={120} />}
            </a>
          </li>
        ))}
      </ul>
    </>
  );
}

/** The arrows lead from the field through the results, Enter in the field opens the first one. */
function stepToResults(event: KeyboardEvent, openFirst?: () => void): void {
  const field = event.currentTarget as HTMLElement;
  const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (event.key === "Enter" && openFirst !== undefined) openFirst();
  else if (by === undefined) return;
  const places = [...(field.closest("dialog")?.querySelectorAll<HTMLElement>("input, .found a") ?? [])];
  if (by !== undefined) places[places.indexOf(field) + by]?.focus();
  event.preventDefault();
}

/** Results for a text; those of the text before stay until the answer is there. */
interface Found {
  readonly of: string;
  readonly items?: SearchAnswer["items"];
  readonly error?: ErrorBody;
}

/** Keys that follow each other so soon are one question. */
const PAUSE_MS = 60;

/** Searches for a text; an empty one finds nothing. `onFound` is called with each answer. */
function useFound(text: string, onFound: (found: Found) => void): Found {
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
