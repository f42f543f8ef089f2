import type { MoveSubject } from "../../../../shared/contract/rules/move/subject.ts";
import type { Server } from "../../../platform/kube/client.ts";
import { readManagementSide, requireDifferent, requireSource } from "./management-side.ts";
import { compareTarget, planMove, subjectOf } from "./move-plan.ts";
import { readSource } from "./read-source.ts";
import { tryObjects } from "./read-target.ts";

interface Servers {
  readonly source: Server;
  readonly target?: Server | undefined;
}

interface Options {
  readonly namespace: string;
  /** Asks the target to create each object as a dry run. */
  readonly tries?: boolean | undefined;
}

const AGENT = "move-plan";

/**
 * Reads what a move of the namespace would do: at most one list of each kind and namespace on each side, no write. Throws
 * KubeError where a side cannot be read, and an Error where clusterctl would not even begin.
 */
export async function readMovePlan(
  { source, target }: Servers,
  { namespace, tries = false }: Options,
): Promise<MoveSubject> {
  const [from, to] = await Promise.all([
    readManagementSide({ name: "source", client: source.as(AGENT) }),
    target && readManagementSide({ name: "target", client: target.as(AGENT) }),
  ]);
  requireSource(from);
  if (to !== undefined) requireDifferent(from, to);
  const plan = planMove(await readSource(from, namespace), namespace);
  const objects = to && (await compareTarget(plan, to));
  const trying = tries ? target?.as(AGENT, { dryRun: true }) : undefined;
  const attempts = trying && (await tryObjects({ source: from.client, target: trying }, plan.groups));
  return subjectOf(plan, to && objects && { side: to, objects }, attempts);
}
