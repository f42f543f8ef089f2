import { describe, expect, it } from "vitest";
import {
  namesToReserve,
  RESERVATION,
  reservationPatch,
  reservedNames,
} from "../../../../shared/rules/machines/reservation.ts";
import { machineSet } from "../../../support/foo-sets.ts";

const POINTER = "/metadata/annotations/capstan.dev~1machine-reservation";

function owner(value: string | undefined) {
  return machineSet({ metadata: { annotations: value === undefined ? {} : { [RESERVATION]: value } } });
}

describe("the reservation of names", () => {
  it.each([
    [undefined, []],
    ['["s1-a","s1-b","s1-a"]', ["s1-a", "s1-b"]],
    ['["s1-a", 5, "A B", ""]', ["s1-a"]],
    ["{}", []],
    ["not JSON", []],
    [JSON.stringify(["a".repeat(64)]), []],
  ])("reads %s as %j", (value, names) => {
    expect(reservedNames(owner(value))).toEqual(names);
  });

  it("never has more than 100 names", () => {
    const names = Array.from({ length: 120 }, (_, index) => `s1-${index}`);
    expect(reservedNames(owner(JSON.stringify(names)))).toEqual(names.slice(0, 100));
  });

  it("is written, changed and removed in one operation, and left when it is right", () => {
    expect(reservationPatch(owner(undefined), ["a"])).toEqual([{ op: "add", path: POINTER, value: '["a"]' }]);
    expect(reservationPatch(owner('["a"]'), ["a", "b"])).toEqual([
      { op: "add", path: POINTER, value: '["a","b"]' },
    ]);
    expect(reservationPatch(owner('["a"]'), [])).toEqual([{ op: "remove", path: POINTER }]);
    expect(reservationPatch(owner('["a"]'), ["a"])).toEqual([]);
    expect(reservationPatch(owner(undefined), [])).toEqual([]);
    const bare = machineSet();
    expect(reservationPatch(bare, ["a"])).toEqual([
      { op: "add", path: "/metadata/annotations", value: { [RESERVATION]: '["a"]' } },
    ]);
  });

  it("has other names for another version of its owner, or another owner of the name", () => {
    const naming = (draw: () => string) => draw();
    const reserve = (metadata: object) =>
      namesToReserve(machineSet({ metadata }), naming, 3, new Set()).join(" ");
    expect(reserve({})).toBe(reserve({}));
    expect(new Set([reserve({}), reserve({ resourceVersion: "21" }), reserve({ uid: "other" })]).size).toBe(
      3,
    );
  });
});
