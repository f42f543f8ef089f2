import type UPlot from "uplot";
import { ageText } from "../text/words.ts";
import { type HourRow, loneValues, type PlotSpec } from "./series.ts";

/** A plot on the screen. */
export interface DrawnPlot extends Disposable {
  update(rows: readonly HourRow[]): void;
}

const HEIGHT_PX = 130;
const Y_AXIS_PX = 58;
const HOUR_SECONDS = 3_600;
const TICK_SECONDS = 600;
const DARK = matchMedia("(prefers-color-scheme: dark)");

/**
 * Draws lines over the last hour into `place`, as wide as that is, and loads what draws them with the first one.
 * `onPoint` is called with the row under the pointer; undefined when it has left. Rejects when the script cannot be loaded.
 */
export async function drawPlot(
  place: HTMLElement,
  { series, textOf }: PlotSpec,
  rows: readonly HourRow[],
  onPoint: (at: number | undefined) => void,
): Promise<DrawnPlot> {
  const { default: Plot } = await import("uplot");
  const line = () => colorOf(place, "line");
  const muted = () => colorOf(place, "muted");
  const axis = {
    stroke: muted,
    font: "11px system-ui",
    grid: { stroke: line, width: 1 },
    ticks: { show: false },
  };
  const options: UPlot.Options = {
    width: widthOf(place),
    height: HEIGHT_PX,
    legend: { show: false },
    // The pointer stands at the same instant in all plots of the page.
    cursor: { y: false, drag: { x: false, y: false }, sync: { key: "hour" } },
    scales: {
      x: { time: false, range: (_, __, newest) => [newest - HOUR_SECONDS, newest] },
      y: { range: (_, __, greatest) => [0, (greatest ?? 0) > 0 ? greatest * 1.1 : 1] },
    },
    axes: [
      { ...axis, size: 24, splits: (_, __, from, to) => ticksBetween(from, to), values: agesOf },
      { ...axis, size: Y_AXIS_PX, space: 36, values: (_, values) => values.map(textOf) },
    ],
    series: [
      {},
      ...series.map(({ tone, isDashed }) => ({
        stroke: () => colorOf(place, tone),
        width: 1.5,
        // How long a run of a function took that runs once a minute.
        points: {
          show: false,
          size: 4,
          fill: () => colorOf(place, tone),
          filter: ({ data }: UPlot, index: number) => loneValues(data[index] ?? []),
        },
        ...(isDashed ? { dash: [4, 3] } : {}),
      })),
    ],
    hooks: { setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)] },
  };
  const dataOf = (of: readonly HourRow[]): UPlot.AlignedData => [
    of.map(({ atMs }) => atMs / 1_000),
    ...series.map((one) => of.map((row) => row[one.of])),
  ];
  const plot = new Plot(options, dataOf(rows), place);
  const sized = new ResizeObserver(() => plot.setSize({ width: widthOf(place), height: HEIGHT_PX }));
  sized.observe(place);
  const recolor = () => plot.redraw(false);
  DARK.addEventListener("change", recolor);
  return {
    update: (next) => plot.setData(dataOf(next)),
    [Symbol.dispose]: () => {
      sized.disconnect();
      DARK.removeEventListener("change", recolor);
      plot.destroy();
    },
  };
}

function widthOf({ clientWidth }: HTMLElement): number {
  return Math.max(clientWidth, 120);
}

/** The newest row, and every ten minutes before it. */
function ticksBetween(from: number, to: number): number[] {
  const ticks: number[] = [];
  for (let at = to; at >= from; at -= TICK_SECONDS) ticks.unshift(at);
  return ticks;
}

function agesOf(_: unknown, ticks: readonly number[]): string[] {
  const newest = ticks.at(-1) ?? 0;
  return ticks.map((at) => (at === newest ? "now" : ageText((newest - at) * 1_000)));
}

/** A canvas knows no custom properties: reads what one of them is in the scheme that is on. */
function colorOf(place: HTMLElement, name: string): string {
  const before = place.style.color;
  place.style.color = `var(--${name})`;
  const { color } = getComputedStyle(place);
  place.style.color = before;
  return color;
}
