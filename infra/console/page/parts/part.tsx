import type { ComponentChildren } from "preact";
import type { ErrorBody } from "../../api/page.ts";
import { useStale } from "../data/hooks.ts";
import type { Answer } from "../data/topics.ts";
import { Age, Foreign } from "./text.tsx";

/** Fields that every answer of the API has. */
interface Dated {
  readonly asOf: string;
}

interface Props<Body extends Dated> {
  readonly title: string;
  readonly answer: Answer<Body>;
  /** The content behind the title. */
  readonly aside?: ComponentChildren;
  /** The content at the end of the line of the title. */
  readonly end?: ComponentChildren;
  /** Draws what is known. */
  readonly children: (body: Body) => ComponentChildren;
}

/** A part of a page, which loads, fails and grows old alone: it says how it stands instead of drawing what it does not know. */
export function Part<Body extends Dated>({ title, answer, aside, end, children }: Props<Body>) {
  const { body, error } = answer;
  return (
    <section class="part" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {aside !== undefined && <span class="aside">{aside}</span>}
        {body !== undefined && <Staleness body={body} error={error} />}
        {end !== undefined && <span class="end">{end}</span>}
      </header>
      {body !== undefined ? children(body) : <div class="sheet">{lacking(error)}</div>}
    </section>
  );
}

function lacking(error: Answer<unknown>["error"]): ComponentChildren {
  if (error !== undefined) return <Problem error={error} />;
  return (
    <div class="waiting-lines" role="status">
      <span class="unseen">Loading</span>
      <i />
      <i />
      <i />
    </div>
  );
}

/** Shows since when a body is old, and why. Reasons for which the whole page is old stand above it. */
function Staleness({ body, error }: { readonly body: Dated; readonly error: Answer<unknown>["error"] }) {
  const isSaid = useStale().length > 0;
  if (error === undefined) return null;
  return (
    <p class="stale">
      Old for <Age since={body.asOf} />
      {!isSaid && (
        <>
          : <Foreign text={error.message} />
        </>
      )}
    </p>
  );
}

const TITLES: ReadonlyMap<number, string> = new Map([
  [0, "Not reachable"],
  [400, "Cannot be read"],
  [401, "Not signed in"],
  [403, "Not allowed"],
  [404, "Not there"],
  [412, "Changed meanwhile"],
  [429, "Too many requests"],
  [503, "Not available"],
]);

/** Says what is wrong and what to do. */
export function Problem({ error }: { readonly error: ErrorBody }) {
  return (
    <div class="say" role="status">
      <p>
        <b>{TITLES.get(error.status) ?? "Failed"}.</b> <Foreign text={sentence(error.message)} />
      </p>
      {error.next !== "" && (
        <p>
          <Foreign text={sentence(error.next)} />
        </p>
      )}
    </div>
  );
}

/** Turns `the console does not answer` into `The console does not answer.` */
function sentence(text: string): string {
  const trimmed = text.trim();
  return `${trimmed.slice(0, 1).toUpperCase()}${trimmed.slice(1)}${/[.!?]$/.test(trimmed) ? "" : "."}`;
}

interface WhenCurrentProps {
  readonly children: ComponentChildren;
  readonly or?: ComponentChildren;
}

/** Words that are true of current knowledge only, and others in their place while the page is old. */
export function WhenCurrent({ children, or = null }: WhenCurrentProps) {
  return <>{useStale().length === 0 ? children : or}</>;
}
