import type { ObjectAnswer } from "../../api/object.ts";
import { Foreign } from "./foreign.tsx";
import { Wide } from "./wide.tsx";

const COLUMNS = ["Step", "Change", "Machines", "Counts"];

/** The steps of a rollout: the sets now, each step with its Machines, and how it ends. */
export function RolloutPlan({ of }: { readonly of: NonNullable<ObjectAnswer["rollout"]> }) {
  const { limits, rows, summary } = of;
  return (
    <div class="sheet">
      <p class="say">{limits}</p>
      <Wide label="Table of the steps of the rollout">
        <table class="plain-table">
          <thead>
            <tr>
              {COLUMNS.map((title) => (
                <th key={title} scope="col">
                  {title}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.join(" ")}>
                {COLUMNS.map((title, at) => (
                  <td key={title}>
                    <Foreign text={row[at] ?? ""} />
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Wide>
      {summary.map((line) => (
        <p key={line} class="say">
          {line}
        </p>
      ))}
    </div>
  );
}
