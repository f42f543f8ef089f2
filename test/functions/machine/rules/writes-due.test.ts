import { describe, expect, it } from "vitest";
import { machineWritesDue } from "../../../../functions/machine/rules/writes-due.ts";
import { cluster, found, missing } from "../../../support/builders.ts";
import {
  machineConfig,
  OWNED_BY_M1,
  ownInfraMachine,
  ready,
  soloMachine,
} from "../../../support/machines.ts";

const BY_SET = {
  metadata: {
    ownerReferences: [{ ...OWNED_BY_M1, kind: "MachineSet", name: "s1", uid: "uid-s1" }],
    labels: { "cluster.x-k8s.io/cluster-name": "c1", "cluster.x-k8s.io/set-name": "s1" },
  },
};
const FREE = { metadata: { ownerReferences: undefined } };

describe("writes that are due before the status", () => {
  it.each([
    ["nothing", soloMachine(), ready(), false],
    ["the finalizer", soloMachine({ metadata: { finalizers: undefined } }), ready(), true],
    ["an adoption", soloMachine(), ready(machineConfig(FREE)), true],
    ["a value of the spec", soloMachine({ spec: { providerID: "foo://0" } }), ready(), true],
    [
      "an object that its set still makes",
      soloMachine(BY_SET),
      { bootstrap: found(machineConfig()), infrastructure: missing(ownInfraMachine()) },
      true,
    ],
    [
      "no object that a user still makes",
      soloMachine(),
      { bootstrap: missing(machineConfig()), infrastructure: found(ownInfraMachine()) },
      false,
    ],
    [
      "no second object in place of a lost one",
      soloMachine({ ...BY_SET, status: { initialization: { infrastructureProvisioned: true } } }),
      { bootstrap: found(machineConfig()), infrastructure: missing(ownInfraMachine()) },
      false,
    ],
  ])("are: %s", (_, machine, providers, due) => {
    expect(machineWritesDue(machine, cluster(), providers)).toBe(due);
  });

  it("are missing for a Machine that is paused or deleted", () => {
    const bare = soloMachine({ metadata: { finalizers: undefined } });
    expect(machineWritesDue(bare, cluster({ spec: { paused: true } }), ready())).toBe(false);
    const going = soloMachine({
      metadata: { finalizers: undefined, deletionTimestamp: "2026-01-01T11:00:00Z" },
    });
    expect(machineWritesDue(going, cluster(), ready())).toBe(false);
  });
});
