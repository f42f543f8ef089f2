import type { LetterItem } from "../../api/letters.ts";
import { useMe } from "../data/use-routes.ts";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { pathOf } from "../place/place.ts";
import { counted } from "../text/amounts.ts";
import { namespaceOfKey, objectOfKey } from "../text/keys.ts";
import { ActionButtons } from "./action-buttons.tsx";
import type { Action } from "./confirm.tsx";
import { mayAct } from "./rights.ts";

/** Requeues or drops one letter as it is shown; undefined: it is not there, or not known yet. */
export function LetterActions({ head }: { readonly head: LetterItem | undefined }) {
  const me = useMe();
  if (head === undefined) return <ActionButtons actions={[]} />;
  const namespace = namespaceOfKey(head.key);
  return (
    <ActionButtons
      actions={[
        ...(canRun(head) && mayAct(me, "requeue", namespace) ? [requeueOf(head)] : []),
        ...(mayAct(me, "drop", namespace) ? [dropOf(head)] : []),
      ]}
    />
  );
}

/** A key that lives needs no requeue, and a malformed one is in no queue. */
function canRun({ state, reason }: LetterItem): boolean {
  return state === "dead" && reason !== "Malformed";
}

function requeueOf(head: LetterItem): Action {
  return {
    ...actionOn(head, "requeue"),
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

function dropOf(head: LetterItem): Action {
  return {
    ...actionOn(head, "drop"),
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

function actionOn({ function: name, key, deadSince, times }: LetterItem, action: "requeue" | "drop") {
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
