import type { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import type { NewObject } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import type { LiveReader, Reader } from "../../../shared/function/reads.ts";
import { awaitedDefinition } from "../../../shared/rules/providers/awaited-definition.ts";
import { readTemplates } from "../../../shared/rules/providers/machine-providers.ts";
import { planSpec } from "../../../shared/rules/rollout/plan-input.ts";
import { sameRollout } from "../../../shared/rules/rollout/same-rollout.ts";
import { type SetName, setNameFor } from "../../../shared/rules/rollout/set-name.ts";
import { isOwnSet } from "./adoption.ts";
import { newSet } from "./new-set.ts";
import { plannedAnnotations, SET_AGAIN_MS } from "./rollout.ts";
import { creationIn, type SetsWork } from "./sets-work.ts";

/**
 * Returns what a deployment waits for before its next set can be made: a template, or its definition. `undefined`: both
 * templates are there.
 */
export async function awaitedTemplate(
  read: Pick<Reader, "referenced">,
  deployment: MachineDeployment,
): Promise<string | undefined> {
  const { bootstrap, infrastructureRef } = deployment.spec.template.spec;
  const found = await readTemplates(read, deployment);
  const pairs = [
    [found.bootstrap, bootstrap.configRef],
    [found.infrastructure, infrastructureRef],
  ] as const;
  return pairs.flatMap(([template, reference]) => {
    if (reference === undefined) return [];
    if (template?.state === "unresolved") return [awaitedDefinition(template, reference)];
    return template?.state === "missing" ? [`${reference.kind}.metadata.uid`] : [];
  })[0];
}

/** Returns the set that is due by a live view; none where the API server has made it meanwhile. */
export async function setToMake(
  live: Pick<LiveReader, "get">,
  work: SetsWork,
): Promise<readonly NewObject[]> {
  const { plan, view } = work;
  const creation = creationIn(work);
  if (plan === undefined || creation === undefined) return [];
  const { deployment } = view;
  // A restart needs another set of the same template.
  const isRestart = plan.next === undefined;
  const name = await freeName(live, view, isRestart ? planSpec(deployment).after : undefined);
  if (name === undefined) return [];
  const { replicas } = creation;
  const after = isRestart ? deployment.spec.rollout?.after : undefined;
  const planned = plannedAnnotations(deployment, plan);
  const title = `${deployment.metadata.namespace ?? ""}/${name.name}`;
  return [
    {
      ...newSet(deployment, { ...name, replicas, planned, after }),
      ifFails: {
        event: "FailedCreate",
        againAfterMs: SET_AGAIN_MS,
        says: `Failed to create MachineSet ${title}`,
      },
      announces: {
        type: "Normal",
        reason: "SuccessfulCreate",
        message: `Created MachineSet ${title} with ${replicas} replicas`,
      },
    },
  ];
}

/** A set that is being deleted holds its name, and so may that of another owner: each of them changes the name. */
async function freeName(
  live: Pick<LiveReader, "get">,
  { deployment, own }: SetsWork["view"],
  after: number | undefined,
): Promise<SetName | undefined> {
  const { namespace = "" } = deployment.metadata;
  const inTheWay: string[] = [];
  for (;;) {
    const wanted = setNameFor(deployment, after, inTheWay);
    const found = await live.get(MachineSet, { namespace, name: wanted.name });
    if (found === undefined) return wanted;
    const isListed = own.some(({ metadata }) => metadata.uid === found.metadata.uid);
    if (!isListed && isWanted(deployment, found)) return undefined;
    inTheWay.push(found.metadata.uid ?? "");
  }
}

/** It was made since the list. */
function isWanted(deployment: MachineDeployment, set: MachineSet): boolean {
  const [{ rollout }, template] = [planSpec(deployment), set.spec.template.spec];
  return isOwnSet(deployment, set) && !isDeleting(set) && sameRollout(rollout, template);
}
