import type { Run, Runs } from "../../api/runs.ts";
import { useTopic } from "../data/hooks.ts";
import { usePages } from "../list/use-pages.ts";
import { Age } from "../parts/age.tsx";
import { Chips } from "../parts/chips.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { Part } from "../parts/part.tsx";
import { useAddress } from "../place/location.ts";
import { RunRow } from "./run-row.tsx";

interface Props {
  /** Path of the object or Cluster, below `/api/v1/`. */
  readonly of: string;
  /** The object of each run is shown: the runs are of several. */
  readonly isMixed?: boolean;
}

const FILTERS = [
  ["", "All"],
  ["wrote", "Wrote"],
  ["failed", "Failed"],
] as const;

/** The runs of an object or of all objects of a Cluster, newest first (W-103). */
export function History({ of, isMixed = false }: Props) {
  const { path, query } = useAddress();
  const only = query.get("only") ?? "";
  const fn = query.get("function") ?? "";
  const topic = `${of}/runs?${new URLSearchParams({ ...(only && { only }), ...(fn && { function: fn }), limit: "100" })}`;
  const answer = useTopic<Runs>(topic);
  const hrefWith = (value: string): string => {
    const next = new URLSearchParams({
      ...(value && { only: value }),
      ...(fn && { function: fn }),
    }).toString();
    return next === "" ? path : `${path}?${next}`;
  };
  return (
    <Part
      title="History"
      answer={answer}
      aside={<Known runs={answer.body} fn={fn} path={path} />}
      end={
        <Chips
          label="Runs"
          chips={FILTERS.map(([value, title]) => ({
            title,
            count: undefined,
            href: hrefWith(value),
            isOn: only === value,
          }))}
        />
      }
    >
      {(runs) => (
        <List
          topic={topic}
          runs={runs}
          isMixed={isMixed}
          open={query.get("run")}
          isFiltered={only !== "" || fn !== ""}
        />
      )}
    </Part>
  );
}

function Known({
  runs,
  fn,
  path,
}: {
  readonly runs: Runs | undefined;
  readonly fn: string;
  readonly path: string;
}) {
  return (
    <>
      {fn !== "" && (
        <>
          of <Foreign text={fn} /> (<a href={path}>all functions</a>){" "}
        </>
      )}
      {runs?.knownSince !== undefined && (
        <>
          known for <Age since={runs.knownSince} />
        </>
      )}
    </>
  );
}

interface ListProps {
  readonly topic: string;
  readonly runs: Runs;
  readonly isMixed: boolean;
  readonly open: string | null;
  readonly isFiltered: boolean;
}

function List({ topic, runs, isMixed, open, isFiltered }: ListProps) {
  const { rows, more } = usePages<Run>(topic, runs, idOf);
  if (rows.length === 0)
    return (
      <p class="sheet say">
        <Mark of="unknown" bare />{" "}
        {isFiltered
          ? "No run matches."
          : "No run is known. History is a note of the last 24 hours; older runs are in the log."}
      </p>
    );
  return (
    <>
      <ol class={isMixed ? "sheet runs mixed" : "sheet runs"}>
        {rows.map((run) => (
          <RunRow key={idOf(run)} run={run} isMixed={isMixed} isOpen={run.runId === open} />
        ))}
      </ol>
      {more !== undefined && (
        <button type="button" class="button later" onClick={more}>
          Older runs
        </button>
      )}
    </>
  );
}

function idOf({ function: name, runId }: Run): string {
  return `${name} ${runId}`;
}
