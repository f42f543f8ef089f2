import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../../shared/api/kinds.ts";
import type { Referenced } from "../../../../shared/contract/referenced.ts";
import {
  bootstrapAmong,
  readMachineProviders,
  seeLostInfrastructure,
} from "../../../../shared/rules/providers/machine-providers.ts";
import { found, missing, unresolved } from "../../../support/builders.ts";
import { machineConfig, ownInfraMachine, ready, soloMachine } from "../../../support/machines.ts";

/** A reader that has these objects, and the objects that it was asked for. */
function reader(...objects: readonly KubeObject[]) {
  const asked: string[] = [];
  const read = {
    referenced: async (
      { kind, name }: { readonly kind: string; readonly name: string },
      namespace: string,
    ) => {
      asked.push(`${kind} ${namespace}/${name}`);
      const object = objects.find((one) => one.kind === kind && one.metadata.name === name);
      return object === undefined ? missing(ownInfraMachine()) : found(object);
    },
  } as never;
  return { asked, read };
}

const NO_CONFIG = { bootstrap: { configRef: undefined } };

describe("provider objects of a Machine", () => {
  it("are both read in its namespace", async () => {
    const { asked, read } = reader(machineConfig(), ownInfraMachine());
    expect(await readMachineProviders(read, soloMachine().spec, "default")).toEqual(ready());
    expect(asked).toEqual(["FooConfig default/m1-config", "FooMachine default/m1"]);
  });

  it("have no config without configRef", async () => {
    const { asked, read } = reader(ownInfraMachine());
    const { spec } = soloMachine({ spec: NO_CONFIG });
    expect((await readMachineProviders(read, spec, "default")).bootstrap).toBeUndefined();
    expect(asked).toEqual(["FooMachine default/m1"]);
    expect(bootstrapAmong(spec, ready())).toBeUndefined();
  });
});

describe("an infrastructure machine that snapshots do not show", () => {
  const lost = { ...ready(), infrastructure: missing(ownInfraMachine()) };
  const provisioned = soloMachine({ status: { initialization: { infrastructureProvisioned: true } } });

  it.each<readonly [string, Referenced, KubeObject[]]>([
    ["is lost when the API server has none either", missing(ownInfraMachine()), []],
    ["is not lost when the API server has it", found(ownInfraMachine()), [ownInfraMachine()]],
  ])("%s", async (_, infrastructure, objects) => {
    const { read } = reader(...objects);
    const seen = await seeLostInfrastructure(read, provisioned, provisioned.spec, lost);
    expect(seen).toEqual({ ...lost, infrastructure });
  });

  it.each([
    ["that was never there", soloMachine(), lost],
    ["that snapshots show", provisioned, ready()],
    ["whose kind is not served", provisioned, { ...ready(), infrastructure: unresolved(false) }],
  ])("is not asked for live: one %s", async (_, machine, snapshots) => {
    const { asked, read } = reader();
    expect(await seeLostInfrastructure(read, machine, machine.spec, snapshots)).toBe(snapshots);
    expect(asked).toEqual([]);
  });
});
