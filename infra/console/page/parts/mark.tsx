import type { JSX } from "preact";
import { useStale } from "../data/hooks.ts";
import { MARKS, type MarkName } from "./mark-names.ts";

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

interface Props {
  readonly of: MarkName;
  /** The word is beside it already. */
  readonly bare?: boolean;
  /** Known otherwise than by the read model: of a process that says itself how it is. */
  readonly isOwnWord?: boolean;
}

/** Draws the shape of a state; its word is there for screen readers. Nothing is well by old knowledge. */
export function Mark({ of: named, bare = false, isOwnWord = false }: Props) {
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
