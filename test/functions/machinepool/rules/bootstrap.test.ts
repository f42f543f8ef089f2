import { describe, expect, it } from "vitest";
import { bootstrapReport } from "../../../../functions/machinepool/rules/bootstrap.ts";
import {
  bootstrapConfig,
  found,
  machinePool,
  missing,
  type Overrides,
  OWNED_BY_P1,
  type ProviderObject,
  unresolved,
} from "../../../support/builders.ts";

const PATH = "spec.template.spec.bootstrap.dataSecretName";
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };

/** A pool with this name, held by these field managers. */
function pool(dataSecretName: string | undefined, ...managers: readonly string[]) {
  return machinePool({
    metadata: { managers: { [PATH]: managers } },
    spec: { template: { spec: { bootstrap: { dataSecretName } } } },
  });
}
const config = (overrides: Overrides<ProviderObject> = {}) => found(bootstrapConfig(overrides));
const status = (value: object | undefined) =>
  found({ ...bootstrapConfig(), ...{ status: value } }, "v1beta2");

describe("bootstrapReport", () => {
  it("reads the flag where the CRD's contract has it", () => {
    const v1beta1 = { ...bootstrapConfig(), ...{ status: { ready: true, dataSecretName: "d" } } };
    expect(bootstrapReport(pool(undefined), found(v1beta1, "v1beta1"))).toEqual({
      created: true,
      dataSecretName: "d",
    });
    expect(bootstrapReport(pool(undefined), found(v1beta1, "v1beta2"))).toEqual({ created: false });
  });

  it.each([
    ["is missing", undefined],
    ["is empty", ""],
    ["is longer than a name", "n".repeat(254)],
  ])("keeps name and flag while the name of ready data %s", (_, dataSecretName) => {
    const ready = { initialization: { dataSecretCreated: true }, dataSecretName };
    expect(bootstrapReport(pool("old"), status(ready))).toEqual({
      message: "waiting for a valid status.dataSecretName",
    });
  });

  it.each([
    [
      "flag",
      { initialization: { dataSecretCreated: "yes" } },
      "status.initialization.dataSecretCreated is not a boolean",
    ],
    [
      "name",
      { initialization: { dataSecretCreated: true }, dataSecretName: 7 },
      "status.dataSecretName is not a string",
    ],
  ])("keeps everything and names the problem of a malformed %s", (_, value, message) => {
    expect(bootstrapReport(pool("old"), status(value))).toEqual({ message });
  });

  it.each([
    ["missing", missing(bootstrapConfig())],
    ["unresolved", unresolved(true)],
    ["controlled by another", config(FOREIGN)],
    ["not adopted yet", config({ metadata: { ownerReferences: undefined } })],
    ["being deleted", config({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } })],
  ])("keeps everything while the object is %s", (_, object) => {
    expect(bootstrapReport(pool("old"), object)).toEqual({});
  });

  it.each(["kubectl-edit", "argocd-controller", "helm"])(
    "leaves the override of %s and names it",
    (manager) => {
      const report = { created: true, provided: true, message: `data secret name is set by ${manager}` };
      expect(bootstrapReport(pool("mine", manager), config())).toEqual(report);
      expect(bootstrapReport(pool("", manager), status(undefined))).toEqual(report);
      expect(
        bootstrapReport(pool("mine", "capstan-machinepool-sync", manager), missing(bootstrapConfig())),
      ).toEqual(report);
    },
  );

  it.each(["manager", "machinepool-controller", "clusterctl", "velero-server"])(
    "follows the config where %s, which is not a user, holds the name",
    (manager) => {
      expect(bootstrapReport(pool("old", manager), config())).toMatchObject({ dataSecretName: "p1-data" });
    },
  );

  it("takes data that the user names without configRef, also the empty name", () => {
    for (const dataSecretName of ["mine", ""]) {
      const without = machinePool({
        spec: { template: { spec: { bootstrap: { configRef: undefined, dataSecretName } } } },
      });
      expect(bootstrapReport(without, undefined)).toEqual({ created: true, provided: true });
    }
  });

  it("says nothing about a pool with neither configRef nor name", () => {
    const neither = machinePool({
      spec: { template: { spec: { bootstrap: { configRef: undefined, dataSecretName: undefined } } } },
    });
    expect(bootstrapReport(neither, undefined)).toEqual({});
  });
});
