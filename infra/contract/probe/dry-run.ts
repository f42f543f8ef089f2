import { apiVersionOf, type KubeObject } from "../../../shared/api/kinds.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { titleOf } from "../../../shared/contract/rules/probe/subject.ts";
import { KubeError } from "../../../shared/function/errors.ts";
import { isObject } from "../../kube/object-shape.ts";
import { kindIn, type Scratch } from "./scratch.ts";

const DRY_RUN_ANNOTATION = "topology.cluster.x-k8s.io/dry-run";

/** By title: why a changed template was refused in a dry run of the topology; null: it was accepted. */
export async function dryRuns(
  { server, kinds, namespace }: Scratch,
  templates: readonly KubeObject[],
): Promise<ReadonlyMap<string, string | null>> {
  const client = server.as("contract-topology", { dryRun: true });
  const results = new Map<string, string | null>();
  for (const template of templates) {
    const kind = kindIn(kinds, template);
    const changed = changedSpec(valueAt(template, "spec.template.spec"));
    if (kind === undefined || changed === undefined) continue;
    const { name } = template.metadata;
    const body = {
      apiVersion: apiVersionOf(kind),
      kind: kind.kind,
      metadata: { name, namespace, annotations: { [DRY_RUN_ANNOTATION]: "" } },
      spec: { template: { spec: changed } },
    };
    try {
      await client.apply(kind, { namespace, name }, body);
      results.set(titleOf(template), null);
    } catch (error) {
      // A server that does not answer has refused nothing.
      if (!(error instanceof KubeError) || error.class !== "Terminal") continue;
      results.set(titleOf(template), error.message);
    }
  }
  return results;
}

/** A number or a switch with another value; a text may have to be one of some. */
function changedSpec(spec: unknown): object | undefined {
  if (!isObject(spec)) return undefined;
  for (const [name, value] of Object.entries(spec)) {
    if (typeof value === "number") return { [name]: value + 1 };
    if (typeof value === "boolean") return { [name]: !value };
    const below = changedSpec(value);
    if (below !== undefined) return { [name]: below };
  }
  return undefined;
}
