import { useState } from "preact/hooks";
import type { ErrorBody } from "../../api/page.ts";
import { act } from "../data/ask.ts";
import { readTopics } from "../data/topics.ts";
import { Foreign } from "../parts/text.tsx";
import { countText } from "../text/words.ts";

interface Props {
  readonly title: string;
  /** The path below `/api/v1/`. */
  readonly path: string;
  readonly body?: object;
}

/** The action that was pressed last. */
interface Pressed {
  readonly path: string;
  readonly isAnswered: boolean;
  readonly error?: ErrorBody | undefined;
}

/**
 * A button for an action that changes nothing, or less than it stops. A refusal stands beside it. When another action
 * replaces its own, as Continue replaces Stop, it is the same button: it keeps the focus.
 */
export function Press({ title, path, body = {} }: Props) {
  const [pressed, setPressed] = useState<Pressed>();
  const own = pressed?.path === path ? pressed : undefined;
  const isSent = own?.isAnswered === false;
  const press = async (): Promise<void> => {
    if (isSent) return;
    setPressed({ path, isAnswered: false });
    const answer = await act(path, body);
    await readTopics();
    const error = "error" in answer ? answer.error : undefined;
    setPressed((last) => (last?.path === path ? { path, isAnswered: true, error } : last));
  };
  return (
    <>
      <button
        type="button"
        class="button"
        // A button that is disabled would lose the focus.
        aria-disabled={isSent}
        // A key that is held down must not press what replaces its action.
        onKeyDown={(event) => event.key === "Enter" && event.repeat && event.preventDefault()}
        onClick={() => void press()}
      >
        {title}
      </button>
      <span role="status">
        {own?.error !== undefined && (
          <span class="warn">
            <Foreign text={`${own.error.message}; ${own.error.next}`} />
          </span>
        )}
      </span>
    </>
  );
}

interface ProgressProps {
  readonly label: string;
  readonly value: number;
  readonly total: number;
}

/** Shows how far something is: a bar, and the numbers beside it. */
export function Progress({ label, value, total }: ProgressProps) {
  return (
    <span class="progress">
      <progress aria-label={label} value={value} max={total} />
      {countText(value)} of {countText(total)}
    </span>
  );
}
