import { describe, expect, it } from "vitest";
import type { Found } from "../../../../shared/contract/referenced.ts";
import { lastingFailure, reportedFailure } from "../../../../shared/rules/providers/failures.ts";
import { found, infraMachinePool } from "../../../support/builders.ts";

const reporting = (status: { readonly [field: string]: unknown }) =>
  found(infraMachinePool({ status })) as Found;

describe("reportedFailure", () => {
  it("is reason and message, and says whose they are", () => {
    expect(
      reportedFailure(reporting({ failureReason: "CreateError", failureMessage: "no quota" })),
    ).toStrictEqual({
      failureReason: "CreateError",
      failureMessage:
        'Failure detected from referenced resource infrastructure.cluster.x-k8s.io/v1, Kind=FooMachinePool with name "p1-infra": no quota',
    });
  });

  it.each([
    ["no object", undefined],
    ["empty texts", reporting({ failureReason: "", failureMessage: "" })],
    ["other values", reporting({ failureReason: 7, failureMessage: { a: 1 } })],
  ])("is nothing of %s", (_, own) => {
    expect(reportedFailure(own)).toStrictEqual({});
  });

  it("is cut to what the schemas allow", () => {
    const long = reporting({ failureReason: "R".repeat(300), failureMessage: "m".repeat(20_000) });
    const { failureReason, failureMessage } = reportedFailure(long);
    expect([failureReason?.length, failureMessage?.length]).toEqual([256, 10_240]);
  });
});

describe("lastingFailure", () => {
  const A = { failureReason: "A", failureMessage: "a" };

  it("takes reason and message each of the last that has one", () => {
    expect(lastingFailure(undefined, [A, { failureReason: "B" }, {}])).toEqual({
      failureReason: "B",
      failureMessage: "a",
    });
  });

  it("never clears what is stored", () => {
    expect(lastingFailure(A, [{}, {}])).toEqual(A);
    expect(lastingFailure(A, [{ failureMessage: "b" }])).toEqual({ failureReason: "A", failureMessage: "b" });
    expect(lastingFailure(undefined, [])).toEqual({});
  });
});
