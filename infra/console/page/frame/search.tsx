import { useState } from "preact/hooks";
import type { SearchAnswer } from "../../api/search.ts";
import { useTopic } from "../data/hooks.ts";
import { Foreign } from "../parts/foreign.tsx";
import { goTo } from "../place/location.ts";
import { hrefOf } from "../place/place.ts";
import { Dialog } from "./dialog.tsx";

/** Finds objects, functions, letters and runs by a part of their names (W-109). */
export function Search({ close }: { readonly close: () => void }) {
  const [text, setText] = useState("");
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
        onKeyDown={stepToResults}
      />
      {text.trim() === "" ? (
        <p class="say">
          Type a part of a name: <code>demo</code>, <code>machine-node</code>, a run id.
        </p>
      ) : (
        <Results query={text.trim()} close={close} />
      )}
    </Dialog>
  );
}

function Results({ query, close }: { readonly query: string; readonly close: () => void }) {
  const { body, error } = useTopic<SearchAnswer>(`search?${new URLSearchParams({ q: query })}`);
  if (body === undefined) return <p class="say">{error === undefined ? "Searching" : error.message}</p>;
  if (body.items.length === 0)
    return (
      <p class="say">
        Nothing has <Foreign text={query} /> in its name, among what you may see.
      </p>
    );
  return (
    <ul class="found">
      {body.items.map(({ place, title, hint }) => (
        <li key={hrefOf(place)}>
          <a
            href={hrefOf(place)}
            onClick={(event) => {
              event.preventDefault();
              close();
              goTo(hrefOf(place));
            }}
            onKeyDown={stepToResults}
          >
            <span>
              <small>{place.type}</small> <Foreign text={title} />
            </span>
            {hint !== undefined && <Foreign text={hint} maxChars={120} />}
          </a>
        </li>
      ))}
    </ul>
  );
}

/** The arrows lead from the field through the results, Enter in the field opens the first one. */
function stepToResults(event: KeyboardEvent): void {
  const by = { ArrowDown: 1, ArrowUp: -1, Enter: 1 }[event.key];
  const field = event.currentTarget as HTMLElement;
  if (by === undefined || (event.key === "Enter" && field.tagName === "A")) return;
  const places = [...(field.closest("dialog")?.querySelectorAll<HTMLElement>("input, .found a") ?? [])];
  const next = places[places.indexOf(field) + by];
  if (event.key === "Enter") next?.click();
  else next?.focus();
  event.preventDefault();
}
