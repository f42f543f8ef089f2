import { useState } from "preact/hooks";
import type { Durations, QueueAnswer, QueueItem, SamplesAnswer } from "../../api/queue.ts";
import { useRoute, useTopic } from "../data/hooks.ts";
import { type Column, Grid } from "../list/grid.tsx";
import { Filter } from "../parts/filters.tsx";
import { Part, WhenCurrent } from "../parts/part.tsx";
import { Mark } from "../parts/text.tsx";
import { useAddress } from "../place/location.ts";
import { pathOf } from "../place/place.ts";
import { Plot } from "../plots/plot.tsx";
import { hourRows, isKnown, QUEUE_PLOT } from "../plots/series.ts";
import { ageText, counted, countText, durationText, oldestMs, queueState } from "../text/words.ts";

/** The queue of every function. */
export function QueuePage() {
  const answer = useTopic<QueueAnswer>("queue");
  // Sums over all namespaces.
  const isTimed = useRoute("GET /durations") === true && answer.body?.all === true;
  const durations = useTopic<Durations>(isTimed ? "durations" : undefined).body?.items ?? [];
  const text = useAddress().query.get("q") ?? "";
  return (
    <>
      <div class="head">
        <h1>Queue</h1>
        {answer.body !== undefined && <span class="muted">{sums(answer.body)}</span>}
      </div>
      {isTimed && <QueuePlot />}
      <Part
        title="Functions"
        answer={answer}
        aside={answer.body?.all === false ? "sums of the namespaces that you may see" : undefined}
        end={<Filter name="q" value={text} label="Filter by name" />}
      >
        {({ items }) => (
          <Table items={items.map((item) => ({ ...durationsOf(durations, item), ...item }))} text={text} />
        )}
      </Part>
    </>
  );
}

/** Shows ready keys, the oldest of them, runs and failures. */
function QueuePlot() {
  return (
    <Part title="Last hour" answer={useTopic<SamplesAnswer>("queue/all/samples")}>
      {(samples) => {
        const rows = hourRows(samples);
        if (!isKnown(rows))
          return <p class="sheet say">Nothing is known yet: the relay notes a row every 10 s.</p>;
        return (
          <div class="sheet plots">
            <Plot plot={QUEUE_PLOT} rows={rows} />
          </div>
        );
      }}
    </Part>
  );
}

function sums({ items }: QueueAnswer): string {
  const sum = (of: (item: QueueItem) => number) => countText(items.reduce((all, item) => all + of(item), 0));
  return `${sum(({ ready }) => ready)} ready, ${sum(({ running }) => running)} running, ${sum(({ waiting }) => waiting)} waiting, ${sum(({ dead }) => dead)} dead`;
}

type Duration = Durations["items"][number];
/** A row with how long its runs take, where that is known. */
type Row = QueueItem & Partial<Pick<Duration, "p50Ms" | "p99Ms">>;

function durationsOf(all: readonly Duration[], { function: name }: QueueItem) {
  const { p50Ms, p99Ms } = all.find((each) => each.function === name) ?? {};
  return { p50Ms, p99Ms };
}

function Table({ items, text }: { readonly items: readonly Row[]; readonly text: string }) {
  const [showsQuiet, showQuiet] = useState(false);
  const rows = items.filter(({ function: name }) => name.includes(text.trim().toLowerCase()));
  if (rows.length === 0)
    return (
      <p class="sheet say">
        {items.length === 0 ? (
          "No function has a queue that you may see."
        ) : (
          <>
            <b>No function matches.</b> <a href="/queue">Show all</a>
          </>
        )}
      </p>
    );
  const quiet = text === "" ? rows.filter(isQuiet) : [];
  const shown = showsQuiet ? rows : rows.filter((row) => !quiet.includes(row));
  return (
    <>
      {shown.length > 0 && (
        <Grid label="Functions" one="function" of="queue" rows={shown} columns={COLUMNS} idOf={idOf} />
      )}
      {quiet.length > 0 && (
        <button type="button" class="button later" onClick={() => showQuiet(!showsQuiet)}>
          {showsQuiet ? "Fold quiet functions" : `${counted(quiet.length, "quiet function")}`}
        </button>
      )}
    </>
  );
}

/** It has nothing to do, has done nothing for a minute, and nothing is wrong with it. */
function isQuiet(row: Row): boolean {
  const { ready, running, lastMinute } = row;
  return queueState(row).mark === "healthy" && ready + running + (lastMinute?.runs ?? 0) === 0;
}

const number = (title: string, of: (item: Row) => number | undefined, width = "52px"): Column<Row> => ({
  title,
  width,
  isNumber: true,
  cell: (item) => {
    const count = of(item);
    if (count === undefined) return null;
    return <span class={count === 0 ? "muted" : ""}>{countText(count)}</span>;
  },
});

/** The column of the time than which half of the last minute's runs, or 99 of 100, took no longer. */
const duration = (title: string, of: (item: Row) => number | undefined): Column<Row> => ({
  title,
  width: "56px",
  isNumber: true,
  cell: (item) => {
    const ms = of(item);
    return ms === undefined ? null : durationText(ms);
  },
});

const COLUMNS: readonly Column<Row>[] = [
  {
    title: "Function",
    width: "minmax(140px, 208px)",
    narrow: "first",
    cell: (item) => (
      <span class="named">
        <Mark of={queueState(item).mark} bare />
        <a href={pathOf("queue", item.function)}>{item.function}</a>
      </span>
    ),
  },
  {
    title: "State",
    // The longest word is not cut on a page of 1,024 px.
    width: "minmax(144px, 1fr)",
    narrow: "second",
    cell: (item) => (
      <span class={queueState(item).mark === "healthy" ? "muted" : ""}>
        <QueueWord item={item} />
      </span>
    ),
  },
  number("Ready", ({ ready }) => ready),
  {
    title: "Oldest",
    width: "52px",
    isNumber: true,
    cell: (item) => {
      const ms = oldestMs(item);
      return ms === undefined ? null : ageText(ms);
    },
  },
  number("Running", ({ running }) => running),
  number("Waiting", ({ waiting }) => waiting),
  {
    title: "Dead",
    width: "52px",
    isNumber: true,
    narrow: "end",
    cell: ({ dead }) => <span class={dead === 0 ? "muted" : "bad"}>{countText(dead)}</span>,
  },
  number("Runs / min", ({ lastMinute }) => lastMinute?.runs ?? 0, "72px"),
  duration("p50", ({ p50Ms }) => p50Ms),
  duration("p99", ({ p99Ms }) => p99Ms),
];

/** Shows the state in a word: without the changes that a relay brings, an empty queue says nothing. */
export function QueueWord({ item }: { readonly item: QueueItem }) {
  const { mark, word } = queueState(item);
  return <WhenCurrent or={mark === "healthy" ? "Changes may be missing" : word}>{word}</WhenCurrent>;
}

function idOf({ function: name }: QueueItem): string {
  return name;
}
