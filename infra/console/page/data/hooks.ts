import { useEffect, useReducer, useRef } from "preact/hooks";
import { currentLink, type Link, watchLink } from "./stream.ts";
import { type Answer, answerOf, watchTopic } from "./topics.ts";

function useRedraw(): () => void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  return () => redraw(undefined);
}

/** The newest answer of a topic, a path below `/api/v1/` with its query; kept current while the component is shown. */
export function useTopic<Body>(topic: string): Answer<Body> {
  const redraw = useRedraw();
  useEffect(() => watchTopic(topic, redraw), [topic]);
  return answerOf(topic) as Answer<Body>;
}

export function useLink(): Link {
  const redraw = useRedraw();
  useEffect(() => watchLink(redraw), []);
  return currentLink();
}

/** As `useTopic`, but keeps the answer of the topic before until the first one of the new topic comes: nothing flickers while a person types. */
export function useSteadyTopic<Body>(topic: string): Answer<Body> {
  const answer = useTopic<Body>(topic);
  const before = useRef<Answer<Body>>(answer);
  if (answer.body !== undefined || answer.error !== undefined) before.current = answer;
  return before.current;
}
