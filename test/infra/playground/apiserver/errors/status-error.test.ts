import { describe, expect, it } from "vitest";
import {
  alreadyExists,
  badRequest,
  conflict,
  expired,
  failedPatch,
  forbidden,
  internalError,
  invalid,
  notFound,
} from "../../../../../infra/playground/apiserver/errors/status-error.ts";

const GROUP = "test.capstan.dev";

describe("status errors", () => {
  it("become the Status body clients read", () => {
    expect(notFound(GROUP, "widgets", "zz").toStatus()).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: 'widgets.test.capstan.dev "zz" not found',
      reason: "NotFound",
      details: { name: "zz", group: GROUP, kind: "widgets" },
      code: 404,
    });
  });

  it("are worded as on the real server", () => {
    const size = { reason: "FieldValueInvalid", message: "Invalid value: 1: too big", field: "spec.size" };
    const color = { reason: "FieldValueRequired", message: "Required value", field: "spec.color" };
    const errors = [
      alreadyExists("", "pods", "a"),
      conflict(GROUP, "widgets", "a"),
      conflict(GROUP, "widgets", "a", "Precondition failed"),
      invalid(GROUP, "Widget", "b", [size]),
      invalid(GROUP, "Widget", "b", [size, color]),
      forbidden(GROUP, "widgets", "a", "no"),
      badRequest("bad"),
      expired("old"),
      failedPatch(),
      internalError("oops"),
    ];
    expect(errors.map(({ code, reason, message }) => `${code} ${reason} ${message}`)).toEqual([
      '409 AlreadyExists pods "a" already exists',
      '409 Conflict Operation cannot be fulfilled on widgets.test.capstan.dev "a": the object has been modified; please apply your changes to the latest version and try again',
      '409 Conflict Operation cannot be fulfilled on widgets.test.capstan.dev "a": Precondition failed',
      '422 Invalid Widget.test.capstan.dev "b" is invalid: spec.size: Invalid value: 1: too big',
      '422 Invalid Widget.test.capstan.dev "b" is invalid: [spec.size: Invalid value: 1: too big, spec.color: Required value]',
      '403 Forbidden widgets.test.capstan.dev "a" is forbidden: no',
      "400 BadRequest bad",
      "410 Expired old",
      "422 Invalid the server rejected our request due to an error in our request",
      "500 InternalError oops",
    ]);
  });

  it("name the first hundred causes, and say that there are more", () => {
    const causes = Array.from({ length: 5_000 }, (_, n) => ({
      reason: "Odd",
      message: "odd",
      field: `f${n}`,
    }));
    const { message, details } = invalid(GROUP, "Widget", "b", causes);
    expect(details.causes).toEqual(causes.slice(0, 100));
    expect(message).toMatch(/: \[f0: odd, .*, f99: odd, only 100 of the problems are named\]$/);
    expect(invalid(GROUP, "Widget", "b", causes.slice(0, 100)).message).toMatch(/, f99: odd\]$/);
  });

  it("name fewer causes when these are long, and always the first one", () => {
    const field = "f".repeat(300_000);
    const causes = Array.from({ length: 50 }, () => ({ reason: "Odd", message: "odd", field }));
    const { message, details } = invalid(GROUP, "Widget", "b", causes);
    expect(details.causes).toEqual(causes.slice(0, 1));
    expect(message).toMatch(/, only 1 of the problems are named\]$/);
  });
});
