import { shown, widthOf } from "../../platform/terminal/paint.ts";

/** The part of a terminal that is drawn on. */
export interface Screen {
  readonly columns: number;
  readonly rows: number;
  write(text: string): unknown;
}

/** The last lines above the cursor, which change in place, while other lines scroll by above them. */
export interface LiveArea {
  /** Returns the largest width and height of the drawing; at least 1 each, also where no size is reported. */
  size(): { readonly columns: number; readonly rows: number };
  /** Replaces the drawn lines. Lines that are too wide are cut; there must be fewer than `size().rows`. */
  draw(lines: readonly string[]): void;
  /** Writes text that ends in a newline above the lines, such as a line of the log. */
  above(text: string): void;
  /** Leaves the drawing as it is; later text is written below. */
  end(): void;
}

/** Size that is assumed for a terminal that reports none. */
const USUAL = { columns: 80, rows: 24 };

export function createLiveArea(screen: Screen): LiveArea {
  let wanted: readonly string[] = [];
  /** The widths of the lines on the screen. */
  let widths: readonly number[] = [];
  // Some terminals break a line that reaches the last column.
  const size = () => ({ columns: (screen.columns || USUAL.columns) - 1, rows: screen.rows || USUAL.rows });

  /** Removes the whole drawing, also when a narrower terminal has broken it into more lines. */
  const erase = (): string => {
    const { columns, rows } = size();
    const height = widths.reduce((sum, width) => sum + Math.max(1, Math.ceil(width / (columns + 1))), 0);
    // Lines that have left the screen at the top can no longer be reached.
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
