import { readFile } from "node:fs/promises";
import { alignedTable } from "../../platform/markdown-table.ts";
import { type Measured, needsOf, type Scale, type Shard } from "./model.ts";

const RESULTS = new URL("../../../test/bench/results/", import.meta.url);
const NODES_PER_CLUSTER = 20;
const FLEETS = [100, 1_000, 10_000].map((clusters) => ({ clusters, nodesPerCluster: NODES_PER_CLUSTER }));

interface Result<Figures> {
  readonly measuredAt: string;
  readonly commit: string;
  readonly machine: { readonly cpu: string; readonly cores: number };
  readonly results: Figures;
}

/** Returns the capacity model as Markdown, from the newest committed results. */
export async function capacityPage(): Promise<string> {
  const [shard, scale] = await Promise.all([resultOf<Shard>("shard"), resultOf<Scale>("scale")]);
  const measured: Measured = { shard: shard?.results, scale: scale?.results };
  const [smallest = []] = FLEETS.map((fleet) => needsOf(fleet, measured));
  const columns = FLEETS.map((fleet) =>
    needsOf(fleet, measured).map(({ amount = "not measured" }) => amount),
  );
  const header = FLEETS.map(({ clusters }) => `${clusters.toLocaleString("en-US")} Clusters`);
  const needs = smallest.map(({ what }, row) => [what, ...columns.map((amounts) => amounts[row] ?? "")]);
  const last = FLEETS.at(-1);
  const sources = last === undefined ? [] : needsOf(last, measured).map(({ what, from }) => [what, from]);
  return [
    alignedTable(["Needed at rest", ...header], needs),
    `For ${header.at(-1)} of ${NODES_PER_CLUSTER} Nodes these follow from:`,
    alignedTable(["Needed", "From"], sources),
    `Four workers run ${scale?.results.efficiency ?? "?"} of four times what one runs. At 6,500 runs a second Redis uses ${scale?.results.redis.cores ?? "?"} core.`,
    `Measured: ${sourceOf("shard", shard)}; ${sourceOf("scale", scale)}.`,
  ].join("\n\n");
}

async function resultOf<Figures>(bench: string): Promise<Result<Figures> | undefined> {
  const text = await readFile(new URL(`${bench}.json`, RESULTS), "utf8").catch(() => undefined);
  return text === undefined ? undefined : JSON.parse(text);
}

function sourceOf(bench: string, result: Result<unknown> | undefined): string {
  if (result === undefined) return `\`npm run bench -- ${bench}\` has no committed result yet`;
  const { measuredAt, commit, machine } = result;
  return `\`npm run bench -- ${bench}\` on ${measuredAt.slice(0, 10)} at ${commit}, ${machine.cores} cores of ${machine.cpu}`;
}
