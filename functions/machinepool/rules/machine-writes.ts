import {
  type KubeObject,
  MANAGEMENT,
  type ObjectRef,
  type OwnerReference,
  refTo,
} from "../../../shared/api/kinds.ts";
import { Machine } from "../../../shared/api/machine/machine.ts";
import { MachinePool } from "../../../shared/api/machinepool.ts";
import { sameJson } from "../../../shared/api/path.ts";
import type { AppliedObject, GuardedPatch, Notice } from "../../../shared/function/define-function.ts";
import { isDeleting } from "../../../shared/function/guards.ts";
import { compareText } from "../../../shared/rules/conditions/conditions.ts";
import { poolLabels } from "../../../shared/rules/machines/pool-labels.ts";
import { KEY_FIELDS } from "../../../shared/rules/metadata/labels.ts";
import {
  controllerOf,
  controllerReference,
  ownerReferencePatch,
} from "../../../shared/rules/metadata/owner-references.ts";
import { refusal } from "../../../shared/rules/providers/adoption.ts";
import { isControlled, isForeign, poolClaim } from "./adoption.ts";
import { type InfraMachines, machineFor, machineKeyOf } from "./machines.ts";

/** The fields of a Machine that `machineWrites` writes. */
export const MACHINE_FIELDS = [
  ...KEY_FIELDS,
  "metadata.ownerReferences",
  "spec.clusterName",
  "spec.bootstrap.dataSecretName",
  "spec.infrastructureRef",
  "spec.version",
] as const;

/** Writes for the Machines of a pool. */
export interface MachineWrites {
  readonly patch: readonly GuardedPatch[];
  readonly applyOn: readonly AppliedObject[];
  readonly events: readonly Notice[];
}

export interface MachineInputs {
  readonly pool: MachinePool;
  readonly infraMachines: InfraMachines;
  /** Machines of the pool, and whatever has the name of one that is still to be made. */
  readonly machines: readonly Machine[];
  /** Kubelet version of the Node of an infrastructure machine, when it is known. */
  readonly versionOf: (infraMachine: KubeObject) => string | undefined;
}

/**
 * One Machine per infrastructure machine, with the fields of the pool's template. None is deleted, none is made for
 * an infrastructure machine that is going, and none is taken from another controller.
 */
export function machineWrites(inputs: MachineInputs): MachineWrites {
  const { pool, infraMachines, machines } = inputs;
  const parts = infraMachines.objects.map((infraMachine) => writeFor(inputs, infraMachine));
  const orphans = machines.filter(
    (machine) => !infraMachines.objects.some((infraMachine) => machineFor(infraMachine, [machine])),
  );
  return {
    patch: [
      ...parts.flatMap(({ patch }) => patch),
      ...orphans.filter((machine) => isLabelled(pool, machine)).flatMap((machine) => adoption(pool, machine)),
    ],
    applyOn: parts.flatMap(({ applyOn }) => applyOn),
    events: parts.flatMap(({ events }) => events),
  };
}

const NOTHING: MachineWrites = { patch: [], applyOn: [], events: [] };

function writeFor(inputs: MachineInputs, infraMachine: KubeObject): MachineWrites {
  const { pool, machines } = inputs;
  const { name } = infraMachine.metadata;
  const machine = machineFor(infraMachine, machines);
  if (machine === undefined) {
    if (machines.some(({ metadata }) => metadata.name === name)) return refused("NameTaken", nameTaken(name));
    if (infraMachine.metadata.deletionTimestamp !== undefined) return NOTHING;
    return {
      ...NOTHING,
      applyOn: [{ target: newMachine(infraMachine), body: bodyOf(inputs, infraMachine) }],
    };
  }
  if (machine.metadata.deletionTimestamp !== undefined) return NOTHING;
  const message = refusal(poolClaim(pool), machine);
  if (message !== undefined) return refused("ControlledByAnother", message);
  // The pool under the uid it had before it was moved: an apply would add a second controller beside it.
  if (controllerOf(machine) !== undefined && !isControlled(pool, machine)) {
    return { ...NOTHING, patch: adoption(pool, machine) };
  }
  const body = bodyOf(inputs, infraMachine, machine);
  if (shows(machine, body)) return NOTHING;
  return {
    ...NOTHING,
    applyOn: [
      {
        target: { ...refTo(Machine, machine), resourceVersion: undefined },
        body,
        own: fromTemplate(machine),
      },
    ],
  };
}

function refused(reason: string, message: string): MachineWrites {
  return { ...NOTHING, events: [{ type: "Warning", reason, message }] };
}

function nameTaken(name: string): string {
  return `Machine ${name} belongs to other infrastructure; delete one of the two`;
}

function newMachine(infraMachine: KubeObject): ObjectRef {
  return { ...machineKeyOf(infraMachine), cluster: MANAGEMENT, kind: Machine };
}

function isLabelled(pool: MachinePool, { metadata }: Machine): boolean {
  return Object.entries(poolLabels(pool)).every(([label, value]) => metadata.labels?.[label] === value);
}

function adoption(pool: MachinePool, machine: Machine): readonly GuardedPatch[] {
  if (isDeleting(machine) || isControlled(pool, machine) || isForeign(pool, machine)) return [];
  return [
    {
      target: refTo(Machine, machine),
      operations: ownerReferencePatch(machine, controllerReference(MachinePool, pool)),
    },
  ];
}

/**
 * The keys that came from the template, sorted: a key that leaves the template must leave the Machine, and others do not
 * show where they came from. Once there it stays: the last annotation that an apply gives up takes along those without owner.
 */
const TEMPLATE_KEYS = "capstan.dev/keys-from-template";

/** Returns the keys that the Machine has from the template as it was: one that leaves the template leaves the Machine, too. */
function fromTemplate({ metadata }: Machine): NonNullable<AppliedObject["own"]> {
  const { labels, annotations } = metadata;
  const keys = annotations?.[TEMPLATE_KEYS]?.split(",") ?? [];
  const among = (map: { readonly [key: string]: string } | undefined, names: readonly string[]) =>
    Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => names.includes(key)));
  return {
    metadata: { labels: among(labels, keys), annotations: among(annotations, [...keys, TEMPLATE_KEYS]) },
  };
}

interface MachineBody {
  readonly [field: string]: unknown;
  readonly metadata: {
    readonly labels: { readonly [key: string]: string };
    readonly annotations?: { readonly [key: string]: string };
    readonly ownerReferences: readonly [OwnerReference];
  };
  readonly spec: Pick<Machine["spec"], "clusterName" | "bootstrap" | "infrastructureRef" | "version">;
}

/** Returns everything that the pool says about a Machine: what is left out here goes away there. */
function bodyOf(
  { pool, infraMachines, versionOf }: MachineInputs,
  infraMachine: KubeObject,
  machine?: Machine,
): MachineBody {
  const { labels = {}, annotations = {} } = pool.spec.template.metadata ?? {};
  const keys = [...Object.keys(labels), ...Object.keys(annotations)].toSorted(compareText);
  const { group, kind } = infraMachines.kind.kind;
  const hasKeys = keys.length > 0 || machine?.metadata.annotations?.[TEMPLATE_KEYS] !== undefined;
  // The last known version stays while its Node is away. Differs: upstream drops it.
  const version = versionOf(infraMachine) ?? machine?.spec.version;
  return {
    metadata: {
      labels: { ...labels, ...poolLabels(pool) },
      ...(hasKeys ? { annotations: { ...annotations, [TEMPLATE_KEYS]: keys.join(",") } } : {}),
      ownerReferences: [controllerReference(MachinePool, pool)],
    },
    spec: {
      clusterName: pool.spec.clusterName,
      bootstrap: { dataSecretName: "" },
      infrastructureRef: { apiGroup: group, kind, name: infraMachine.metadata.name },
      ...(version === undefined ? {} : { version }),
    },
  };
}

/** Whether a Machine has all of it already, and nothing that the template had before. */
function shows({ metadata, spec }: Machine, body: MachineBody): boolean {
  const { labels, annotations = {}, ownerReferences } = body.metadata;
  const { bootstrap, ...rest } = body.spec;
  return (
    includesAll(metadata.labels, labels) &&
    includesAll(metadata.annotations, annotations) &&
    metadata.annotations?.[TEMPLATE_KEYS] === annotations[TEMPLATE_KEYS] &&
    (metadata.ownerReferences ?? []).some((owner) => sameJson(owner, ownerReferences[0])) &&
    spec.bootstrap.dataSecretName === bootstrap.dataSecretName &&
    Object.entries(rest).every(([field, value]) => sameJson(Reflect.get(spec, field), value))
  );
}

function includesAll(
  present: { readonly [key: string]: string } | undefined,
  wanted: { readonly [key: string]: string },
): boolean {
  return Object.entries(wanted).every(([key, value]) => present?.[key] === value);
}
