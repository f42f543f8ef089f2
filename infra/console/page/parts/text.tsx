import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { escaped, escapedLines } from "../../../platform/terminal/escape.ts";
import { serverNow } from "../data/ask.ts";
import { useStale } from "../data/hooks.ts";
import { ageText } from "../text/words.ts";
import { MARKS, type MarkName } from "./mark-names.ts";

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

const drawn = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all ages of the page; it rests while the tab is hidden. */
function watchSeconds(draw: () => void): () => void {
  drawn.add(draw);
  ticking ??= setInterval(() => {
    if (!document.hidden) for (const each of drawn) each();
  }, 1_000);
  return () => {
    drawn.delete(draw);
    if (drawn.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

interface AgeProps {
  /** RFC 3339. */
  readonly since: string;
}

/** Shows how long ago a time was, or how long it takes until it comes, by the clock of the server. */
export function Age({ since }: AgeProps) {
  const at = Date.parse(since);
  const text = () => {
    if (!Number.isFinite(at)) return "";
    const ms = serverNow() - at;
    return ms < -1_000 ? `in ${ageText(-ms)}` : ageText(ms);
  };
  const [, setText] = useState(text);
  useEffect(() => watchSeconds(() => setText(text())), [since]);
  return (
    <time dateTime={since} title={since}>
      {text()}
    </time>
  );
}

const SHAPES: { readonly [name in MarkName]: JSX.Element } = {
  dead: (
    <>
      <circle cx="6" cy="6" r="5.5" fill="currentColor" />
      <path d="M4 4l4 4M8 4l-4 4" class="cut" />
    </>
  ),
  failing: (
    <>
      <path d="M6 .8 11.6 11H.4z" fill="currentColor" stroke="currentColor" stroke-linejoin="round" />
      <path d="M6 4.6v3M6 9.2v.2" class="cut" />
    </>
  ),
  unreachable: (
    <>
      <circle cx="6" cy="6" r="4.8" class="line" />
      <path d="M2.6 9.4l6.8-6.8" class="line" />
    </>
  ),
  waiting: (
    <>
      <circle cx="6" cy="6" r="4.8" class="line" />
      <path d="M6 3.2V6l2 1.4" class="line" />
    </>
  ),
  unknown: (
    <>
      <circle cx="6" cy="6" r="4.8" class="line" stroke-dasharray="2 1.8" />
      <path d="M6 8.4v.3M4.7 4.7a1.3 1.3 0 1 1 1.9 1.2c-.4.2-.6.5-.6.9" class="line thin" />
    </>
  ),
  progressing: (
    <>
      <circle cx="6" cy="6" r="4.8" class="line faint" />
      <path d="M6 1.2A4.8 4.8 0 0 1 10.8 6" class="line" />
    </>
  ),
  deleting: <path d="M2 3.4h8M4.5 3V1.6h3V3M3 3.6l.5 7h5l.5-7" class="line thin" />,
  paused: <path d="M4 2v8M8 2v8" class="line" />,
  silent: <circle cx="6" cy="6" r="2" class="line thin" />,
  healthy: <circle cx="6" cy="6" r="3" fill="currentColor" />,
};

interface MarkProps {
  readonly of: MarkName;
  /** The word is beside it already. */
  readonly bare?: boolean;
  /** Known otherwise than by the read model: of a process that says itself how it is. */
  readonly isOwnWord?: boolean;
}

/** Draws the shape of a state; its word is there for screen readers. Nothing is well by old knowledge. */
export function Mark({ of: named, bare = false, isOwnWord = false }: MarkProps) {
  const isOld = useStale().length > 0 && !isOwnWord;
  const of = isOld && (named === "healthy" || named === "progressing") ? "unknown" : named;
  const { word, tone } = MARKS[of];
  return (
    <span class={`mark ${tone}`} title={word}>
      <svg viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {SHAPES[of]}
      </svg>
      {(!bare || of !== named) && <span class="unseen">{word}</span>}
    </span>
  );
}
