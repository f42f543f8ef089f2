import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Foreign } from "./text.tsx";

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

/** Commands that show or do the same, to be copied. */
export function Commands({ commands }: { readonly commands: readonly string[] }) {
  return (
    <ul class="sheet commands">
      {commands.map((command) => (
        <Command key={command} text={command} />
      ))}
    </ul>
  );
}

function Command({ text }: { readonly text: string }) {
  const [isCopied, copied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(text);
    copied(true);
    setTimeout(() => copied(false), 2_000);
  };
  return (
    <li>
      <code>
        <Foreign text={text} maxChars={1_000} />
      </code>
      <button type="button" class="plain" onClick={() => void copy()}>
        {isCopied ? "Copied" : "Copy"}
      </button>
    </li>
  );
}

/** Holds a table that may be wider than the screen: it is scrolled by itself, also by the keyboard. */
export function Wide({ label, children }: { readonly label: string; readonly children: ComponentChildren }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls must be reached by the keyboard (WCAG 2.1.1).
    <section class="wide" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}

/** A column of a short table. */
export interface TableColumn<Row> {
  readonly title: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  readonly class?: string;
}

interface TableProps<Row> {
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[];
  readonly idOf: (row: Row) => string;
  readonly class?: string | undefined;
  readonly rowClass?: (row: Row) => string;
}

/** A table of a few rows, all of them in the document. */
export function Table<Row>({ columns, rows, idOf, class: given, rowClass }: TableProps<Row>) {
  return (
    <table class={given}>
      <thead>
        <tr>
          {columns.map(({ title, class: name }, at) => (
            <th key={at} scope="col" class={name === "number" ? name : undefined}>
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <tr key={idOf(row)} class={rowClass?.(row)}>
            {columns.map(({ cell, class: name }, at) => (
              <td key={at} class={name}>
                {cell(row)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
