import type { ReplayAnswer } from "../../api/letters.ts";
import { Foreign } from "../parts/foreign.tsx";
import { Wide } from "../parts/wide.tsx";

const VERDICTS: { readonly [verdict in ReplayAnswer["verdict"]]: string } = {
  reproduced: "It fails again as it did.",
  different: "It decides something else now.",
  "not replayable": "It cannot be replayed.",
  cut: "The replay was cut off.",
};

/** The decision then and now side by side; lines that differ are marked. */
export function Replay({ replay: { verdict, why, lines = [] } }: { readonly replay: ReplayAnswer }) {
  return (
    <div class="sheet replay">
      <p class="say">
        <b>{VERDICTS[verdict]}</b> {why !== undefined && <Foreign text={why} />}
      </p>
      {lines.length > 0 && (
        <Wide label="Decisions side by side">
          <table>
            <thead>
              <tr>
                <th scope="col">Then</th>
                <th scope="col">
                  <span class="unseen">Difference</span>
                </th>
                <th scope="col">Now</th>
              </tr>
            </thead>
            <tbody>
              {lines.map(({ left, right, same }, at) => (
                <tr key={`${at}`} class={same ? "" : "differs"}>
                  <td>{left !== undefined && <Foreign text={left} lines />}</td>
                  <td class="sign">{same ? "" : signOf(left, right)}</td>
                  <td>{right !== undefined && <Foreign text={right} lines />}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </Wide>
      )}
    </div>
  );
}

function signOf(left: string | undefined, right: string | undefined): string {
  if (left === undefined) return ">";
  return right === undefined ? "<" : "|";
}
