import type { Me } from "../../api/me.ts";
import type { Stale } from "../../api/page.ts";
import { useLink, useStale } from "../data/hooks.ts";
import type { Link } from "../data/stream.ts";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import type { View } from "../place/place.ts";

interface Entry {
  readonly href: string;
  readonly title: string;
  /** The rest of the title, where there is room. */
  readonly more?: string;
  /** Route of the API that it needs. */
  readonly route: string;
  readonly pages: readonly View["page"][];
}

const ENTRIES: readonly Entry[] = [
  { href: "/", title: "Fleet", route: "GET /fleet", pages: ["fleet", "cluster", "object", "children"] },
  { href: "/queue", title: "Queue", route: "GET /queue", pages: ["queue", "function"] },
  { href: "/letters", title: "Dead letters", route: "GET /letters", pages: ["letters", "letter"] },
  { href: "/relay", title: "Relay", more: " and workers", route: "GET /relay", pages: ["relay"] },
];

interface Props {
  readonly page: View["page"];
  readonly me: Me | undefined;
  /** Nothing is shown that could be current. */
  readonly isSignedOut: boolean;
  readonly search: () => void;
  readonly help: () => void;
}

/** Name, pages, search, and how current the page is. Its name stands in the shell (`index.html`) until then. */
/** Shows why the page is old, with the next step: said once, above everything that it concerns. */
export function Staleness() {
  const stale = useStale();
  if (stale.length === 0) return null;
  return (
    <div class="notice" role="status">
      <ul class="stale">
        {stale.slice(0, MAX_REASONS).map(({ since, reason }) => (
          <li key={reason}>
            <Mark of="unknown" bare /> <Foreign text={capitalized(reason)} maxChars={600} />
            {since !== undefined && (
              <>
                {" ("}
                <Age since={since} />)
              </>
            )}
          </li>
        ))}
        {stale.length > MAX_REASONS && <li>{`and ${stale.length - MAX_REASONS} more reasons`}</li>}
      </ul>
    </div>
  );
}
const MAX_REASONS = 3;

function capitalized(text: string): string {
  return text.slice(0, 1).toUpperCase() + text.slice(1);
}

export function TopBar({ page, me, isSignedOut, search, help }: Props) {
  const link = useLink();
  const routes = new Set(me?.routes);
  return (
    <header class="bar">
      <div>
        <a class="brand" href="/">
          Capstan
        </a>
        <nav aria-label="Pages">
          <ul>
            {ENTRIES.filter(({ route }) => routes.has(route)).map(({ href, title, more, pages }) => (
              <li key={href}>
                <a href={href} aria-current={pages.includes(page) ? "page" : undefined}>
                  <span>
                    {title}
                    {more !== undefined && <small>{more}</small>}
                  </span>
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <div class="end">
          {routes.has("GET /search") && (
            <button type="button" class="seek" onClick={search} aria-keyshortcuts="Control+K">
              <svg viewBox="0 0 16 16" width="14" height="14" aria-hidden="true">
                <g fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round">
                  <circle cx="7" cy="7" r="4.5" />
                  <path d="M10.5 10.5 14 14" />
                </g>
              </svg>
              <span>Find</span>
              <kbd>Ctrl K</kbd>
              <span class="unseen">an object, a function, a letter or a run</span>
            </button>
          )}
          <button type="button" class="seek help" onClick={help} aria-label="Keys" title="Keys">
            <kbd>?</kbd>
          </button>
          {!isSignedOut && <LinkState link={link} />}
        </div>
      </div>
    </header>
  );
}

function LinkState({ link }: { readonly link: Link }) {
  const [old] = useStale();
  const isLive = link.state === "live" && old === undefined;
  return (
    <span class={isLive || link.state === "opening" ? "link-state" : "link-state lost"} role="status">
      <i />
      {old === undefined || link.state === "lost" ? <LinkWords link={link} /> : <OldWords old={old} />}
    </span>
  );
}

function OldWords({ old: { since } }: { readonly old: Stale }) {
  return since === undefined ? (
    <>Old</>
  ) : (
    <>
      Old for <Age since={since} />
    </>
  );
}

function LinkWords({ link }: { readonly link: Link }) {
  if (link.state === "asking") return <>{`Every ${link.everyMs / 1_000} s`}</>;
  if (link.state !== "lost") return <>{WORDS[link.state]}</>;
  return (
    <>
      Not live for <Age since={new Date(link.sinceMs).toISOString()} />
    </>
  );
}
const WORDS = { opening: "Connecting", live: "Live" } as const;
