import { describe, expect, it } from "vitest";
import { machineViolations } from "../../../../functions/machine/rules/violations.ts";
import { soloMachine } from "../../../support/machines.ts";

describe("rules of admission that a Machine breaks", () => {
  it.each([
    ["v1.34.2", []],
    ["1.34.2", []],
    [undefined, []],
    ["v1.34", ["InvalidVersion"]],
    ["latest", ["InvalidVersion"]],
  ])("judge version %s; one without v is read with it", (version, reasons) => {
    expect(machineViolations(soloMachine({ spec: { version } })).map(({ reason }) => reason)).toEqual(
      reasons,
    );
  });

  it("ask for bootstrap data or a config; an empty name asks for no data", () => {
    const reasonsOf = (bootstrap: {
      readonly configRef: undefined;
      readonly dataSecretName: string | undefined;
    }) => machineViolations(soloMachine({ spec: { bootstrap } })).map(({ reason }) => reason);
    expect(reasonsOf({ configRef: undefined, dataSecretName: undefined })).toEqual(["MissingBootstrap"]);
    expect(reasonsOf({ configRef: undefined, dataSecretName: "" })).toEqual([]);
  });
});
