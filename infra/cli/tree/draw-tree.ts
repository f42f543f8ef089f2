/** A few lines of text, and what hangs below them. */
export interface Branch {
  /** The lines, at least one. */
  readonly lines: readonly string[];
  readonly children: readonly Branch[];
}

/** Returns the lines of a tree as `tree` draws it: `├─`, `└─`; further lines of a branch stand under its first. */
export function drawTree(branch: Branch): readonly string[] {
  return draw(branch, "", "");
}

function draw({ lines, children }: Branch, first: string, rest: string): readonly string[] {
  const [head = "", ...others] = lines;
  const below = children.length > 0 ? "│ " : "  ";
  return [
    `${first}${head}`,
    ...others.map((line) => `${rest}${below}${line}`),
    ...children.flatMap((child, index) =>
      index === children.length - 1
        ? draw(child, `${rest}└─ `, `${rest}   `)
        : draw(child, `${rest}├─ `, `${rest}│  `),
    ),
  ];
}
