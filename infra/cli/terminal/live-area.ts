import { shown, widthOf } from "./paint.ts";

/** The part of a terminal that is drawn on. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** The last lines above the cursor, which change in place, while other lines scroll by above them. */
export interface LiveArea {
  /** How wide and high what is drawn may be; at least one of each, also where the terminal does not tell. */
  size(): { readonly columns: number; readonly rows: number };
  /** Replaces the lines of before. Too wide ones are cut; there must be fewer than `size().rows`. */
  draw(lines: readonly string[]): void;
  /** Writes text that ends in a newline above the lines, such as a line of the log. */
  above(text: string): void;
  /** What is drawn stays as it is, and what comes is written below. */
  end(): void;
}

/** What a terminal without a size is taken for. */
const USUAL = { columns: 80, rows: 24 };

export function createLiveArea(screen: Screen): LiveArea {
  let wanted: readonly string[] = [];
  /** Of what stands on the screen. */
  let widths: readonly number[] = [];
  // Some terminals break a line that reaches the last column.
  const size = () => ({ columns: (screen.columns || USUAL.columns) - 1, rows: screen.rows || USUAL.rows });

  /** Nothing of what was drawn stays, also when the terminal has become narrower and broken it into more lines. */
  const erase = (): string => {
    const { columns, rows } = size();
    const height = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / (columns + 1))), 0);
    // What has left the screen at the top can no longer be reached.
    const up = Math.min(height, rows - 1);
    return `\r${up === 0 ? "" : `\u001b[${up}A`}\u001b[J`;
  };
  const draw = (): string => {
    const { columns } = size();
    widths = wanted.map((line) => Math.min(columns, widthOf(line)));
    return wanted.map((line) => `${shown(line, columns)}\n`).join("");
  };
  const redraw = (above: string): void => {
    const erased = erase();
    screen.write(`${erased}${above}${draw()}`);
  };
  return {
    size,
    draw(lines) {
      wanted = lines;
      redraw("");
    },
    above: redraw,
    end() {
      [wanted, widths] = [[], []];
    },
  };
}
