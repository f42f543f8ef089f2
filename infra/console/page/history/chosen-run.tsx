import { useEffect, useRef } from "preact/hooks";
import type { Run, Runs } from "../../api/runs.ts";
import { useTopic } from "../data/hooks.ts";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Json } from "../parts/json.tsx";
import { PlaceLink } from "../parts/place-link.tsx";
import { objectOfKey } from "../text/keys.ts";
import { RunDetails } from "./run-details.tsx";

/** Shows everything about the run that a person has chosen: cause, decision, writes, next runs. */
export function ChosenRun({ run, close }: { readonly run: Run; readonly close: () => void }) {
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
export function LookedUpRun({ of, function: name, runId, close }: LookedUpProps) {
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
