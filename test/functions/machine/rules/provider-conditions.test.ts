import { describe, expect, it } from "vitest";
import {
  bootstrapConfigReady,
  infrastructureReady,
} from "../../../../functions/machine/rules/provider-conditions.ts";
import type { MachineFacts } from "../../../../functions/machine/rules/view.ts";
import { found, machine, missing, unresolved } from "../../../support/builders.ts";
import { machineViewWith } from "../../../support/machine-view.ts";
import {
  machineConfig,
  OWNED_BY_M1,
  ownInfraMachine,
  ready,
  soloMachine,
} from "../../../support/machines.ts";

const GOING = { metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } };
const NAMELESS = { spec: { bootstrap: { dataSecretName: undefined } } };
const LATCHED = {
  status: { initialization: { bootstrapDataSecretCreated: true, infrastructureProvisioned: true } },
};
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_M1, name: "m2", uid: "uid-m2" }] } };
const MIRRORED = {
  conditions: [{ type: "Ready", status: "False", reason: "NoQuota", message: "ask for more" }],
};

function config(about: Partial<MachineFacts>) {
  const { status, reason, message } = bootstrapConfigReady(machineViewWith(about));
  return `${status} ${reason} ${message}`;
}

function infra(about: Partial<MachineFacts>) {
  const { status, reason, message } = infrastructureReady(machineViewWith(about));
  return `${status} ${reason} ${message}`;
}

const withConfig = (bootstrap: MachineFacts["providers"]["bootstrap"]) => ({
  providers: { ...ready(), bootstrap },
});
const withInfra = (infrastructure: MachineFacts["providers"]["infrastructure"]) => ({
  providers: { ...ready(), infrastructure },
});

describe("BootstrapConfigReady", () => {
  it.each<[string, string, Partial<MachineFacts>]>([
    ["the latch", "True Ready ", {}],
    [
      "the object's own word",
      "False NoQuota ask for more",
      withConfig(found(machineConfig({ status: MIRRORED }))),
    ],
    [
      "no word and no latch",
      "False NotReady FooConfig status.initialization.dataSecretCreated is false",
      { machine: soloMachine(NAMELESS), ...withConfig(found(machineConfig({ status: undefined }))) },
    ],
    [
      "a flag without a name",
      "False NotReady waiting for a valid status.dataSecretName",
      {
        machine: soloMachine(NAMELESS),
        ...withConfig(found(machineConfig({ status: { dataSecretName: "" } }))),
      },
    ],
    [
      "another controller",
      "False NotReady FooConfig m1-config is controlled by Machine m2",
      withConfig(found(machineConfig(FOREIGN))),
    ],
    [
      "no object, also of a running Machine",
      "False ObjectDoesNotExist FooConfig does not exist",
      { machine: soloMachine(LATCHED), ...withConfig(missing(machineConfig())) },
    ],
    [
      "an object that is gone while deleting",
      "False ObjectDeleted FooConfig has been deleted",
      { machine: soloMachine({ ...LATCHED, ...GOING }), ...withConfig(missing(machineConfig())) },
    ],
    [
      "an object that never was, while deleting",
      "False ObjectDoesNotExist FooConfig does not exist",
      { machine: soloMachine({ ...NAMELESS, ...GOING }), ...withConfig(missing(machineConfig())) },
    ],
    ["a CRD without label", "Unknown InternalError CRD of Foo cannot be used", withConfig(unresolved(true))],
    [
      "a CRD that is gone while deleting",
      "False ObjectDoesNotExist FooConfig does not exist",
      { machine: soloMachine({ ...NAMELESS, ...GOING }), ...withConfig(unresolved(false)) },
    ],
    [
      "data of the user",
      "True DataSecretProvided ",
      { machine: soloMachine({ spec: { bootstrap: { configRef: undefined } } }), ...withConfig(undefined) },
    ],
    [
      "neither",
      "False NotReady spec.bootstrap needs configRef or dataSecretName",
      {
        machine: soloMachine({ spec: { bootstrap: { configRef: undefined, dataSecretName: undefined } } }),
        ...withConfig(undefined),
      },
    ],
    [
      "neither, of a pool's Machine",
      "True DataSecretProvided ",
      {
        machine: machine("m1", { spec: { bootstrap: { dataSecretName: undefined } } }),
        ...withConfig(undefined),
      },
    ],
  ])("says of %s: %s", (_, words, facts) => {
    expect(config(facts)).toBe(words);
  });
});

describe("InfrastructureReady", () => {
  it.each<[string, string, Partial<MachineFacts>]>([
    ["the latch", "True Ready ", {}],
    [
      "the object's own word and a bad value",
      "False NoQuota ask for more\nspec.failureDomain is not a string",
      withInfra(
        found(
          ownInfraMachine({
            spec: { failureDomain: 1 },
            status: { ...MIRRORED, initialization: { provisioned: true } },
          }),
        ),
      ),
    ],
    [
      "no word and no latch",
      "False NotReady FooMachine status.initialization.provisioned is false",
      withInfra(found(ownInfraMachine({ status: undefined }))),
    ],
    [
      "another controller",
      "False NotReady FooMachine m1 is controlled by Machine m2",
      withInfra(found(ownInfraMachine(FOREIGN))),
    ],
    [
      "no object",
      "False ObjectDoesNotExist FooMachine does not exist",
      withInfra(missing(ownInfraMachine())),
    ],
    [
      "an object that is lost",
      "False ObjectDeleted FooMachine has been deleted while the Machine still exists",
      { machine: soloMachine(LATCHED), ...withInfra(missing(ownInfraMachine())) },
    ],
    [
      "an object that is gone while deleting",
      "False ObjectDeleted FooMachine has been deleted",
      { machine: soloMachine({ ...LATCHED, ...GOING }), ...withInfra(missing(ownInfraMachine())) },
    ],
    [
      "a CRD that does not exist",
      "Unknown InternalError CRD of Foo cannot be used",
      withInfra(unresolved(false)),
    ],
  ])("says of %s: %s", (_, words, facts) => {
    expect(infra(facts)).toBe(words);
  });
});
