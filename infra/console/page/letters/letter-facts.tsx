import type { LetterAnswer } from "../../api/letters.ts";
import { Table, type TableColumn, Wide } from "../parts/facts.tsx";
import { Cause } from "../parts/links.tsx";
import { Age, Foreign } from "../parts/text.tsx";
import { durationText } from "../text/words.ts";
import { type Attempt, letterBody } from "./letter-body.ts";

/** Attempts, causes, reads and writes of a letter. */
export function LetterFacts({ letter }: { readonly letter: NonNullable<LetterAnswer["letter"]> }) {
  const { attempts, causes, reads, writes, stack, truncated, build } = letterBody(letter);
  return (
    <>
      <section class="part" aria-label="Attempts">
        <header>
          <h2>Attempts</h2>
          {build !== undefined && (
            <span class="aside">
              by Capstan <Foreign text={build} />
            </span>
          )}
        </header>
        <Attempts attempts={attempts} />
      </section>
      <div class="columns">
        <Lines title="Read" lines={reads} none="It read nothing, or its reads were not recorded." />
        <Lines title="Wrote" lines={writes} none="It sent no request." />
      </div>
      <section class="part" aria-label="Causes">
        <header>
          <h2>Causes</h2>
        </header>
        <ul class="sheet lines">
          {causes.map((cause) => (
            <Cause key={`${cause.what} ${cause.resourceVersion}`} cause={cause} />
          ))}
          {causes.length === 0 && <li class="muted">No cause is recorded.</li>}
        </ul>
      </section>
      {truncated.length > 0 && <Lines title="Left out: too large" lines={truncated} none="" />}
      {stack !== undefined && (
        <details class="part stack">
          <summary data-row="">Stack of the last failure</summary>
          <pre class="sheet">
            <Foreign text={stack} lines maxChars={8_192} />
          </pre>
        </details>
      )}
    </>
  );
}

function Attempts({ attempts }: { readonly attempts: readonly Attempt[] }) {
  return (
    <Wide label="Table of attempts">
      <Table
        class="sheet plain-table"
        columns={ATTEMPT_COLUMNS}
        rows={attempts}
        idOf={({ start, failures }) => `${start} ${failures}`}
      />
    </Wide>
  );
}

const ATTEMPT_COLUMNS: readonly TableColumn<Attempt>[] = [
  { title: "Began", cell: ({ start }) => <Age since={start} /> },
  { title: "Failures", class: "number", cell: ({ failures }) => failures },
  {
    title: "Took",
    class: "number",
    cell: ({ durationMs }) => durationMs !== undefined && durationText(durationMs),
  },
  {
    title: "Run",
    class: "mono id",
    cell: ({ run }) => run !== undefined && <Foreign text={run} maxChars={80} />,
  },
  { title: "Error", cell: ({ error }) => <Foreign text={error} /> },
];

function Lines({
  title,
  lines,
  none,
}: {
  readonly title: string;
  readonly lines: readonly string[];
  readonly none: string;
}) {
  return (
    <section class="part" aria-label={title}>
      <header>
        <h2>{title}</h2>
      </header>
      <ul class="sheet lines mono">
        {lines.map((line, at) => (
          <li key={`${at}`}>
            <Foreign text={line} />
          </li>
        ))}
        {lines.length === 0 && <li class="muted">{none}</li>}
      </ul>
    </section>
  );
}
