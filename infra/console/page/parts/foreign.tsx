import { useState } from "preact/hooks";
import { escaped, escapedLines } from "../../../platform/terminal/escape.ts";

/** Longer texts are cut until the person asks for all of them. */
const MAX_CHARS = 300;
/** The most that is shown at all: more in one element makes every browser slow. */
const MOST_CHARS = 20_000;

interface Props {
  readonly text: string;
  /** Line breaks are kept: stacks, bodies of requests. */
  readonly lines?: boolean;
  readonly maxChars?: number;
}

/**
 * Shows text from outside: names, messages, reasons. Control and bidirectional characters are drawn as codes, the
 * direction of the text does not reach its neighbours, and long texts are cut.
 */
export function Foreign({ text, lines = false, maxChars = MAX_CHARS }: Props) {
  const [all, showAll] = useState(false);
  const shown = text.slice(0, all ? MOST_CHARS : maxChars);
  // In a line of text a line break is a space; all other control characters are shown as codes.
  const draw = lines ? escapedLines : (one: string) => escaped(one.replace(/\s*\n\s*/g, " "));
  const left = text.length - shown.length;
  return (
    <bdi class="foreign">
      {draw(shown)}
      {left > 0 && !all && (
        <button type="button" class="plain" onClick={() => showAll(true)}>
          … show all
        </button>
      )}
      {left > 0 && all && <span class="muted"> … {left} more characters; the command line shows them</span>}
    </bdi>
  );
}

/** Shows JSON to be read and copied; of a longer one the command line has the rest. */
export function Json({ text }: { readonly text: string }) {
  return (
    <pre class="json mono">
      <Foreign text={text} lines maxChars={20_000} />
    </pre>
  );
}
