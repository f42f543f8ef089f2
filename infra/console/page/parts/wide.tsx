import type { ComponentChildren } from "preact";

/** Holds a table that may be wider than the screen: it is scrolled by itself, also by the keyboard. */
export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard (WCAG 2.1.1).
    <section class="wide" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
