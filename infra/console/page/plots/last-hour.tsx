import { useMemo, useState } from "preact/hooks";
import type { Me } from "../../api/me.ts";
import type { SamplesAnswer } from "../../api/queue.ts";
import { useTopic } from "../data/hooks.ts";
import { type Column, Grid } from "../list/grid.tsx";
import { Chips } from "../parts/filters.tsx";
import { Part } from "../parts/part.tsx";
import { Age, Mark } from "../parts/text.tsx";
import { addressWith, useAddress } from "../place/location.ts";
import { pathOf } from "../place/place.ts";
import { countText, durationText } from "../text/words.ts";
import { Plot } from "./plot.tsx";
import { type HourRow, hourRows, isKnown, PLOTS, rateText } from "./series.ts";

/** Shows how a function stood during the last hour, as plots or as the table behind them. */
export function LastHour({ of: name }: { readonly of: string }) {
  const { query } = useAddress();
  const { body: me } = useTopic<Me>("me");
  const answer = useTopic<SamplesAnswer>(pathOf("queue", name, "samples").slice(1));
  const isTable = query.get("as") === "table";
  return (
    <Part
      title="Last hour"
      answer={answer}
      aside={
        me?.dashboardsUrl !== undefined && (
          <a href={me.dashboardsUrl} target="_blank" rel="noreferrer">
            Longer, on your dashboards
          </a>
        )
      }
      end={
        <Chips
          label="The last hour as"
          chips={[
            { title: "Plots", count: undefined, href: addressWith("as", ""), isOn: !isTable },
            { title: "Table", count: undefined, href: addressWith("as", "table"), isOn: isTable },
          ]}
        />
      }
    >
      {(samples) => <Hour name={name} samples={samples} isTable={isTable} />}
    </Part>
  );
}

interface HourProps {
  readonly name: string;
  readonly samples: SamplesAnswer;
  readonly isTable: boolean;
}

function Hour({ name, samples, isTable }: HourProps) {
  const rows = useMemo(() => hourRows(samples), [samples]);
  if (!isKnown(rows))
    return (
      <p class="sheet say">
        <Mark of="unknown" bare /> Nothing is known yet: every 10 s one row is noted, as long as the relay
        runs.
      </p>
    );
  if (isTable) return <HourTable name={name} rows={rows} />;
  return (
    <div class="sheet plots">
      {PLOTS.map((plot) => (
        <Plot key={plot.title} plot={plot} rows={rows} />
      ))}
    </div>
  );
}

/** Five minutes. */
const FIRST_ROWS = 30;

function HourTable({ name, rows }: { readonly name: string; readonly rows: readonly HourRow[] }) {
  const [all, showAll] = useState(false);
  const newestFirst = rows.filter(({ ready }) => ready !== null).toReversed();
  const shown = all ? newestFirst : newestFirst.slice(0, FIRST_ROWS);
  return (
    <>
      <Grid
        label="The last hour"
        one="row"
        of={name}
        rows={shown}
        columns={COLUMNS}
        idOf={({ atMs }) => String(atMs)}
      />
      {shown.length < newestFirst.length && (
        <button type="button" class="button later" onClick={() => showAll(true)}>
          The whole hour
        </button>
      )}
    </>
  );
}

function column(
  title: string,
  of: Exclude<keyof HourRow, "atMs">,
  textOf: (value: number) => string,
  narrow?: "first" | "second" | "end",
): Column<HourRow> {
  return {
    title,
    width: "minmax(72px, 1fr)",
    isNumber: true,
    cell: ({ [of]: value }) =>
      value === null ? null : <span class={value === 0 ? "muted" : ""}>{textOf(value)}</span>,
    ...(narrow === undefined ? {} : { narrow }),
  };
}

const COLUMNS: readonly Column<HourRow>[] = [
  {
    title: "Ago",
    width: "64px",
    narrow: "end",
    cell: ({ atMs }) => <Age since={new Date(atMs).toISOString()} />,
  },
  column("Runs / s", "runsPerSecond", rateText, "first"),
  column("Failures / s", "failuresPerSecond", rateText),
  column("p50", "p50Ms", durationText),
  column("p99", "p99Ms", durationText, "second"),
  column("Ready", "ready", countText),
  column("Running", "running", countText),
  column("Waiting", "waiting", countText),
  column("Dead", "dead", countText),
];
