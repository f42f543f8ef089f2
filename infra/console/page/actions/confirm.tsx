import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { ErrorBody } from "../../api/page.ts";
import { act } from "../data/ask.ts";
import { readTopics } from "../data/topics.ts";
import { Dialog } from "../frame/dialog.tsx";
import { Problem } from "../parts/part.tsx";
import { Age, Foreign } from "../parts/text.tsx";
import { counted } from "../text/words.ts";

/** An action as a person decides on it. */
export interface Action {
  /** The verb on the button: `Requeue`. */
  readonly verb: string;
  /** Verb of the action that it replaces: the button stays the same one, and keeps the focus. */
  readonly replaces?: string;
  /** The word of the result before the name of the person: `Requeued`. */
  readonly past: string;
  /** The words behind the verb: `MachinePool default/p1`. */
  readonly subject: string;
  /** The path below `/api/v1/`. */
  readonly path: string;
  /** Names what is shown: the server does nothing when it is otherwise. */
  readonly body: object;
  /** The result, and the facts that `body` names. */
  readonly effect: ComponentChildren;
  /** Cannot be taken back. */
  readonly isFinal?: boolean;
  /** The person types this name first; it is sent as `confirm`. */
  readonly typed?: string | undefined;
}

interface Props {
  readonly asked: Action;
  readonly close: () => void;
  /** Receives the name of the person, as it stands in the log. */
  readonly done: (by: string) => void;
}

/** Shows the effect of an action before it is done, and why it was not. */
export function Confirm({ asked, close, done }: Props) {
  const { verb, subject, path, body, effect, isFinal = false, typed } = asked;
  const [text, setText] = useState("");
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<ErrorBody>();
  const isReady = !isSent && (typed === undefined || text === typed);
  const send = async (): Promise<void> => {
    if (!isReady) return;
    setSent(true);
    const answer = await act(path, typed === undefined ? body : { ...body, confirm: typed });
    // Whatever the answer is: the page behind shows how it is now, also without a stream.
    void readTopics();
    if ("body" in answer) return done((answer.body as { readonly by: string }).by);
    if ("error" in answer) setError(answer.error);
  };
  return (
    <Dialog
      title={verb}
      close={close}
      closeTitle={error === undefined ? "Cancel" : "Close"}
      action={
        error === undefined && (
          <button
            type="button"
            class={isFinal ? "button danger" : "button main"}
            disabled={!isReady}
            onClick={() => void send()}
          >
            {isSent ? "Sent" : verb}
          </button>
        )
      }
    >
      <h2>
        {verb} <Foreign text={subject} maxChars={200} />
      </h2>
      {error === undefined ? (
        <>
          <div class="effect">{effect}</div>
          {typed !== undefined && (
            <label class="typed">
              <span>
                Type <Foreign text={typed} /> to confirm
              </span>
              <input
                type="text"
                autofocus
                autocomplete="off"
                spellcheck={false}
                value={text}
                onInput={({ currentTarget }) => setText(currentTarget.value)}
                onKeyDown={({ key }) => key === "Enter" && void send()}
              />
            </label>
          )}
        </>
      ) : (
        <Refusal error={error} />
      )}
    </Dialog>
  );
}

function Refusal({ error }: { readonly error: ErrorBody }) {
  const said = useRef<HTMLDivElement>(null);
  // The button that had the focus is gone.
  useLayoutEffect(() => said.current?.focus(), []);
  return (
    <div ref={said} tabIndex={-1}>
      <Problem error={error} />
      {error.status === 412 && (
        <p>
          <b>Nothing was done.</b> <Current of={error.current} />
        </p>
      )}
    </div>
  );
}

/** Shows how a key, a letter, a group or a function is now, from a refusal: its members depend on the action. */
function Current({ of }: { readonly of: unknown }) {
  const { state, since, deadSince, times, paused, count } = (of ?? {}) as {
    readonly [name: string]: unknown;
  };
  if (typeof paused === "boolean") return paused ? "It is paused." : "It is not paused.";
  if (typeof count === "number") return `There are ${counted(count, "letter")} now.`;
  if (typeof deadSince === "string")
    return (
      <>
        It died <Age since={deadSince} /> ago
        {typeof times === "number" && `, ${counted(times, "time")} in all`}.
      </>
    );
  if (typeof state === "string")
    return (
      <>
        It is <Foreign text={state} maxChars={40} />
        {typeof since === "string" && (
          <>
            {" "}
            for <Age since={since} />
          </>
        )}
        .
      </>
    );
  return "It is not there any more.";
}
