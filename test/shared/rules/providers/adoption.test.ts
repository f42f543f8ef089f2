import { describe, expect, it } from "vitest";
import type { OwnerReference } from "../../../../shared/api/kinds.ts";
import { InfraMachinePool } from "../../../../shared/contract/infra-machine-pool.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import {
  adoptionPatch,
  awaitedAdoption,
  awaitedField,
  type Claim,
  isAdoptionDue,
  ownAmong,
  refusal,
} from "../../../../shared/rules/providers/adoption.ts";
import {
  found,
  infraMachinePool,
  machinePool,
  missing,
  OWNED_BY_P1,
  unresolved,
} from "../../../support/builders.ts";

const { infrastructureRef } = machinePool().spec.template.spec;
const { controller: _, blockOwnerDeletion: __, ...PLAIN } = OWNED_BY_P1;
const CONTROL: Claim = { owner: OWNED_BY_P1, believes: "controlled", clusterName: "c1" };
const OWNER: Claim = { owner: PLAIN, believes: "owned", clusterName: "c1" };

const BY_P2 = { ...OWNED_BY_P1, name: "p2", uid: "uid-p2" };
const OF_POOL = "of infrastructure.cluster.x-k8s.io/FooMachinePool";
const owned = (...ownerReferences: readonly OwnerReference[]) =>
  found(infraMachinePool({ metadata: { ownerReferences } }));
const provider = (state: Referenced) => ({
  on: InfraMachinePool,
  reference: infrastructureRef,
  found: state,
});

/** Of an object: who believes it, and whether a controller may adopt it. */
const OBJECTS: readonly (readonly [string, Referenced, readonly [boolean, boolean, boolean]])[] = [
  ["controlled", owned({ ...BY_P2, controller: false }, OWNED_BY_P1), [true, true, true]],
  ["owned", owned(PLAIN), [false, true, true]],
  ["controlled before a move", owned({ ...OWNED_BY_P1, uid: "uid-before" }), [false, false, true]],
  [
    "without owner",
    found(infraMachinePool({ metadata: { ownerReferences: undefined } })),
    [false, false, true],
  ],
  ["owned, and controlled by another", owned(PLAIN, BY_P2), [false, true, false]],
  ["controlled by another kind", owned({ ...OWNED_BY_P1, kind: "Cluster", uid: "u" }), [false, false, false]],
  ["missing", missing(infraMachinePool()), [false, false, false]],
  ["without contract", unresolved(true), [false, false, false]],
];

describe("an object that is", () => {
  it.each(OBJECTS)("%s", (_, object, [controlled, ownedToo, adoptable]) => {
    expect(ownAmong(CONTROL, object)).toBe(controlled ? object : undefined);
    expect(ownAmong(OWNER, object)).toBe(ownedToo ? object : undefined);
    if (!adoptable) expect(adoptionPatch(CONTROL, object)).toEqual([]);
    expect(isAdoptionDue(CONTROL, [provider(object)])).toBe(adoptable && !controlled);
  });

  it("controlled by another names it, to one that wants to control it", () => {
    const { object } = owned(BY_P2);
    expect(refusal(CONTROL, object)).toBe("FooMachinePool p1-infra is controlled by MachinePool p2");
    expect(refusal(OWNER, object)).toBeUndefined();
    expect(refusal(CONTROL, owned(OWNED_BY_P1).object)).toBeUndefined();
  });
});

describe("adoptionPatch", () => {
  it("wants nothing once its own operations are applied", () => {
    expect(adoptionPatch(CONTROL, found(infraMachinePool()))).toEqual([]);
  });

  it("corrects a wrong label", () => {
    const labels = { "cluster.x-k8s.io/cluster-name": "c2", mine: "yes" };
    expect(adoptionPatch(CONTROL, found(infraMachinePool({ metadata: { labels } })))).toEqual([
      { op: "add", path: "/metadata/labels/cluster.x-k8s.io~1cluster-name", value: "c1" },
    ]);
  });
});

describe("what an adoption waits for", () => {
  it.each([
    ["nothing of its own object", found(infraMachinePool()), undefined, "InfraMachinePool.status.ready"],
    ["nothing of one to adopt", owned(), undefined, "InfraMachinePool.metadata.ownerReferences"],
    ["the object", missing(infraMachinePool()), "InfraMachinePool.metadata.uid", undefined],
    ["its definition", unresolved(false), `CustomResourceDefinition.metadata.uid ${OF_POOL}`, undefined],
    ["its contract", unresolved(true), `CustomResourceDefinition.metadata.labels ${OF_POOL}`, undefined],
    ["another controller", owned(BY_P2), "InfraMachinePool.metadata.ownerReferences", undefined],
  ])("is %s", (_, state, awaited, field) => {
    expect(awaitedAdoption(CONTROL, provider(state))).toBe(awaited);
    expect(awaitedField(CONTROL, provider(state), () => "status.ready")).toBe(awaited ?? field);
  });
});
