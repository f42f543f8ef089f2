import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { JobRequest } from "../../api/actions.ts";
import type { LetterItem } from "../../api/letters.ts";
import type { QueueItem } from "../../api/queue.ts";
import { useMe } from "../data/hooks.ts";
import { Age, Foreign } from "../parts/text.tsx";
import { pathOf } from "../place/place.ts";
import { counted, countText, durationText, namespaceOfKey, objectOfKey } from "../text/words.ts";
import { type Action, Confirm } from "./confirm.tsx";
import { mayAct, mayActOnMany, mayPause } from "./rights.ts";

/** Buttons for actions that the viewer may take on what is shown; each first shows its effect. */
function ActionButtons({ actions }: { readonly actions: readonly Action[] }) {
  // As it was when its button was pressed: the action names that, whatever changes behind the dialog.
  const [asked, ask] = useState<Action>();
  const [result, setResult] = useState<{ readonly past: string; readonly by: string }>();
  const status = useRef<HTMLSpanElement>(null);
  // The button that had the focus may be gone: it does not fit the new state.
  useLayoutEffect(() => status.current?.focus(), [result]);
  return (
    <span class="acts">
      {asked !== undefined && (
        <Confirm
          asked={asked}
          close={() => ask(undefined)}
          done={(by) => {
            ask(undefined);
            setResult({ past: asked.past, by });
          }}
        />
      )}
      <span role="status">
        {result !== undefined && (
          <span ref={status} tabIndex={-1}>
            {result.past} by <Foreign text={result.by} maxChars={80} />.
          </span>
        )}
      </span>
      {actions.map((action) => (
        <button
          key={action.replaces ?? action.verb}
          type="button"
          class={action.isFinal === true ? "button danger" : "button"}
          onClick={() => ask(action)}
        >
          {action.verb}
        </button>
      ))}
    </span>
  );
}

/** Pauses or resumes a function; undefined: its queue is not known. */
export function PauseAction({ item }: { readonly item: QueueItem | undefined }) {
  const isOffered = mayPause(useMe()) && item !== undefined;
  return <ActionButtons actions={isOffered ? [actionOn(item)] : []} />;
}

function actionOn({ function: name, paused = false, ready, running, waiting }: QueueItem): Action {
  const shared = { subject: name, body: { paused } };
  if (paused)
    return {
      ...shared,
      verb: "Resume",
      replaces: "Pause",
      past: "Resumed",
      path: `${pathOf("queue", name).slice(1)}/resume`,
      effect: (
        <p>
          All processes run it again, for all Clusters. {counted(ready, "key")} {ready === 1 ? "is" : "are"}{" "}
          ready and {countText(waiting)} wait for their time.
        </p>
      ),
    };
  return {
    ...shared,
    verb: "Pause",
    past: "Paused",
    path: `${pathOf("queue", name).slice(1)}/pause`,
    effect: (
      <p>
        No process begins a run of it any more, for any Cluster, until a person resumes it.{" "}
        {counted(running, "run")} in progress {running === 1 ? "ends" : "end"} as usual; events are kept, and
        their keys wait.
      </p>
    ),
  };
}

/** Requeues or drops one letter as it is shown; undefined: it is not there, or not known yet. */
export function LetterActions({ head }: { readonly head: LetterItem | undefined }) {
  const me = useMe();
  if (head === undefined) return <ActionButtons actions={[]} />;
  const namespace = namespaceOfKey(head.key);
  return (
    <ActionButtons
      actions={[
        ...(canRun(head) && mayAct(me, "requeue", namespace) ? [requeueLetter(head)] : []),
        ...(mayAct(me, "drop", namespace) ? [dropLetter(head)] : []),
      ]}
    />
  );
}

/** A key that lives needs no requeue, and a malformed one is in no queue. */
function canRun({ state, reason }: LetterItem): boolean {
  return state === "dead" && reason !== "Malformed";
}

function requeueLetter(head: LetterItem): Action {
  return {
    ...onLetter(head, "requeue"),
    verb: "Requeue",
    past: "Requeued",
    effect: (
      <>
        <p>
          <Foreign text={head.function} /> runs again for it at once, with all its attempts. While the cause
          is still there, it fails again. Its next run names you.
        </p>
        <Shown head={head} />
      </>
    ),
  };
}

function dropLetter(head: LetterItem): Action {
  return {
    ...onLetter(head, "drop"),
    verb: "Drop",
    past: "Dropped",
    isFinal: true,
    effect: (
      <>
        <p>
          The letter is removed for good, with its attempts and reads: nothing can be replayed then. A key
          that is dead is tried again without a letter until something that it reads changes.
        </p>
        <Shown head={head} />
      </>
    ),
  };
}

function onLetter({ function: name, key, deadSince, times }: LetterItem, action: "requeue" | "drop") {
  return {
    subject: objectOfKey(key),
    path: `${pathOf("letters", name, key).slice(1)}/${action}`,
    body: { deadSince, times },
  };
}

/** Shows the facts that `body` names, and why it died. */
function Shown({ head: { deadSince, times, error } }: { readonly head: LetterItem }) {
  return (
    <dl class="facts">
      <dt>Dead for</dt>
      <dd>
        <Age since={deadSince} />
        {times > 1 && `, ${counted(times, "time")} in all`}
      </dd>
      <dt>Error</dt>
      <dd>
        <Foreign text={error} />
      </dd>
    </dl>
  );
}

/** Letters of one function that a person acts on together, as they are shown. */
interface Selection {
  readonly function: string;
  readonly select: JobRequest["select"];
  readonly count: number;
  /** The number of their keys that are still dead: the others need no requeue. Default: all. */
  readonly dead?: number | undefined;
  /** The words behind the number: `that would succeed`. */
  readonly which: string;
}

/** The number of keys above which a person types the name of the function. */
const MAX_UNTYPED = 100;
const MS_PER_KEY = 100;

/** Requeues or drops many letters at ten a second; undefined: none are selected. */
export function BulkActions({ selection }: { readonly selection: Selection | undefined }) {
  const me = useMe();
  if (selection === undefined || selection.count === 0) return <ActionButtons actions={[]} />;
  const { count, dead = count } = selection;
  return (
    <ActionButtons
      actions={[
        ...(dead > 0 && mayActOnMany(me, "requeue") ? [requeueMany({ ...selection, count: dead })] : []),
        ...(mayActOnMany(me, "drop") ? [dropMany(selection)] : []),
      ]}
    />
  );
}

function requeueMany(selection: Selection): Action {
  return {
    ...onMany(selection, "requeue"),
    verb: "Requeue",
    effect: (
      <>
        <p>
          <Foreign text={selection.function} /> runs again for each of them, with all its attempts. Where the
          cause is still there, it fails again. The history of these runs names you as their cause.
        </p>
        <Pace count={selection.count} />
      </>
    ),
  };
}

function dropMany(selection: Selection): Action {
  return {
    ...onMany(selection, "drop"),
    verb: "Drop",
    isFinal: true,
    effect: (
      <>
        <p>
          The letters are removed for good, with their attempts and reads: nothing can be replayed then. Keys
          that are dead are tried again without letters until something that they read changes.
        </p>
        <Pace count={selection.count} />
      </>
    ),
  };
}

function onMany({ function: name, select, count, which }: Selection, action: JobRequest["action"]) {
  return {
    past: "Started",
    subject: `${counted(count, "letter")} of ${name} ${which}`.trimEnd(),
    path: "jobs",
    body: { action, function: name, select, count } satisfies JobRequest,
    typed: count > MAX_UNTYPED ? name : undefined,
  };
}

function Pace({ count }: { readonly count: number }) {
  return (
    <p>
      Ten a second: it takes about {durationText(count * MS_PER_KEY)}, and can be stopped. Letters that have
      changed meanwhile are left alone.
    </p>
  );
}
