import type { ComponentChildren } from "preact";
import { Foreign } from "./foreign.tsx";
import { PlaceLink } from "./place-link.tsx";

interface Props {
  readonly cause: { readonly what: string; readonly resourceVersion?: string | undefined };
  /** The content behind it. */
  readonly children?: ComponentChildren;
}

/** Shows why a key was enqueued: a change of an object leads to that object. */
export function Cause({ cause: { what, resourceVersion }, children }: Props) {
  return (
    <li>
      <PlaceLink text={what} />
      {resourceVersion !== undefined && (
        <span class="muted">
          {" "}
          at version <Foreign text={resourceVersion} />
        </span>
      )}
      {children}
    </li>
  );
}
