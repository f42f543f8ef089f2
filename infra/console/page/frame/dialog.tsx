import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

interface Props {
  readonly title: string;
  readonly close: () => void;
  /** The title of the button; default: `Close`. */
  readonly closeTitle?: string;
  /** A button before the one that closes. */
  readonly action?: ComponentChildren;
  readonly children: ComponentChildren;
}

/** A dialog of the browser: it keeps the focus, closes with Esc, and gives the focus back. */
export function Dialog({ title, close, closeTitle = "Close", action, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  // The dialog opens before the next key: a person types at once.
  useLayoutEffect(() => {
    const shown = dialog.current;
    shown?.showModal();
    return () => shown?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-label={title} onClose={close}>
      <div class="inside">
        {children}
        <p class="choices">
          {action}
          {/* A key that is held down must not press the other one. */}
          <button
            type="button"
            class="button"
            autofocus={Boolean(action)}
            onClick={() => dialog.current?.close()}
          >
            {closeTitle}
          </button>
        </p>
      </div>
    </dialog>
  );
}
