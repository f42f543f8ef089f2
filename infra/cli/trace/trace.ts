import type { Command } from "commander";
import { print } from "../../platform/terminal/print.ts";
import { drawTree } from "../tree/draw-tree.ts";
import { readSpans } from "./read-spans.ts";
import { clustersIn, spanTree } from "./span-tree.ts";

const MAX_NAMED = 10;

export function traceCommand(command: Command): Command {
  return command
    .argument(
      "<file>",
      "spans, one OTLP request as JSON in each line: of OTEL_EXPORTER_OTLP_ENDPOINT=file://… or a collector",
    )
    .argument("<cluster>", "the Cluster as NAMESPACE/NAME")
    .addHelpText("after", "\nExamples:\n  capstan trace spans.jsonl default/c1")
    .action(async (file: string, cluster: string) => {
      const spans = await readSpans(file);
      const tree = spanTree(spans, cluster);
      if (tree !== undefined) return print(...drawTree(tree));
      const known = clustersIn(spans).slice(0, MAX_NAMED).join(", ");
      throw new Error(
        `${file}: it has no span of ${cluster}; ${known === "" ? "it has none at all" : `it has some of ${known}`}`,
      );
    });
}
