import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { escaped } from "../../../platform/terminal/escape.ts";
import type { Run } from "../../api/runs.ts";
import { serverNow } from "../data/ask.ts";
import { useNarrow } from "../list/screen.ts";
import { Foreign } from "../parts/text.tsx";
import { ageText, objectOfKey } from "../text/words.ts";
import { type HistoryRow, type RunLook, runText } from "./runs.ts";
import {
  type LaneMark,
  neighboursOf,
  stepBetween,
  type TimeLine,
  timedColumns,
  timeLineOf,
} from "./time-line.ts";

interface Props {
  /** Newest first. */
  readonly rows: readonly HistoryRow[];
  readonly chosen: Run | undefined;
  readonly choose: (row: HistoryRow) => void;
  readonly hrefOfRun: (run: Run | undefined) => string;
  readonly hrefOfLane: (functionName: string) => string;
}

const COLUMN_PX = 24;
/** Heights of a lane and of the middle of its marks, and the width of the names: as in the styles. */
const WIDE = { lanePx: 28, middlePx: 13, namesPx: 200 };
/** The name of a lane stands above it. */
const NARROW = { lanePx: 50, middlePx: 36, namesPx: 0 };

/** Draws runs as a time line with a lane for each function; of the chosen one the runs before and behind it. */
export function Lanes({ rows, chosen, choose, hrefOfRun, hrefOfLane }: Props) {
  const line = useMemo(() => timeLineOf(rows), [rows]);
  const scroller = useRef<HTMLDivElement>(null);
  const isNarrow = useNarrow();
  const { lanePx, namesPx } = isNarrow ? NARROW : WIDE;
  const chosenAt = line.marks.findIndex(({ runs }) => chosen !== undefined && runs.includes(chosen));
  useNewestInView(scroller, line.columns);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (element !== null && chosenAt !== -1) keepInView(element, markAt(element, chosenAt), namesPx);
  }, [chosen?.runId]);
  const step = (event: KeyboardEvent): void => {
    const { current: element } = scroller;
    const at = Number((event.target as HTMLElement).dataset["at"]);
    const next = stepBetween(line, at, event.key);
    if (next === undefined || element === null) return;
    const mark = markAt(element, next);
    if (mark !== null) keepInView(element, mark, namesPx);
    mark?.focus({ preventScroll: true });
    event.preventDefault();
  };
  const entry = chosenAt === -1 ? line.marks.length - 1 : chosenAt;
  return (
    <>
      <div class="sheet lanes" role="group" aria-label="Time line" ref={scroller} onKeyDown={step}>
        <div style={{ width: `${namesPx + line.columns * COLUMN_PX}px` }} class="field">
          {line.lanes.map((name, lane) => (
            <div key={name} class="lane" role="group" aria-label={name} style={{ height: `${lanePx}px` }}>
              <a class="name mono" href={hrefOfLane(name)}>
                <Foreign text={name} maxChars={80} />
              </a>
              {marksOf(line, lane).map(({ mark, at }) => (
                <a
                  key={mark.row.id}
                  href={hrefOfRun(mark.runs[0])}
                  class={`at look ${lookOf(mark)}`}
                  style={{ left: `${namesPx + mark.column * COLUMN_PX}px` }}
                  aria-current={at === chosenAt ? "true" : undefined}
                  tabIndex={at === entry ? 0 : -1}
                  data-at={at}
                  onClick={(event) => {
                    event.preventDefault();
                    choose(mark.row);
                  }}
                >
                  {escaped(labelOf(mark))}
                </a>
              ))}
            </div>
          ))}
          {chosen !== undefined && <Chain line={line} chosen={chosen} at={chosenAt} isNarrow={isNarrow} />}
          <Axis line={line} namesPx={namesPx} />
        </div>
      </div>
      <Legend marks={line.marks} />
    </>
  );
}

/** The meanings of the marks that a time line has. */
function Legend({ marks }: Pick<TimeLine, "marks">) {
  const drawn = new Set(marks.map(lookOf));
  return (
    <ul class="legend muted" aria-label="Marks">
      {(Object.keys(LOOKS) as RunLook[])
        .filter((look) => drawn.has(look))
        .map((look) => (
          <li key={look}>
            <i class={`look ${look}`} aria-hidden="true" /> {LOOKS[look]}
          </li>
        ))}
    </ul>
  );
}

const LOOKS: { readonly [look in RunLook]: string } = {
  wrote: "wrote",
  failed: "failed",
  waits: "waits",
  postponed: "postponed until newer data arrived",
  idle: "nothing to do, or a later run by itself",
};

/** The right end stays in view, unless a person has scrolled away from it or has the focus there. */
function useNewestInView(scroller: { readonly current: HTMLElement | null }, columns: number): void {
  const widthBefore = useRef(0);
  useLayoutEffect(() => {
    const { current: element } = scroller;
    if (element === null) return;
    const { scrollLeft, clientWidth, scrollWidth } = element;
    const wasAtEnd = scrollLeft + clientWidth >= widthBefore.current - COLUMN_PX;
    widthBefore.current = scrollWidth;
    if (wasAtEnd && !element.contains(document.activeElement)) element.scrollLeft = scrollWidth;
  }, [columns]);
}

/** The marks of a lane, with their places among all. */
function marksOf({ marks }: TimeLine, lane: number) {
  return marks.map((mark, at) => ({ mark, at })).filter(({ mark }) => mark.lane === lane);
}

function markAt(field: HTMLElement, at: number): HTMLElement | null {
  return field.querySelector<HTMLElement>(`[data-at="${at}"]`);
}

/** Scrolls sideways only: the names cover the left edge. */
function keepInView(scroller: HTMLElement, mark: HTMLElement | null, namesPx: number): void {
  if (mark === null) return;
  const left = mark.offsetLeft - namesPx - 2 * COLUMN_PX;
  const right = mark.offsetLeft + 3 * COLUMN_PX - scroller.clientWidth;
  if (scroller.scrollLeft > left) scroller.scrollLeft = left;
  else if (scroller.scrollLeft < right) scroller.scrollLeft = right;
}

function lookOf({ row }: LaneMark): RunLook {
  return row.type === "idle" ? "idle" : runText(row.run).look;
}

/** Returns `12m ago: apply MachinePool/status default/p1, for MachinePool default/p1`. */
function labelOf({ row, runs: [run] }: LaneMark): string {
  if (run === undefined) return "";
  const age = ageText(serverNow() - Date.parse(run.endedAt));
  const did = row.type === "idle" ? "nothing to do" : runText(run).text;
  return `${age} ago: ${did.slice(0, MAX_LABEL_CHARS)}, for ${objectOfKey(run.key).slice(0, MAX_LABEL_CHARS)}`;
}
const MAX_LABEL_CHARS = 160;

interface ChainProps {
  readonly line: TimeLine;
  readonly chosen: Run;
  readonly at: number;
  readonly isNarrow: boolean;
}

/** Lines from the runs that caused the chosen one, and to those that it caused. */
function Chain({ line, chosen, at, isNarrow }: ChainProps) {
  const mark = line.marks[at];
  if (mark === undefined) return null;
  const { lanePx, middlePx, namesPx } = isNarrow ? NARROW : WIDE;
  const x = ({ column }: LaneMark) => namesPx + (column + 0.5) * COLUMN_PX;
  const y = ({ lane }: LaneMark) => lane * lanePx + middlePx;
  const curve = (from: LaneMark, to: LaneMark) => {
    const middle = (x(from) + x(to)) / 2;
    return `M${x(from)} ${y(from)}C${middle} ${y(from)} ${middle} ${y(to)} ${x(to)} ${y(to)}`;
  };
  const { causes, effects } = neighboursOf(line, chosen);
  return (
    <svg
      class="chain"
      width={namesPx + line.columns * COLUMN_PX}
      height={line.lanes.length * lanePx}
      aria-hidden="true"
    >
      <path class="causes" d={causes.map((cause) => curve(cause, mark)).join("")} />
      <path class="effects" d={effects.map((effect) => curve(mark, effect)).join("")} />
    </svg>
  );
}

/** Shows when runs ended, below some of their columns, and how long each pause was. */
function Axis({ line, namesPx }: { readonly line: TimeLine; readonly namesPx: number }) {
  const { marks, pauses } = line;
  const oldestOf = new Map(marks.toReversed().map(({ column, runs }) => [column, runs.at(-1)]));
  const left = (column: number) => ({ left: `${namesPx + column * COLUMN_PX}px` });
  return (
    <div class="axis muted" aria-hidden="true">
      {timedColumns(line).map((column) => (
        <span key={column} style={left(column)}>
          {timeText(oldestOf.get(column)?.endedAt)}
        </span>
      ))}
      {pauses.map(({ column, ms }) => (
        <span
          key={`pause ${column}`}
          class="pause"
          style={left(column)}
          title={`Nothing ran for ${ageText(ms)}.`}
        >
          {ageText(ms)}
        </span>
      ))}
    </div>
  );
}

/** Returns `14:03:21`, by the clock of the reader; of another day with its date. */
function timeText(time: string | undefined): string {
  if (time === undefined) return "";
  const [at, now] = [new Date(time), new Date(serverNow())];
  const clock = at.toTimeString().slice(0, 8);
  return at.toDateString() === now.toDateString() ? clock : `${at.getMonth() + 1}/${at.getDate()} ${clock}`;
}
