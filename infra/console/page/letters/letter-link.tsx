import type { ComponentChildren } from "preact";
import { Foreign } from "../parts/foreign.tsx";
import { pathOf } from "../place/place.ts";
import { objectOfKey } from "../text/keys.ts";

interface Props {
  readonly of: { readonly function: string; readonly key: string };
  readonly mark: ComponentChildren;
}

/** The object of a dead letter behind its mark, as a link to the letter. */
export function LetterLink({ of: { function: name, key }, mark }: Props) {
  return (
    <span class="named">
      {mark}
      <a href={pathOf("letters", name, key)}>
        <Foreign text={objectOfKey(key)} maxChars={120} />
      </a>
    </span>
  );
}

/** Identifies a letter among those of all functions. */
export function letterId({ function: name, key }: Props["of"]): string {
  return `${name} ${key}`;
}
