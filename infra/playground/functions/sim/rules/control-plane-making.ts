import { type KubeObject, refTo } from "../../../../../shared/api/kinds.ts";
import { Machine } from "../../../../../shared/api/machine/machine.ts";
import { SECOND } from "../../../../../shared/function/backoff.ts";
import type { Decision, NewObject } from "../../../../../shared/function/define-function.ts";
import { isDeleting } from "../../../../../shared/function/guards.ts";
import type { LiveReader } from "../../../../../shared/function/reads.ts";
import { done, failed, type Result, requeueAfter } from "../../../../../shared/function/result.ts";
import { type CloneSource, cloneFor } from "../../../../../shared/rules/machines/clones.ts";
import { templateKeysOf } from "../../../../../shared/rules/machines/in-place.ts";
import { parseNaming } from "../../../../../shared/rules/machines/machine-names.ts";
import { planMachines } from "../../../../../shared/rules/machines/making.ts";
import { newMachine } from "../../../../../shared/rules/machines/new-machine.ts";
import {
  namesToReserve,
  reservationPatch,
  reservedNames,
} from "../../../../../shared/rules/machines/reservation.ts";
import { controllerReference } from "../../../../../shared/rules/metadata/owner-references.ts";
import { SimBootstrapConfig } from "../../../api/sim-bootstrap.ts";
import { SimMachine } from "../../../api/sim-machine.ts";
import { domainForNew, outdatedMachines, type Situation } from "./control-plane-next-step.ts";
import { type ControlPlaneMachine, inPlaceTemplate } from "./control-plane-propagation.ts";
import { missingTemplates, readTemplates } from "./control-plane-reads.ts";
import {
  type AnyControlPlane,
  kindOfControlPlane,
  type MachineTemplate,
  wantedVersion,
} from "./control-plane-view.ts";

export type MachinesDecision = Decision<KubeObject, never>;

/** Nothing leads from a template to the control planes that name it. */
const TEMPLATE_POLL_MS = 5 * SECOND;

/** Both templates, as the API server has them. */
interface Sources {
  readonly infraMachine: CloneSource;
  readonly config: CloneSource;
}

/** Reads the templates; the result says which is missing. */
async function readSources(
  live: Pick<LiveReader, "get">,
  object: AnyControlPlane,
  template: MachineTemplate,
): Promise<Sources | { readonly missing: Result }> {
  const templates = await readTemplates(live, object, template);
  const [infraMachine, config] = templates;
  if (infraMachine === undefined || config === undefined) {
    const [what = ""] = missingTemplates(template, templates);
    return { missing: requeueAfter(TEMPLATE_POLL_MS, what) };
  }
  return {
    infraMachine: { template: infraMachine, kind: SimMachine },
    config: { template: config, kind: SimBootstrapConfig },
  };
}

/** Members that still lack one of their objects; a running Machine that has lost one gets no second one. */
export function withoutClones(members: readonly ControlPlaneMachine[]): readonly ControlPlaneMachine[] {
  return members.filter((member) => dueClones(member).length > 0);
}

function dueClones({ machine, infraMachine, config }: ControlPlaneMachine): readonly (keyof Sources)[] {
  if (isDeleting(machine)) return [];
  const { infrastructureProvisioned, bootstrapDataSecretCreated } = machine.status?.initialization ?? {};
  return [
    ...(infraMachine === undefined && infrastructureProvisioned !== true ? (["infraMachine"] as const) : []),
    ...(config === undefined && bootstrapDataSecretCreated !== true ? (["config"] as const) : []),
  ];
}

/** Creates what the Machines lack, from the present templates. */
export async function makeClones(
  live: Pick<LiveReader, "get">,
  { object, template }: Pick<Situation, "object" | "template">,
  members: readonly ControlPlaneMachine[],
): Promise<MachinesDecision> {
  const sources = await readSources(live, object, template);
  if ("missing" in sources) return { result: sources.missing };
  const create = members.flatMap((member): readonly NewObject[] => {
    const { metadata } = inPlaceTemplate(object, template, member.machine.spec.clusterName);
    return dueClones(member).map((each) => cloneFor(member.machine, sources[each], metadata));
  });
  return { create, result: done };
}

/** Reserves a name for one Machine more, or makes the one whose name is reserved. `situation` was read live. */
export async function makeMachine(
  live: Pick<LiveReader, "get">,
  situation: Situation,
  more: 0 | 1,
): Promise<MachinesDecision> {
  const { object, template, members } = situation;
  const { namespace = "", name } = object.metadata;
  const naming = parseNaming(`${name}-{{ .random }}`, {});
  if ("problem" in naming) return { result: failed("InvalidSpec", `The name ${naming.problem}`) };
  const sources = more === 0 ? undefined : await readSources(live, object, template);
  if (sources !== undefined && "missing" in sources) return { result: sources.missing };

  const machines = members.map(({ machine }) => machine.metadata.name);
  const reserved = reservedNames(object);
  const others = await Promise.all(
    reserved
      .filter((each) => !machines.includes(each))
      .map((each) => live.get(Machine, { namespace, name: each })),
  );
  const taken = new Set(others.flatMap((machine) => machine?.metadata.name ?? []));
  const plan = planMachines({
    replicas: machines.length + more,
    machines,
    reserved,
    taken,
    isProven: false,
    isWaiting: false,
  });
  const used = new Set([...machines, ...taken, ...plan.reserved]);
  const names = [...plan.reserved, ...namesToReserve(object, naming, plan.missing, used)];
  const operations = reservationPatch(object, names);
  return {
    create: plan.create.map((each) => newMachine(each, designOf(situation))),
    patch: operations.length === 0 ? [] : [{ target: refTo(kindOfControlPlane(object), object), operations }],
    result: done,
  };
}

function designOf(situation: Situation): Parameters<typeof newMachine>[1] {
  const { object, template, cluster, members } = situation;
  const machines = members.map(({ machine }) => machine);
  const outdated = outdatedMachines(situation);
  const failureDomain = domainForNew(cluster, machines, (machine) => !outdated.includes(machine));
  const version = wantedVersion(object);
  const { name: clusterName } = cluster.metadata;
  const inPlace = inPlaceTemplate(object, template, clusterName);
  return {
    namespace: object.metadata.namespace ?? "",
    controller: controllerReference(kindOfControlPlane(object), object),
    metadata: inPlace.metadata,
    keys: templateKeysOf(inPlace),
    spec: {
      ...template.spec,
      clusterName,
      ...(version === undefined ? {} : { version }),
      ...(failureDomain === undefined ? {} : { failureDomain }),
    },
  };
}
