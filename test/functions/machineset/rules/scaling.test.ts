import { describe, expect, it } from "vitest";
import type { SetView } from "../../../../functions/machineset/rules/machines-view.ts";
import { dueClones, setPlan, surplus } from "../../../../functions/machineset/rules/scaling.ts";
import type { Machine } from "../../../../shared/api/machine/machine.ts";
import type { MachineProviders } from "../../../../shared/rules/providers/machine-providers.ts";
import {
  cluster,
  found,
  infraMachine,
  missing,
  type Overrides,
  unresolved,
} from "../../../support/builders.ts";
import { machineSet, setMachine } from "../../../support/foo-sets.ts";
import { machineConfig } from "../../../support/machines.ts";
import { NOW } from "../../../support/world.ts";

const MOVING = { "in-place-updates.internal.cluster.x-k8s.io/move-machines-to-machineset": "s2" };
const RECEIVING = { "in-place-updates.internal.cluster.x-k8s.io/receive-machines-from-machinesets": "s0" };
const PENDING = { "in-place-updates.internal.cluster.x-k8s.io/pending-acknowledge-move": "" };
const OFF = { "cluster.x-k8s.io/disable-machine-create": "true" };
const RESERVED = { "capstan.dev/machine-reservation": '["s1-new"]' };
const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const NEVER_HAD: Overrides<Machine> = { status: { initialization: undefined } };

/** Set s1 with these Machines, whose objects were cloned from its templates. */
function viewOf(own: readonly Machine[], changes: Partial<SetView> = {}): SetView {
  const objects = new Map(own.map((machine) => [machine.metadata.name, clonesOf(machine)]));
  return { set: machineSet(), cluster: cluster(), machines: own, own, objects, blockers: [], ...changes };
}

function clonesOf({ metadata }: Machine): MachineProviders {
  const { name, uid = "" } = metadata;
  const owner = { apiVersion: "cluster.x-k8s.io/v1beta2", kind: "Machine", name, uid, controller: true };
  const from = (kind: string, template: string) => ({
    "cluster.x-k8s.io/cloned-from-name": template,
    "cluster.x-k8s.io/cloned-from-groupkind": kind,
  });
  const config = machineConfig({
    metadata: {
      name,
      ownerReferences: [owner],
      annotations: from("FooConfigTemplate.bootstrap.cluster.x-k8s.io", "s1-config"),
    },
  });
  const infrastructure = infraMachine(name, {
    metadata: {
      ownerReferences: [owner],
      annotations: from("FooMachineTemplate.infrastructure.cluster.x-k8s.io", "s1-infra"),
    },
  });
  return { bootstrap: found(config), infrastructure: found(infrastructure) };
}

const namesOf = (machines: readonly Machine[]) => machines.map(({ metadata }) => metadata.name);
const pair = [setMachine("m1"), setMachine("m2")];

describe("the Machines that must go", () => {
  const wants = (replicas: number | undefined, annotations = {}) => ({
    set: machineSet({ metadata: { annotations }, spec: { replicas } }),
  });

  it.each<readonly [string, SetView, number]>([
    ["are as many as there are too many", viewOf(pair, wants(1)), 1],
    ["stay where the set has as many as it wants", viewOf(pair, wants(2)), 0],
    ["stay where it wants more", viewOf(pair, wants(5)), 0],
    ["stay before the set has replicas", viewOf(pair, wants(undefined)), 0],
    ["stay while Cluster API's manager moves them", viewOf(pair, wants(0, MOVING)), 0],
    [
      "do not count one that waits for its move",
      viewOf([...pair, setMachine("m3", { metadata: { annotations: PENDING } })], wants(2, RECEIVING)),
      0,
    ],
    [
      "count one whose move has ended",
      viewOf([...pair, setMachine("m3", { metadata: { annotations: PENDING } })], wants(2)),
      1,
    ],
    ["count one that is going already", viewOf([setMachine("m1", GOING), ...pair.slice(1)], wants(1)), 0],
  ])("%s", (_, view, count) => {
    expect(surplus(view, NOW)).toHaveLength(count);
  });
});

describe("objects that are still to be made", () => {
  const withObjects = (machine: Machine, objects: MachineProviders) =>
    viewOf([machine], { objects: new Map([[machine.metadata.name, objects]]) });
  const gone: MachineProviders = {
    bootstrap: missing(machineConfig()),
    infrastructure: missing(infraMachine("m1")),
  };

  it.each<readonly [string, SetView, readonly string[]]>([
    [
      "are those that do not exist",
      withObjects(setMachine("m1", NEVER_HAD), gone),
      ["bootstrap", "infrastructure"],
    ],
    [
      "are those whose kind is not served",
      withObjects(setMachine("m1", NEVER_HAD), { ...gone, infrastructure: unresolved(false) }),
      ["bootstrap", "infrastructure"],
    ],
    ["do not exist yet", viewOf([setMachine("m1", NEVER_HAD)]), []],
    ["were never there: not those that the Machine had once", withObjects(setMachine("m1"), gone), []],
    [
      "belong to a Machine that is not going",
      withObjects(setMachine("m1", { ...NEVER_HAD, ...GOING }), gone),
      [],
    ],
  ])("%s", (_, view, roles) => {
    expect(dueClones(view).map(({ role }) => role)).toEqual(roles);
  });
});

describe("the plan of a set", () => {
  const reserving = (annotations = {}) => ({
    set: machineSet({ metadata: { annotations: { ...RESERVED, ...annotations } } }),
  });
  const none: ReadonlySet<string> = new Set();

  it.each<readonly [string, SetView, object]>([
    ["reserves the names that are missing", viewOf(pair), { missing: 1, create: [] }],
    [
      "makes what is reserved once a Machine has proven the templates",
      viewOf(pair, reserving()),
      { create: ["s1-new"] },
    ],
    [
      "makes nothing while the way is blocked, and keeps the names",
      viewOf(pair, { ...reserving(), blockers: ["the control plane is upgrading"] }),
      { create: [], reserved: ["s1-new"] },
    ],
    ["reserves nothing while the way is blocked", viewOf(pair, { blockers: ["x"] }), { missing: 0 }],
    ["makes nothing where the annotation forbids it", viewOf([], reserving(OFF)), { create: [], missing: 0 }],
    [
      "makes no second Machine while the first waits for an object",
      viewOf([setMachine("m1", NEVER_HAD)], {
        ...reserving(),
        objects: new Map([["m1", { ...clonesOf(setMachine("m1")), bootstrap: missing(machineConfig()) }]]),
      }),
      { create: [] },
    ],
  ])("%s", (_, view, plan) => {
    expect(setPlan(view, none)).toMatchObject(plan);
  });

  it("takes the first of the deletion order", () => {
    const marked = setMachine("m2", { metadata: { annotations: { "cluster.x-k8s.io/delete-machine": "" } } });
    const view = viewOf([setMachine("m1"), marked], { set: machineSet({ spec: { replicas: 1 } }) });
    expect(namesOf(surplus(view, NOW))).toEqual(["m2"]);
  });
});
