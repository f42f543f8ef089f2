import { describe, expect, it } from "vitest";
import {
  fieldAt,
  ownersFromScale,
  ownersOfScale,
} from "../../../../../infra/playground/apiserver/apply/scale-owners.ts";

const V1 = "g.dev/v1";
const fields = new Map([[V1, fieldAt(["spec", "size"])]]);
const time = "2026-11-21T00:00:00Z";

const entry = (manager: string, operation: "Apply" | "Update", names: readonly string[]) => ({
  manager,
  operation,
  apiVersion: V1,
  time,
  fieldsType: "FieldsV1" as const,
  fieldsV1: { "f:spec": Object.fromEntries(names.map((name) => [`f:${name}`, {}])) },
});

describe("who owns the replicas of a Scale", () => {
  it("are those who own the object's, through the version of the Scale", () => {
    const owners = ownersOfScale([entry("a", "Apply", ["size"]), entry("b", "Apply", ["color"])], fields);
    expect(owners?.map(({ manager, apiVersion, fieldsV1 }) => [manager, apiVersion, fieldsV1])).toEqual([
      ["a", "autoscaling/v1", { "f:spec": { "f:replicas": {} } }],
    ]);
  });

  it("a value without an owner stays without one, also one of a version without Scale", () => {
    expect(ownersOfScale([entry("a", "Apply", ["color"])], fields)).toBeUndefined();
    expect(ownersOfScale([entry("a", "Apply", ["size"])], new Map([[V1, undefined]]))).toBeUndefined();
  });

  it("lose them to the manager that scales, and keep the rest", () => {
    const scaled = {
      ...entry("hpa", "Update", ["replicas"]),
      apiVersion: "autoscaling/v1",
      subresource: "scale",
    };
    const entries = [entry("a", "Apply", ["color", "size"])];
    const owners = ownersFromScale([scaled], { entries, apiVersion: V1, fields });
    expect(owners?.map(({ manager, fieldsV1 }) => [manager, fieldsV1])).toEqual([
      ["a", { "f:spec": { "f:color": {} } }],
      ["hpa", { "f:spec": { "f:size": {} } }],
    ]);
  });

  it("keep them when an apply leaves them as they are", () => {
    const entries = [entry("a", "Apply", ["size"])];
    expect(ownersFromScale(ownersOfScale(entries, fields), { entries, apiVersion: V1, fields })).toEqual(
      entries,
    );
  });
});
