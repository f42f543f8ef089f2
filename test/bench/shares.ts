import { formatTable } from "../../infra/platform/terminal/table.ts";
import { round } from "./capstan-process.ts";

/** A figure of one load that both managers have in the same run. */
export interface Share {
  readonly load: string;
  readonly figure: string;
  readonly capstan: number;
  readonly clusterApi: number | undefined;
  readonly goal: string;
  readonly reached: boolean | undefined;
}

/** One figure of both managers. */
type Figures = readonly [capstan: number, clusterApi: number | undefined];

/** Judges a figure by what the other manager needs in the same run. */
export function share(load: string, figure: string, [capstan, clusterApi]: Figures, most: number): Share {
  const reached = clusterApi === undefined ? undefined : capstan <= clusterApi * most;
  return { load, figure, capstan, clusterApi, goal: `${round(most, 2)} of Cluster API`, reached };
}

/** Judges a figure as it stands. */
export function limit(load: string, figure: string, [capstan, clusterApi]: Figures, most: number): Share {
  return { load, figure, capstan, clusterApi, goal: `at most ${most}`, reached: capstan <= most };
}

/** A line per figure; one that misses its goal says so. */
export function formatShares(shares: readonly Share[]): string {
  return formatTable(
    ["LOAD", "FIGURE", "CAPSTAN", "CLUSTER API", "SHARE", "GOAL", ""],
    shares.map(({ load, figure, capstan, clusterApi, goal, reached }) => [
      ...[load, figure, String(capstan), String(clusterApi ?? "")],
      clusterApi === undefined || clusterApi === 0 ? "" : String(round(capstan / clusterApi, 2)),
      ...[goal, reached === false ? "missed" : ""],
    ]),
  );
}
