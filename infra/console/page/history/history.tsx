import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Run, Runs } from "../../api/runs.ts";
import { useTopic } from "../data/hooks.ts";
import { usePages } from "../list/grid.tsx";
import { Chips } from "../parts/filters.tsx";
import { PlaceLink } from "../parts/links.tsx";
import { Part } from "../parts/part.tsx";
import { Age, Foreign, Json, Mark } from "../parts/text.tsx";
import { addressWith, setQuery, useAddress } from "../place/location.ts";
import { objectOfKey } from "../text/words.ts";
import { Lanes } from "./lanes.tsx";
import { ChooseRun, RunDetails } from "./run-details.tsx";
import { RunGrid } from "./run-grid.tsx";
import { foldIdle, type HistoryRow, idOf } from "./runs.ts";

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

/** The runs of an object or of all objects of a Cluster: as a time line, the chosen one, and as a list. */
export function History({ of, isMixed = false }: Props) {
  const { query } = useAddress();
  const only = query.get("only") ?? "";
  const fn = query.get("function") ?? "";
  const topic = `${of}/runs?${new URLSearchParams({ ...(only && { only }), ...(fn && { function: fn }), limit: "100" })}`;
  const answer = useTopic<Runs>(topic);
  return (
    <Part
      title="History"
      answer={answer}
      aside={<Known runs={answer.body} fn={fn} hrefOfAll={addressWith("function", "")} />}
      end={
        <Chips
          label="Runs"
          chips={FILTERS.map(([value, title]) => ({
            title,
            count: undefined,
            href: addressWith("only", value),
            isOn: only === value,
          }))}
        />
      }
    >
      {(runs) => (
        <TimeLine
          key={topic}
          {...{ of, topic, runs, isMixed }}
          chosen={query.get("run") ?? ""}
          by={query.get("by") ?? ""}
          isFiltered={only !== "" || fn !== ""}
          hrefOfRun={(run) => addressWith("run", run?.runId ?? "")}
          hrefOfLane={(name) => addressWith("function", name)}
        />
      )}
    </Part>
  );
}

interface KnownProps {
  readonly runs: Runs | undefined;
  readonly fn: string;
  readonly hrefOfAll: string;
}

function Known({ runs, fn, hrefOfAll }: KnownProps) {
  return (
    <>
      {fn !== "" && (
        <>
          of <Foreign text={fn} /> (<a href={hrefOfAll}>all functions</a>){" "}
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

interface TimeLineProps {
  readonly of: string;
  readonly topic: string;
  readonly runs: Runs;
  readonly isMixed: boolean;
  /** Id of the chosen run; empty: none. */
  readonly chosen: string;
  /** Its function. */
  readonly by: string;
  readonly isFiltered: boolean;
  readonly hrefOfRun: (run: Run | undefined) => string;
  readonly hrefOfLane: (functionName: string) => string;
}

function TimeLine({ of, topic, runs, isMixed, chosen, by, isFiltered, ...hrefs }: TimeLineProps) {
  const { rows: known, more } = usePages<Run>(topic, runs, idOf);
  const [unfolded, setUnfolded] = useState<ReadonlySet<string>>(new Set());
  const rows = useMemo(() => foldIdle(known, unfolded), [known, unfolded]);
  const run = known.find(({ runId }) => runId === chosen);
  const choose = (row: HistoryRow): void => {
    if (row.type === "idle") setUnfolded((before) => new Set(before).add(row.id));
    else setQuery("run", row.run === run ? "" : row.run.runId);
  };
  const chooseKnown = (place: Run["caused"][number]): boolean => {
    const isKnown = known.some((one) => one.runId === place.runId);
    if (isKnown) setQuery("run", place.runId);
    return isKnown;
  };
  const close = (): void => setQuery("run", "");
  if (rows.length === 0) return <Nothing isFiltered={isFiltered} />;
  return (
    <ChooseRun.Provider value={chooseKnown}>
      <Lanes rows={rows} chosen={run} choose={choose} {...hrefs} />
      {run !== undefined && <ChosenRun run={run} close={close} />}
      {run === undefined && chosen !== "" && by !== "" && (
        <LookedUpRun of={of} function={by} runId={chosen} close={close} />
      )}
      <RunGrid
        of={`${topic} ${unfolded.size}`}
        {...{ rows, isMixed, choose, more }}
        hrefOfRun={hrefs.hrefOfRun}
      />
    </ChooseRun.Provider>
  );
}

function Nothing({ isFiltered }: { readonly isFiltered: boolean }) {
  return (
    <p class="sheet say">
      <Mark of="unknown" bare />{" "}
      {isFiltered
        ? "No run matches."
        : "No run is known. History is a note of the last 24 hours; older runs are in the log."}
    </p>
  );
}

/** Shows everything about the run that a person has chosen: cause, decision, writes, next runs. */
function ChosenRun({ run, close }: { readonly run: Run; readonly close: () => void }) {
  const place = useRef<HTMLElement>(null);
  useEffect(() => place.current?.scrollIntoView({ block: "nearest" }), [run.runId]);
  return (
    <section class="sheet chosen" ref={place} aria-label="Chosen run">
      <header>
        <h3>
          <Foreign text={run.function} /> for <PlaceLink text={objectOfKey(run.key)} place={run.object} />
        </h3>
        <span class="muted">
          <Age since={run.endedAt} />
        </span>
        <button type="button" class="plain" onClick={close}>
          Close
        </button>
      </header>
      <RunDetails run={run} />
      <details class="unfold">
        <summary>As JSON</summary>
        <Json text={JSON.stringify(run, undefined, 2)} />
      </details>
    </section>
  );
}

interface LookedUpProps {
  /** Path of the object or Cluster, below `/api/v1/`. */
  readonly of: string;
  readonly function: string;
  readonly runId: string;
  readonly close: () => void;
}

/** A chosen run that is not among those on the page: looked for in all of its function. */
function LookedUpRun({ of, function: name, runId, close }: LookedUpProps) {
  const { body } = useTopic<Runs>(`${of}/runs?${new URLSearchParams({ function: name, limit: "200" })}`);
  const run = body?.items.find((one) => one.runId === runId);
  if (run !== undefined) return <ChosenRun run={run} close={close} />;
  if (body === undefined) return null;
  return (
    <p class="sheet say" role="status">
      Run <Foreign text={runId} maxChars={80} /> is forgotten: of each function and object the last 20 are
      kept, for 24 hours. The log has it by its id.
    </p>
  );
}
