import type { ComponentChildren } from "preact";
import { useStale } from "../data/hooks.ts";

interface Props {
  readonly children: ComponentChildren;
  readonly or?: ComponentChildren;
}

/** Words that are true of current knowledge only, and others in their place while the page is old. */
export function WhenCurrent({ children, or = null }: Props) {
  return <>{useStale().length === 0 ? children : or}</>;
}
