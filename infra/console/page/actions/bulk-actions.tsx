import type { JobRequest } from "../../api/actions.ts";
import { useMe } from "../data/use-routes.ts";
import { Foreign } from "../parts/foreign.tsx";
import { counted, durationText } from "../text/amounts.ts";
import { ActionButtons } from "./action-buttons.tsx";
import type { Action } from "./confirm.tsx";
import { mayActOnMany } from "./rights.ts";

/** Letters of one function that a person acts on together, as they are shown. */
export interface Selection {
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
        ...(dead > 0 && mayActOnMany(me, "requeue") ? [requeueOf({ ...selection, count: dead })] : []),
        ...(mayActOnMany(me, "drop") ? [dropOf(selection)] : []),
      ]}
    />
  );
}

function requeueOf(selection: Selection): Action {
  return {
    ...actionOn(selection, "requeue"),
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

function dropOf(selection: Selection): Action {
  return {
    ...actionOn(selection, "drop"),
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

function actionOn({ function: name, select, count, which }: Selection, action: JobRequest["action"]) {
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
