import type { LetterAnswer } from "../../api/letters.ts";
import { Age } from "../parts/age.tsx";
import { Wide } from "../parts/facts.tsx";
import { Foreign } from "../parts/foreign.tsx";
import { Cause } from "../parts/links.tsx";
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
      <table class="sheet plain-table">
        <thead>
          <tr>
            <th scope="col">Began</th>
            <th scope="col" class="number">
              Failures
            </th>
            <th scope="col" class="number">
              Took
            </th>
            <th scope="col">Run</th>
            <th scope="col">Error</th>
          </tr>
        </thead>
        <tbody>
          {attempts.map(({ start, run, durationMs, failures, error }) => (
            <tr key={`${start} ${failures}`}>
              <td>
                <Age since={start} />
              </td>
              <td class="number">{failures}</td>
              <td class="number">{durationMs !== undefined && durationText(durationMs)}</td>
              <td class="mono id">{run !== undefined && <Foreign text={run} maxChars={80} />}</td>
              <td>
                <Foreign text={error} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </Wide>
  );
}

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
