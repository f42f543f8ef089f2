import { describe, expect, it } from "vitest";
import { infrastructureReport } from "../../../../functions/machinepool/rules/infrastructure.ts";
import {
  found,
  infraMachinePool,
  machinePool,
  missing,
  OWNED_BY_P1,
  unresolved,
} from "../../../support/builders.ts";

const POOL = machinePool();
const IDS = ["foo://1", "foo://2", "foo://3"];
const FOREIGN = { metadata: { ownerReferences: [{ ...OWNED_BY_P1, name: "p2", uid: "uid-p2" }] } };

/** The report on an infrastructure object with exactly this list and status. */
function report(status: object, providerIDList: unknown = IDS) {
  return infrastructureReport(
    POOL,
    found({ ...infraMachinePool(), ...{ spec: { providerIDList }, status } }),
  );
}

describe("infrastructureReport", () => {
  it("takes readiness, list and replicas of a ready object", () => {
    expect(report({ ready: true, replicas: 3 })).toEqual({
      provisioned: true,
      replicas: 3,
      providerIDList: IDS,
    });
  });

  it.each([
    ["ready true, provisioned absent", { ready: true }, true],
    ["ready true, provisioned false", { ready: true, initialization: { provisioned: false } }, true],
    ["ready absent, provisioned true", { initialization: { provisioned: true } }, true],
    ["ready false, provisioned true", { ready: false, initialization: { provisioned: true } }, false],
    ["ready absent, provisioned false", { initialization: { provisioned: false } }, false],
    ["both absent", {}, false],
  ])("PC-6.2: is provisioned by %s: %j → %j", (_, status, provisioned) => {
    expect(report(status).provisioned).toBe(provisioned);
    const v1beta1 = found({ ...infraMachinePool(), ...{ status } }, "v1beta1");
    expect(infrastructureReport(POOL, v1beta1).provisioned).toBe(provisioned);
  });

  it("PC-6.1: keeps the list while it is empty and replicas are not zero", () => {
    expect(report({ ready: true, replicas: 3 }, [])).toEqual({ provisioned: true, replicas: 3 });
    expect(report({ ready: true, replicas: 3 }, null)).toEqual({ provisioned: true, replicas: 3 });
  });

  it("keeps the list while it is empty and replicas are not reported", () => {
    expect(report({ ready: true }, [])).toEqual({ provisioned: true });
  });

  it("takes the empty list when the object reports zero replicas", () => {
    expect(report({ ready: true, replicas: 0 }, [])).toEqual({
      provisioned: true,
      replicas: 0,
      providerIDList: [],
    });
  });

  it.each([
    ["a list of another type", "foo://1", "spec.providerIDList is not a list of strings"],
    ["an item that is not a string", ["a", 1], "spec.providerIDList is not a list of strings"],
    [
      "an ID over 512 characters",
      ["i".repeat(513)],
      "spec.providerIDList has an item of more than 512 characters",
    ],
    [
      "more than 10000 IDs",
      Array.from({ length: 10_001 }, () => "i"),
      "spec.providerIDList has more than 10000 items",
    ],
  ])("keeps the list and takes the rest for %s", (_, list, message) => {
    expect(report({ ready: true, replicas: 3 }, list)).toEqual({ provisioned: true, replicas: 3, message });
  });

  it.each([-1, 1.5, "3", 2 ** 31])("keeps replicas that are not a count: %j", (replicas) => {
    expect(report({ ready: true, replicas })).toEqual({
      provisioned: true,
      providerIDList: IDS,
      message: "status.replicas is not a count",
    });
  });

  it("keeps everything and names a malformed flag", () => {
    expect(report({ ready: "yes", replicas: 1 })).toEqual({ message: "status.ready is not a boolean" });
  });

  it.each([
    ["missing", missing(infraMachinePool())],
    ["unresolved", unresolved(false)],
    ["controlled by another", found(infraMachinePool(FOREIGN))],
    ["being deleted", found(infraMachinePool({ metadata: { deletionTimestamp: "2026-01-01T11:59:00Z" } }))],
  ])("keeps everything while the object is %s", (_, object) => {
    expect(infrastructureReport(POOL, object)).toEqual({});
  });
});
