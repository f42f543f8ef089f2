import { alignedTable } from "../../platform/markdown-table.ts";
import { type Measured, SCALE, SHARD } from "./measured.ts";
import { type Fleet, needsOf } from "./model.ts";

const NODES_PER_CLUSTER = 20;
const FLEETS: readonly Fleet[] = [100, 1_000, 10_000].map((clusters) => ({
  clusters,
  nodesPerCluster: NODES_PER_CLUSTER,
}));

/** Returns the capacity model as Markdown, from the figures of the benches. */
export function capacityPage(): string {
  const columns = FLEETS.map((fleet) => needsOf(fleet, { shard: SHARD.figures, scale: SCALE.figures }));
  const header = FLEETS.map(({ clusters }) => `${clusters.toLocaleString("en-US")} Clusters`);
  const last = columns.at(-1) ?? [];
  const needs = last.map(({ what }, row) => [what, ...columns.map((needed) => needed[row]?.amount ?? "")]);
  const { efficiency, redisCores } = SCALE.figures;
  return [
    alignedTable(["Needed at rest", ...header], needs),
    `For ${header.at(-1)} of ${NODES_PER_CLUSTER} Nodes these follow from:`,
    alignedTable(
      ["Needed", "From"],
      last.map(({ what, from }) => [what, from]),
    ),
    `Four workers run ${efficiency} of four times what one runs. At 6,500 runs a second Redis uses ${redisCores} core.`,
    `Measured: ${sourceOf(SHARD)}; ${sourceOf(SCALE)}.`,
  ].join("\n\n");
}

function sourceOf({ bench, day, commit, machine }: Measured<unknown>): string {
  return `\`npm run bench -- ${bench}\` on ${day} at ${commit}, ${machine}`;
}
