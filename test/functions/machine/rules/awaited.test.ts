import { describe, expect, it } from "vitest";
import { awaitedData, awaitedProviderID } from "../../../../functions/machine/rules/awaited.ts";
import type { MachineProviders } from "../../../../shared/rules/providers/machine-providers.ts";
import { found, missing, unresolved } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

const OTHER = { apiVersion: "example.com/v1", kind: "Stack", name: "s", uid: "u", controller: true };
const NOT_CREATED = { status: { initialization: { dataSecretCreated: false }, dataSecretName: undefined } };
const NOT_PROVISIONED = { status: { initialization: { provisioned: false } } };

describe("the field that data waits for", () => {
  it.each<readonly [string, Partial<MachineProviders>, string]>([
    [
      "is the flag until the config says that its data is there",
      { bootstrap: found(machineConfig(NOT_CREATED)) },
      "BootstrapConfig.status.initialization.dataSecretCreated",
    ],
    [
      "is the flag of the older contract",
      { bootstrap: found(machineConfig({ status: { ready: false } }), "v1beta1") },
      "BootstrapConfig.status.ready",
    ],
    [
      "is the name behind the flag",
      { bootstrap: found(machineConfig({ status: { dataSecretName: undefined } })) },
      "BootstrapConfig.status.dataSecretName",
    ],
    [
      "is the config itself where it is missing",
      { bootstrap: missing(machineConfig()) },
      "BootstrapConfig.metadata.uid",
    ],
  ])("%s", (_, providers, field) => {
    expect(awaitedData(soloMachine(), { ...ready(), ...providers })).toBe(field);
  });

  it("is the reference of a Machine without config", () => {
    const machine = soloMachine({ spec: { bootstrap: { configRef: undefined } } });
    expect(awaitedData(machine, { ...ready(), bootstrap: undefined })).toBe(
      "Machine.spec.bootstrap.configRef",
    );
  });
});

describe("the field that the provider ID waits for", () => {
  it.each<readonly [string, MachineProviders["infrastructure"], string]>([
    [
      "is the flag first",
      found(ownInfraMachine(NOT_PROVISIONED)),
      "InfraMachine.status.initialization.provisioned",
    ],
    ["is the ID behind the flag", found(ownInfraMachine()), "InfraMachine.spec.providerID"],
    [
      "is the flag of the older contract",
      found(ownInfraMachine(NOT_PROVISIONED), "v1beta1"),
      "InfraMachine.status.ready",
    ],
    [
      "is the owner of an object of another controller",
      found(ownInfraMachine({ metadata: { ownerReferences: [OTHER] } })),
      "InfraMachine.metadata.ownerReferences",
    ],
    ["is the object itself where it is missing", missing(ownInfraMachine()), "InfraMachine.metadata.uid"],
    [
      "is the definition where the kind is not served",
      unresolved(false),
      "CustomResourceDefinition.metadata.uid of infrastructure.cluster.x-k8s.io/FooMachine",
    ],
  ])("%s", (_, infrastructure, field) => {
    expect(awaitedProviderID(soloMachine(), { ...ready(), infrastructure })).toBe(field);
  });
});
