import { describe, expect, it } from "vitest";
import { awaitedAdoption } from "../../../../functions/machinepool/rules/awaited.ts";
import {
  bootstrapConfig,
  found,
  infraMachinePool,
  machinePool,
  missing,
  OWNED_BY_P1,
  unresolved,
} from "../../../support/builders.ts";

const BOTH = { bootstrap: found(bootstrapConfig()), infrastructure: found(infraMachinePool()) };
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };
const FREE = { metadata: { ownerReferences: undefined } };
const OF_POOL = "of infrastructure.cluster.x-k8s.io/FooMachinePool";

describe("awaitedAdoption", () => {
  it.each([
    ["nothing for its own objects", BOTH, undefined],
    ["nothing for objects it can adopt", { ...BOTH, bootstrap: found(bootstrapConfig(FREE)) }, undefined],
    [
      "the bootstrap object, first of two",
      { bootstrap: missing(bootstrapConfig()), infrastructure: missing(infraMachinePool()) },
      "BootstrapConfig.metadata.uid",
    ],
    [
      "the infrastructure object where no config is referenced",
      { bootstrap: undefined, infrastructure: missing(infraMachinePool()) },
      "InfraMachinePool.metadata.uid",
    ],
    [
      "a definition that does not exist",
      { ...BOTH, infrastructure: unresolved(false) },
      `CustomResourceDefinition.metadata.uid ${OF_POOL}`,
    ],
    [
      "the contract label of a definition",
      { ...BOTH, infrastructure: unresolved(true) },
      `CustomResourceDefinition.metadata.labels ${OF_POOL}`,
    ],
    [
      "another controller to let go",
      { ...BOTH, bootstrap: found(bootstrapConfig(FOREIGN)) },
      "BootstrapConfig.metadata.ownerReferences",
    ],
  ])("is %s", (_, providers, awaited) => {
    expect(awaitedAdoption(machinePool(), providers)).toBe(awaited);
  });
});
