import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Run } from "../../api/runs.ts";
import { Fact } from "../parts/facts.tsx";
import { Cause, PlaceLink } from "../parts/links.tsx";
import { Age, Foreign } from "../parts/text.tsx";
import { hrefOf } from "../place/place.ts";
import { objectOfKey } from "../text/words.ts";

/** Causes, writes and failure of a run; a cause leads to the run that wrote it, a write to the runs that it caused. */
export function RunDetails({ run }: { readonly run: Run }) {
  const { failure, waitingFor, afterMs, times = 1, since, endedAt } = run;
  return (
    <dl class="facts">
      <Fact title="Run">
        <span class="mono">
          <Foreign text={run.runId} />
        </span>
      </Fact>
      <Fact title="Ended">
        {endedAt}
        {times > 1 && since !== undefined && `; the first of ${times} equal runs ended ${since}`}
      </Fact>
      <Fact title="Because of">
        <Causes run={run} />
      </Fact>
      {failure !== undefined && (
        <Fact title="Failed">
          <span class="bad">
            <Foreign text={`${failure.reason}: ${failure.message}`} />
          </span>
        </Fact>
      )}
      {run.writes.length > 0 && (
        <Fact title="Wrote">
          <Writes run={run} />
        </Fact>
      )}
      {waitingFor !== undefined && (
        <Fact title={afterMs === undefined ? "Waits for" : "Runs again"}>
          <Foreign text={waitingFor} />
        </Fact>
      )}
      {afterMs !== undefined && (
        <Fact title="Next run">
          <Age since={new Date(Date.parse(endedAt) + afterMs).toISOString()} />
        </Fact>
      )}
      {run.caused.length > 0 && (
        <Fact title="Led to">
          <ul>
            {run.caused.map((next) => (
              <li key={`${next.function} ${next.runId}`}>
                <RunLink run={next} />
              </li>
            ))}
          </ul>
        </Fact>
      )}
    </dl>
  );
}

function Causes({ run: { causes, causedBy } }: { readonly run: Run }) {
  if (causes.length === 0) return <span class="muted">not known</span>;
  return (
    <ul>
      {causes.map((cause, at) => {
        const by = causedBy[at] ?? undefined;
        return (
          <Cause key={`${cause.what} ${cause.resourceVersion}`} cause={cause}>
            {by !== undefined && (
              <>
                , written by <RunLink run={by} />
              </>
            )}
          </Cause>
        );
      })}
    </ul>
  );
}

function Writes({ run: { writes, moreWrites } }: { readonly run: Run }) {
  return (
    <ul>
      {writes.map((write, at) => (
        <li key={`${at} ${write.what}`}>
          {write.verb} <PlaceLink text={write.what} />
          <span class="muted">
            {write.subresource !== undefined && ` ${write.subresource}`}
            {write.cluster !== "management" && ` in the workload cluster ${write.cluster}`}
            {write.resourceVersion !== undefined && ` → version ${write.resourceVersion}`}
          </span>
          <Changes write={write} />
        </li>
      ))}
      {moreWrites !== undefined && <li class="muted">and {moreWrites} more</li>}
    </ul>
  );
}

function Changes({ write: { changes, moreChanges } }: { readonly write: Run["writes"][number] }) {
  if (changes.length === 0) return null;
  return (
    <ul class="changes mono">
      {changes.map(({ path, value, removed }) => (
        <li key={path}>
          <Foreign text={path} />
          {value !== undefined && (
            <>
              {" "}
              <span class="muted">=</span> <Foreign text={String(value)} />
            </>
          )}
          {removed === true && <span class="muted"> given up</span>}
        </li>
      ))}
      {moreChanges !== undefined && <li class="muted">and {moreChanges} more fields</li>}
    </ul>
  );
}

type RunPlace = Run["caused"][number];

/** Chooses a run of the history on this page; false: another page has it. */
export const ChooseRun = createContext<(run: RunPlace) => boolean>(() => false);

/** Leads to a run before or behind another: on this page, where its history has it. */
function RunLink({ run }: { readonly run: RunPlace }) {
  const choose = useContext(ChooseRun);
  return (
    <a
      href={hrefOf({ type: "run", ...run })}
      onClick={(event) => {
        if (choose(run)) event.preventDefault();
      }}
    >
      <Foreign text={`${run.function} for ${objectOfKey(run.key)}`} />
    </a>
  );
}
