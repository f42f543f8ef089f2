import type { Run } from "../../api/runs.ts";
import { type Column, Grid } from "../list/grid.tsx";
import { Age, Foreign } from "../parts/text.tsx";
import { counted, countText, durationText, objectOfKey } from "../text/words.ts";
import { type HistoryRow, runText } from "./runs.ts";

interface Props {
  /** Identifies the list: another filter is another list. */
  readonly of: string;
  /** Newest first. */
  readonly rows: readonly HistoryRow[];
  /** The object of each run is shown: the runs are of several. */
  readonly isMixed: boolean;
  readonly choose: (row: HistoryRow) => void;
  readonly hrefOfRun: (run: Run) => string;
  readonly more: (() => void) | undefined;
}

/** Runs as a list: the same as the time line, for reading. */
export function RunGrid({ of, rows, more, ...props }: Props) {
  return (
    <Grid
      label="Runs"
      one="run"
      of={of}
      rows={rows}
      columns={columnsOf(props)}
      idOf={({ id }) => id}
      more={more}
    />
  );
}

type Choosing = Pick<Props, "isMixed" | "choose" | "hrefOfRun">;

function columnsOf({ isMixed, choose, hrefOfRun }: Choosing): readonly Column<HistoryRow>[] {
  const object: Column<HistoryRow> = {
    title: "Object",
    width: "minmax(120px, 220px)",
    cell: (row) => row.type === "run" && <Foreign text={objectOfKey(row.run.key)} maxChars={80} />,
  };
  return [
    {
      title: "Ended",
      width: "56px",
      narrow: "end",
      cell: (row) => <Age since={newestOf(row)?.endedAt ?? ""} />,
    },
    {
      title: "Function",
      width: "minmax(150px, 210px)",
      narrow: "first",
      cell: (row) =>
        row.type === "idle" ? (
          <button type="button" class="plain" onClick={() => choose(row)}>
            {functionsText(row.runs)}
          </button>
        ) : (
          <a
            class="mono"
            href={hrefOfRun(row.run)}
            onClick={(event) => {
              event.preventDefault();
              choose(row);
            }}
          >
            <Foreign text={row.run.function} maxChars={80} />
          </a>
        ),
    },
    ...(isMixed ? [object] : []),
    {
      title: "Because of",
      width: "minmax(120px, 260px)",
      cell: (row) => {
        const cause = row.type === "run" ? row.run.causes[0] : undefined;
        return cause !== undefined && <Foreign text={cause.what} maxChars={120} />;
      },
    },
    { title: "Did", width: "minmax(160px, 1fr)", narrow: "second", cell: (row) => <Did row={row} /> },
    {
      title: "Took",
      width: "64px",
      isNumber: true,
      cell: (row) => row.type === "run" && <span class="muted">{durationText(row.run.durationMs)}</span>,
    },
  ];
}

function newestOf(row: HistoryRow): Run | undefined {
  return row.type === "run" ? row.run : row.runs[0];
}

function functionsText(runs: readonly Run[]): string {
  return counted(new Set(runs.map((run) => run.function)).size, "function");
}

function Did({ row }: { readonly row: HistoryRow }) {
  if (row.type === "idle")
    return (
      <>
        <i class="look idle" aria-hidden="true" />{" "}
        <span class="muted">{countText(row.times)} × nothing to do</span>
      </>
    );
  const { look, text } = runText(row.run);
  return (
    <>
      <i class={`look ${look}`} aria-hidden="true" />{" "}
      <span class={look === "failed" ? "bad" : ""}>
        <Foreign text={text} />
      </span>
    </>
  );
}
