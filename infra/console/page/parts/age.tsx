import { useEffect, useState } from "preact/hooks";
import { serverNow } from "../data/ask.ts";
import { ageText } from "../text/words.ts";

const drawn = new Set<() => void>();
let ticking: ReturnType<typeof setInterval> | undefined;

/** One timer for all ages of the page; it rests while the tab is hidden. */
function watchSeconds(draw: () => void): () => void {
  drawn.add(draw);
  ticking ??= setInterval(() => {
    if (!document.hidden) for (const each of drawn) each();
  }, 1_000);
  return () => {
    drawn.delete(draw);
    if (drawn.size > 0) return;
    clearInterval(ticking);
    ticking = undefined;
  };
}

interface Props {
  /** RFC 3339. */
  readonly since: string;
}

/** Shows how long ago a time was, or how long it takes until it comes, by the clock of the server. */
export function Age({ since }: Props) {
  const at = Date.parse(since);
  const text = () => {
    if (!Number.isFinite(at)) return "";
    const ms = serverNow() - at;
    return ms < -1_000 ? `in ${ageText(-ms)}` : ageText(ms);
  };
  const [, setText] = useState(text);
  useEffect(() => watchSeconds(() => setText(text())), [since]);
  return (
    <time dateTime={since} title={since}>
      {text()}
    </time>
  );
}
