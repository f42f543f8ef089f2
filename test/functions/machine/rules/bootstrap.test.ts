import { describe, expect, it } from "vitest";
import { bootstrapReport, isDataCreated } from "../../../../functions/machine/rules/bootstrap.ts";
import { found, missing } from "../../../support/builders.ts";
import { machineConfig, soloMachine } from "../../../support/machines.ts";

const CREATED = { created: true, dataSecretName: "m1-data" };

describe("bootstrap data of a Machine", () => {
  it.each([
    ["a config that is ready", soloMachine(), machineConfig(), CREATED],
    [
      "a flag that is not true",
      soloMachine(),
      machineConfig({ status: { initialization: undefined } }),
      { created: false },
    ],
    [
      "a flag of another type",
      soloMachine(),
      machineConfig({ status: { initialization: { dataSecretCreated: "yes" } } }),
      { message: "status.initialization.dataSecretCreated is not a boolean" },
    ],
    [
      "a flag without a name",
      soloMachine(),
      machineConfig({ status: { dataSecretName: "" } }),
      { message: "waiting for a valid status.dataSecretName" },
    ],
    [
      "a name of another type",
      soloMachine(),
      machineConfig({ status: { dataSecretName: 7 } }),
      { message: "status.dataSecretName is not a string" },
    ],
    [
      "a config that goes away",
      soloMachine(),
      machineConfig({ metadata: { deletionTimestamp: "2026-01-01T11:00:00Z" } }),
      {},
    ],
    [
      "a config that is not the Machine's yet",
      soloMachine(),
      machineConfig({ metadata: { ownerReferences: undefined } }),
      {},
    ],
    [
      "a paused config, which is read like any other",
      soloMachine(),
      machineConfig({ metadata: { annotations: { "cluster.x-k8s.io/paused": "" } } }),
      CREATED,
    ],
  ])("with %s", (_, machine, config, report) => {
    expect(bootstrapReport(machine, found(config))).toEqual(report);
  });

  it("is provided by the user where there is no config, and the latch stays unset", () => {
    const byHand = soloMachine({ spec: { bootstrap: { configRef: undefined } } });
    const report = bootstrapReport(byHand, undefined);
    expect([report, isDataCreated(byHand, undefined)]).toEqual([{ provided: true }, false]);
    expect(bootstrapReport(soloMachine(), missing(machineConfig()))).toEqual({});
  });

  it("is the user's where a user has set the name beside a config; the message names the manager", () => {
    const held = (managers: readonly string[], dataSecretName = "mine") =>
      bootstrapReport(
        soloMachine({
          metadata: { managers: { "spec.bootstrap.dataSecretName": managers } },
          spec: { bootstrap: { dataSecretName } },
        }),
        found(machineConfig()),
      );
    const message = "data secret name is set by kubectl-edit";
    expect(held(["capstan-machine-sync", "kubectl-edit"])).toEqual({
      created: true,
      provided: true,
      message,
    });
    expect(held(["kubectl-edit"], "")).toEqual(CREATED);
  });

  it("sets the latch with the name in the spec, whatever the config says by then, and never takes it back", () => {
    const young = soloMachine({ spec: { bootstrap: { dataSecretName: undefined } } });
    const config = found(machineConfig({ status: undefined }));
    expect(isDataCreated(young, config)).toBe(false);
    expect(isDataCreated(soloMachine(), config)).toBe(true);
    const initialization = { bootstrapDataSecretCreated: true };
    expect(isDataCreated({ ...young, status: { initialization } }, missing(machineConfig()))).toBe(true);
  });

  it("leaves the latch unset while a recreated Machine has lost its config, and not where a user names the data", () => {
    const recreated = soloMachine({ metadata: { uid: "another" }, status: undefined });
    expect(isDataCreated(recreated, missing(machineConfig()))).toBe(false);
    expect(isDataCreated(recreated, found(machineConfig()))).toBe(false);
    const managers = { "spec.bootstrap.dataSecretName": ["kubectl-edit"] };
    const named = soloMachine({ metadata: { managers }, status: undefined });
    expect(isDataCreated(named, missing(machineConfig()))).toBe(true);
  });
});
