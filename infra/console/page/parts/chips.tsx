import { countText } from "../text/amounts.ts";
import { Mark } from "./mark.tsx";
import type { MarkName } from "./mark-names.ts";

interface Chip {
  readonly title: string;
  readonly count: number | undefined;
  readonly href: string;
  readonly isOn: boolean;
  readonly mark?: MarkName;
}

/** Filters with the count of what each leaves. */
export function Chips({ label, chips }: { readonly label: string; readonly chips: readonly Chip[] }) {
  return (
    <nav aria-label={label}>
      <ul class="chips">
        {chips.map(({ title, count, href, isOn, mark }) => (
          <li key={title}>
            <a href={href} aria-current={isOn ? "true" : undefined} class={count === 0 ? "none" : ""}>
              {mark !== undefined && <Mark of={mark} bare isOwnWord />}
              {title} {count !== undefined && <b>{countText(count)}</b>}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}
