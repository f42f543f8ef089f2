import type { Explained } from "../../api/explained.ts";
import type { ClusterAnswer } from "../../api/object.ts";
import { PlaceLink } from "../parts/links.tsx";
import { Age, Foreign, Mark } from "../parts/text.tsx";
import { hrefOf } from "../place/place.ts";
import { countText } from "../text/words.ts";
import { functionState } from "./function-state.ts";
import { markOfCause, type Trouble, troublesOf } from "./tree-rows.ts";

interface Props {
  readonly tree: Explained;
  readonly causes: ClusterAnswer["causes"];
}

const MOST = 8;

/** Lists the troubles that a person must look at: causes that hold up several functions, then functions that failed. Nothing when all is well. */
export function Troubles({ tree, causes: all }: Props) {
  // The page says above everything why it is old.
  const causes = all.filter(({ about }) => about !== "freshness");
  // A failure that a problem quotes is said there.
  const named = causes.map(({ cause }) => cause).join("\n");
  const troubles = troublesOf(tree).filter(({ fn }) => !isNamed(fn, named));
  if (causes.length + troubles.length === 0) return null;
  const shown = troubles.slice(0, MOST);
  const left = troubles.length - shown.length;
  return (
    <section class="part" aria-label="Needs attention">
      <header>
        <h2>Needs attention</h2>
      </header>
      <ol class="sheet needs">
        {causes.map(({ object, cause, next, since, letter, ...rest }) => (
          <li key={cause} data-row="" tabIndex={-1}>
            <span class="named">
              <Mark of={markOfCause(rest)} />
              <PlaceLink text={object} />
            </span>
            <span class="why">
              <Foreign text={cause} maxChars={2_000} />
              {letter !== undefined && (
                <>
                  {" "}
                  <a href={hrefOf({ type: "letter", ...letter })}>Letter</a>
                </>
              )}
              {next !== "" && (
                <>
                  <br />
                  <span class="muted">
                    → <Foreign text={next} maxChars={600} />
                  </span>
                </>
              )}
            </span>
            <span class="age">{since !== undefined && <Age since={since} />}</span>
          </li>
        ))}
        {shown.map((trouble) => (
          <TroubleRow key={`${trouble.object} ${trouble.fn.function}`} trouble={trouble} />
        ))}
        {left > 0 && <li class="muted">{countText(left)} more in the tree below</li>}
      </ol>
    </section>
  );
}

function isNamed({ deadLetter, history }: Trouble["fn"], named: string): boolean {
  const { message } = deadLetter?.error ?? history?.state?.failure ?? {};
  return message !== undefined && named.includes(message);
}

function TroubleRow({ trouble: { object, fn } }: { readonly trouble: Trouble }) {
  const { mark, text, since, place, placeText } = functionState(fn);
  return (
    <li data-row="" tabIndex={-1}>
      <span class="named">
        <Mark of={mark} />
        <PlaceLink text={object} />
      </span>
      <span class="why">
        <Foreign text={`${fn.function} ${text}`} />
        {place !== undefined && placeText !== undefined && (
          <>
            {" "}
            <a href={hrefOf(place)}>
              <Foreign text={placeText} />
            </a>
          </>
        )}
      </span>
      <span class="age">{since !== undefined && <Age since={since} />}</span>
    </li>
  );
}
