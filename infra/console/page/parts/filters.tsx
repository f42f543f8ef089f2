import { useEffect, useRef } from "preact/hooks";
import { setQuery } from "../place/location.ts";
import { countText } from "../text/words.ts";
import type { MarkName } from "./mark-names.ts";
import { Mark } from "./text.tsx";

interface Props {
  /** Parameter of the address that holds the text. */
  readonly name: string;
  readonly value: string;
  readonly label: string;
}

/** A field whose text stands in the address; `/` leads to it. */
export function Filter({ name, value, label }: Props) {
  const field = useRef<HTMLInputElement>(null);
  // The address changes without the field when a person goes back.
  useEffect(() => {
    if (field.current !== null && field.current !== document.activeElement) field.current.value = value;
  }, [value]);
  return (
    <input
      ref={field}
      class="filter"
      type="search"
      data-filter=""
      aria-label={label}
      placeholder={`${label}  ( / )`}
      maxLength={200}
      defaultValue={value}
      onInput={({ currentTarget }) => setQuery(name, currentTarget.value)}
    />
  );
}

interface Chip {
  readonly title: string;
  readonly count: number | undefined;
  readonly href: string;
  readonly isOn: boolean;
  readonly mark?: MarkName;
}

/** Filters with the count of what each leaves. */
export function Chips({ label, chips }: { readonly label: string; readonly chips: readonly Chip[] }) {
  return (
    <nav aria-label={label}>
      <ul class="chips">
        {chips.map(({ title, count, href, isOn, mark }) => (
          <li key={title}>
            <a href={href} aria-current={isOn ? "true" : undefined} class={count === 0 ? "none" : ""}>
              {mark !== undefined && <Mark of={mark} bare isOwnWord />}
              {title} {count !== undefined && <b>{countText(count)}</b>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
