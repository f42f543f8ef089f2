import type { Kind, KubeObject } from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachineDeployment } from "../../../shared/api/machinedeployment.ts";
import { MachineSet } from "../../../shared/api/machineset.ts";
import { valueAt } from "../../../shared/api/path.ts";
import { REVISION } from "../../../shared/rules/machines/annotations.ts";
import { planOf } from "../../../shared/rules/rollout/plan-input.ts";
import { isStuck, type RolloutFacts, standstill } from "../../../shared/rules/rollout/standstill.ts";
import type { Detail } from "./details.ts";
import { belonging, type ObjectNode, type Snapshots } from "./object-tree.ts";

/** Returns what decides about the rollout of a MachineDeployment, as its tree has it; `undefined` for other kinds. */
export function rolloutFactsOf(node: ObjectNode, now: Date): RolloutFacts | undefined {
  const [deployment] = objectsOf(MachineDeployment, [node]);
  if (deployment === undefined) return undefined;
  const sets = objectsOf(MachineSet, node.children);
  const machines = objectsOf(
    Machine,
    node.children.flatMap(({ children }) => children),
  );
  return { deployment, sets, machines, now };
}

/** The same with all Machines, of which a tree has the worst. */
export async function rolloutFactsIn(
  store: Snapshots,
  root: { readonly kind: Kind; readonly object: KubeObject },
  now: Date,
): Promise<RolloutFacts | undefined> {
  const [deployment] = objectsOf(MachineDeployment, [root]);
  if (deployment === undefined) return undefined;
  const below = async <T extends KubeObject>(kind: Kind<T>, parent: typeof root) => {
    const of = kind as unknown as Kind;
    return objectsOf(
      kind,
      (await belonging(store, of, parent)).map((object) => ({ kind: of, object })),
    );
  };
  const sets = await below(MachineSet, root);
  const ofSets = sets.map((object) => below(Machine, { kind: MachineSet as unknown as Kind, object }));
  return { deployment, sets, machines: (await Promise.all(ofSets)).flat(), now };
}

/** A read model that no function of the kind has filled has objects without spec. */
function objectsOf<T extends KubeObject>(
  of: Kind<T>,
  nodes: readonly Pick<ObjectNode, "kind" | "object">[],
): readonly T[] {
  return nodes.flatMap(({ kind, object }) =>
    kind.kind === of.kind && kind.group === of.group && valueAt(object, "spec") !== undefined
      ? [object as T]
      : [],
  );
}

/** Returns why a rollout stands still, in one line; `undefined`: it does not. */
export function standstillText(facts: RolloutFacts): string | undefined {
  const found = standstill(facts);
  if (found === undefined) return undefined;
  const verb = isStuck(found, facts.now) ? "stands still" : "waits";
  return `rollout ${verb}${found.since === undefined ? "" : ` since ${found.since}`}: ${found.cause}`;
}

/** Returns the limits of a rollout and its sets, the current one last. */
export function rolloutDetails(facts: RolloutFacts): readonly Detail[] {
  const { deployment, sets } = facts;
  const { limits, current } = planOf(facts);
  const { surge, unavailable, atLeast, atMost } = limits;
  const isLast = ({ metadata }: MachineSet) => Number(metadata.name === current);
  const lines = sets.toSorted((a, b) => isLast(a) - isLast(b)).map((set) => setText(set, current));
  return [
    {
      about: "limits",
      lines: [
        deployment.spec.rollout?.strategy?.type === "OnDelete"
          ? "OnDelete: a Machine is replaced once a person has deleted it"
          : `at least ${atLeast} available, at most ${atMost} (surge ${surge}, unavailable ${unavailable})`,
      ],
    },
    ...(lines.length === 0 ? [] : [{ about: "sets", lines }]),
  ];
}

function setText({ metadata, spec, status }: MachineSet, current: string | undefined): string {
  const revision = metadata.annotations?.[REVISION] ?? "?";
  const role = metadata.name === current ? "current" : "old";
  return `${metadata.name} (revision ${revision}, ${role}): ${status?.replicas ?? 0} of ${spec.replicas ?? "?"} Machines, ${status?.availableReplicas ?? 0} available`;
}
