import { useEffect, useLayoutEffect, useReducer, useRef, useState } from "preact/hooks";
import type { Me } from "../../api/me.ts";
import type { Stale } from "../../api/page.ts";
import { ask } from "./ask.ts";
import { currentLink, type Link, watchLink } from "./stream.ts";
import { type Answer, answerOf, UNKNOWN, watchTopic } from "./topics.ts";

function useRedraw(): () => void {
  const [, redraw] = useReducer((count: number) => count + 1, 0);
  return () => redraw(undefined);
}

/**
 * The newest answer of a topic, a path below `/api/v1/` with its query; kept current while the component is shown.
 * Undefined: nothing is asked.
 */
export function useTopic<Body>(topic: string | undefined): Answer<Body> {
  const redraw = useRedraw();
  // Not an effect that waits for the next frame: while that is drawn, the answer is on its way.
  useLayoutEffect(() => (topic === undefined ? undefined : watchTopic(topic, redraw)), [topic]);
  return (topic === undefined ? UNKNOWN : answerOf(topic)) as Answer<Body>;
}

/** The answer of a path that is asked once: it costs the server much, or reads live. */
export function useOnce<Body>(path: string): Answer<Body> {
  const [answer, setAnswer] = useState<Answer<Body>>(UNKNOWN);
  useEffect(() => {
    let isWanted = true;
    setAnswer(UNKNOWN);
    void ask(path).then((asked) => {
      if (isWanted && !("same" in asked)) setAnswer(asked as Answer<Body>);
    });
    return () => {
      isWanted = false;
    };
  }, [path]);
  return answer;
}

export function useLink(): Link {
  const redraw = useRedraw();
  useEffect(() => watchLink(redraw), []);
  return currentLink();
}

/** Returns why everything that the page shows is old, the worst first; empty: it is current. */
export function useStale(): readonly Stale[] {
  const { body, error } = useTopic<Me>("me");
  const link = useLink();
  if (body === undefined) return NOTHING;
  if (link.state === "lost")
    return [{ since: new Date(link.sinceMs).toISOString(), reason: "the console does not answer this page" }];
  if (error !== undefined) return [{ since: body.asOf, reason: error.message }];
  return body.stale ?? NOTHING;
}
const NOTHING: readonly Stale[] = [];

/** Keeps the answer of the topic before until the first one of the new topic: nothing flickers while a person types. */
export function useSteadyTopic<Body>(topic: string): Answer<Body> {
  const answer = useTopic<Body>(topic);
  const before = useRef<Answer<Body>>(answer);
  if (answer.body !== undefined || answer.error !== undefined) before.current = answer;
  return before.current;
}

/** Returns the viewer with the rights and the routes of the server; undefined until they are known. */
export function useMe(): Me | undefined {
  return useTopic<Me>("me").body;
}

/** Whether this server has a route, `GET /letter-groups`; undefined until that is known. */
export function useRoute(route: string): boolean | undefined {
  return useMe()?.routes.includes(route);
}
