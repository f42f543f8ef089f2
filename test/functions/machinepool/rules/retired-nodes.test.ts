import { describe, expect, it } from "vitest";
import { retiredNodes } from "../../../../functions/machinepool/rules/retired-nodes.ts";
import {
  found,
  infraMachinePool,
  machinePool,
  missing,
  node,
  unresolved,
} from "../../../support/builders.ts";

const REFS = ["n1", "n2", "n3"].map((name) => ({ name, uid: `uid-${name}` }));
const NODES = [node("n1"), node("n2"), node("n3")];
const SHRUNK = ["foo://1", "foo://2"];
const pool = (providerIDList: readonly string[], replicas?: number) =>
  machinePool({ spec: { providerIDList, replicas }, status: { nodeRefs: REFS } });
const infra = (providerIDList: unknown) => found(infraMachinePool({ spec: { providerIDList } }));

describe("retiredNodes", () => {
  it.each([
    ["an ID in neither list", pool(SHRUNK, 2), infra(SHRUNK), ["n3"]],
    ["an ID still in the pool's list", pool([...SHRUNK, "foo://3"], 3), infra(SHRUNK), []],
    ["an ID still in the infrastructure object's list", pool(SHRUNK, 2), infra([...SHRUNK, "foo://3"]), []],
    ["an empty list with replicas wanted", pool([], 3), infra(SHRUNK), []],
    ["an empty list of the infrastructure object", pool(SHRUNK, 2), infra([]), []],
    ["empty lists and exactly zero replicas", pool([], 0), infra([]), ["n1", "n2", "n3"]],
    ["empty lists and no replicas set", pool([], undefined), infra([]), []],
    ["an absent list and exactly zero replicas", pool([], 0), infra(undefined), ["n1", "n2", "n3"]],
    ["a list that cannot be read", pool([], 0), infra("none"), []],
    ["a missing infrastructure object", pool(SHRUNK, 2), missing(infraMachinePool()), []],
    ["an infrastructure object without contract", pool(SHRUNK, 2), unresolved(true), []],
  ])("for %s", (_, present, infrastructure, expected) => {
    const retired = retiredNodes(present, infrastructure, NODES);
    expect(retired.map(({ metadata }) => metadata.name)).toEqual(expected);
  });

  it.each([
    ["foo://p1-1", "foo://p1-10"],
    ["foo://p1-10", "foo://p1-1"],
  ])("names the Node of %s although %s is still listed", (gone, listed) => {
    const nodes = [gone, listed].map((providerID, at) => node(`n${at + 1}`, { spec: { providerID } }));
    const retired = retiredNodes(pool([listed], 1), infra([listed]), nodes);
    expect(retired.map(({ metadata }) => metadata.name)).toEqual(["n1"]);
  });
});
