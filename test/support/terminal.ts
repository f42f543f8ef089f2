/** A terminal as far as the live tree uses one: lines that wrap and scroll, `ESC[nA`, `ESC[J`, `ESC[K`, colours. */
export interface EmulatedTerminal {
  columns: number;
  rows: number;
  write(text: string): void;
  /** Wraps lines to the new width, as most terminals do. */
  resize(columns: number, rows: number): void;
  /** Rows on the screen, without blanks at their ends. */
  screen(): readonly string[];
  /** Rows that have left the screen at the top. */
  scrolled(): readonly string[];
}

const ESC = "\u001b";
const TOKEN = new RegExp(`${ESC}\\[(\\d*)([A-Za-z])|([^${ESC}])`, "gsu");

export function emulatedTerminal(columns: number, rows: number): EmulatedTerminal {
  // A line is what stands between two newlines, however many rows it takes.
  let lines = [""];
  let [line, offset, top] = [0, 0, 0];
  const height = (text: string): number => Math.max(1, Math.ceil(text.length / terminal.columns));
  const rowOf = (index: number): number => lines.slice(0, index).reduce((sum, text) => sum + height(text), 0);
  const scroll = (): void => {
    top = Math.max(top, rowOf(lines.length) - terminal.rows);
  };
  const up = (count: number): void => {
    let wanted = Math.max(top, rowOf(line) + Math.floor(offset / terminal.columns) - count);
    line = 0;
    while (wanted >= height(lines[line] ?? "")) wanted -= height(lines[line++] ?? "");
    offset = wanted * terminal.columns + (offset % terminal.columns);
  };
  const put = (char: string): void => {
    const text = (lines[line] ?? "").padEnd(offset);
    if (char === "\r") offset -= offset % terminal.columns;
    else if (char === "\n") {
      line += 1;
      offset = 0;
      if (line === lines.length) lines.push("");
    } else {
      lines[line] = `${text.slice(0, offset)}${char}${text.slice(offset + 1)}`;
      offset += 1;
    }
    scroll();
  };
  const obey = (command: string, count: number): void => {
    if (command === "A") up(count);
    else if (command === "J") lines = [...lines.slice(0, line), (lines[line] ?? "").slice(0, offset)];
    else if (command === "K") lines[line] = (lines[line] ?? "").slice(0, offset);
    else if (command !== "m") throw new Error(`the terminal does not know ESC[${count}${command}`);
  };
  const all = (): readonly string[] =>
    lines.flatMap((text) =>
      Array.from({ length: height(text) }, (_, row) =>
        text.slice(row * terminal.columns, (row + 1) * terminal.columns).trimEnd(),
      ),
    );
  const terminal: EmulatedTerminal = {
    columns,
    rows,
    write(text) {
      for (const [, count, command, char] of text.matchAll(TOKEN)) {
        if (char === undefined) obey(command ?? "", Number(count === "" ? 1 : count));
        else put(char);
      }
    },
    resize(newColumns, newRows) {
      [terminal.columns, terminal.rows] = [newColumns, newRows];
      top = Math.max(0, rowOf(lines.length) - newRows);
    },
    screen: () => all().slice(top),
    scrolled: () => all().slice(0, top),
  };
  return terminal;
}
