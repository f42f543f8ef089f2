import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Foreign } from "../parts/foreign.tsx";
import { type Action, Confirm } from "./confirm.tsx";

/** Buttons for actions that the viewer may take on what is shown; each first shows its effect. */
export function ActionButtons({ actions }: { readonly actions: readonly Action[] }) {
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
