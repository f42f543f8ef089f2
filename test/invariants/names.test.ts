import { describe, expect, it } from "vitest";
import { readRepository } from "../support/repository.ts";
import { misplaced, oddSources, unexported, unfitNames, unsummed, untested } from "./functions/names.ts";

const repository = await readRepository();

describe("every function", () => {
  it("is one file, and every file under functions is one function", () => {
    expect(repository.functions.length).toBeGreaterThan(15);
    expect(misplaced(repository)).toEqual([]);
  });

  it("has a name that fits field managers, queues and metrics", () => {
    expect(unfitNames(repository)).toEqual([]);
  });

  it("is exported under its name in camelCase", () => {
    expect(unexported(repository)).toEqual([]);
  });

  it("has a test file at the same path", () => {
    expect(untested(repository)).toEqual([]);
  });

  it("is summed up in one sentence", () => {
    expect(unsummed(repository)).toEqual([]);
  });

  it("says where its behaviour comes from", () => {
    expect(oddSources(repository)).toEqual([]);
  });
});
