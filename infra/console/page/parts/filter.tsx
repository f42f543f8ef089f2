import { useEffect, useRef } from "preact/hooks";
import { setQuery } from "../place/location.ts";

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
