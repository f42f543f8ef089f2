import { useEffect, useRef } from "preact/hooks";
import type { Run } from "../../api/runs.ts";
import { Age } from "../parts/age.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Mark } from "../parts/mark.tsx";
import { durationText } from "../text/amounts.ts";
import { objectOfKey } from "../text/keys.ts";
import { RunDetails } from "./run-details.tsx";
import { runText } from "./run-text.ts";

interface Props {
  readonly run: Run;
  readonly isMixed: boolean;
  readonly isOpen: boolean;
}

/** One run: a line, and behind it its causes, writes and failure. */
export function RunRow({ run, isMixed, isOpen }: Props) {
  const row = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    if (isOpen) row.current?.scrollIntoView({ block: "center" });
  }, [isOpen]);
  const { mark, text } = runText(run);
  const [cause] = run.causes;
  return (
    <li>
      <details ref={row} open={isOpen}>
        <summary data-row="">
          <span class="when">
            <Age since={run.endedAt} />
          </span>
          <span class="fn mono">
            <Foreign text={run.function} />
          </span>
          {isMixed && (
            <span class="clip muted">
              <Foreign text={objectOfKey(run.key)} maxChars={80} />
            </span>
          )}
          <span class="clip because">
            {cause !== undefined && <Foreign text={cause.what} maxChars={120} />}
          </span>
          <span class={mark === "failing" ? "clip did bad" : "clip did"}>
            <Mark of={mark} bare /> <Foreign text={text} />
          </span>
          <span class="number muted took">{durationText(run.durationMs)}</span>
        </summary>
        <div class="details">
          <RunDetails run={run} />
        </div>
      </details>
    </li>
  );
}
