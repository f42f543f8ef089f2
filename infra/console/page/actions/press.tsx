import { useState } from "preact/hooks";
import type { ErrorBody } from "../../api/error.ts";
import { act } from "../data/ask.ts";
import { readTopics } from "../data/topics.ts";
import { Foreign } from "../parts/foreign.tsx";

interface Props {
  readonly title: string;
  /** Below `/api/v1/`. */
  readonly path: string;
  readonly body?: object;
}

/** A button for an action that changes nothing, or less than it stops. A refusal stands beside it. */
export function Press({ title, path, body = {} }: Props) {
  const [isSent, setSent] = useState(false);
  const [error, setError] = useState<ErrorBody>();
  const press = async (): Promise<void> => {
    setSent(true);
    const answer = await act(path, body);
    await readTopics();
    setError("error" in answer ? answer.error : undefined);
    setSent(false);
  };
  return (
    <>
      <button type="button" class="button" disabled={isSent} onClick={() => void press()}>
        {title}
      </button>
      <span role="status">
        {error !== undefined && (
          <span class="warn">
            <Foreign text={`${error.message}; ${error.next}`} />
          </span>
        )}
      </span>
    </>
  );
}
