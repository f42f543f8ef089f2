import { Fragment } from "preact";
import { Foreign } from "./foreign.tsx";

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
