import type { ComponentChildren } from "preact";

interface Props {
  readonly title: ComponentChildren;
  /** It holds something up. */
  readonly isProblem?: boolean | undefined;
  readonly children: ComponentChildren;
}

/** A line of a list of facts. */
export function Fact({ title, isProblem = false, children }: Props) {
  return (
    <div>
      <dt>{title}</dt>
      <dd class={isProblem ? "warn" : ""}>{children}</dd>
    </div>
  );
}
