import { type ComponentChildren, Fragment } from "preact";
import type { Place } from "../../api/page.ts";
import { hrefOf, placeOfText } from "../place/place.ts";
import { Foreign } from "./text.tsx";

interface Crumb {
  readonly title: string;
  readonly href: string;
}

/** The pages above this one. */
export function Crumbs({ of }: { readonly of: readonly Crumb[] }) {
  return (
    <nav class="crumbs" aria-label="Where this is">
      {of.map(({ title, href }, at) => (
        <Fragment key={href}>
          {at > 0 && <span aria-hidden="true">/</span>}
          <a href={href}>
            <Foreign text={title} />
          </a>
        </Fragment>
      ))}
    </nav>
  );
}

/** Returns those above everything in a namespace. */
export function namespaceCrumbs(namespace: string): readonly Crumb[] {
  return [
    { title: "Fleet", href: "/" },
    { title: namespace, href: `/?${new URLSearchParams({ namespace })}` },
  ];
}

interface Props {
  readonly text: string;
  /** The place to go to; default: the place that the text names, `MachinePool default/p1`. */
  readonly place?: Place | undefined;
  readonly maxChars?: number;
}

/** A name that leads to its page, where it has one. */
export function PlaceLink({ text, place = placeOfText(text), maxChars = 120 }: Props) {
  const shown = <Foreign text={text} maxChars={maxChars} />;
  return place === undefined ? shown : <a href={hrefOf(place)}>{shown}</a>;
}

interface CauseProps {
  readonly cause: { readonly what: string; readonly resourceVersion?: string | undefined };
  /** The content behind it. */
  readonly children?: ComponentChildren;
}

/** Shows why a key was enqueued: a change of an object leads to that object. */
export function Cause({ cause: { what, resourceVersion }, children }: CauseProps) {
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

/** The name of a Cluster, behind its namespace, which leads to its page. */
export function ClusterLink({
  of: { namespace, name },
}: {
  readonly of: { readonly namespace: string; readonly name: string };
}) {
  return (
    <a href={hrefOf({ type: "cluster", namespace, name })}>
      <small>
        <Foreign text={namespace} />/
      </small>
      <Foreign text={name} />
    </a>
  );
}
