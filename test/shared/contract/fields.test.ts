import { describe, expect, it } from "vitest";
import { readBoolean, readCount, readString, readStrings } from "../../../shared/contract/fields.ts";
import { infraMachinePool } from "../../support/builders.ts";

const LIMITS = { maxItems: 2, maxLength: 3 };
const OBJECT = infraMachinePool({
  status: {
    yes: true,
    text: "t",
    none: null,
    count: 2,
    negative: -1,
    half: 0.5,
    huge: 2 ** 31,
    list: ["a", "", "b"],
    long: ["four"],
    wide: ["ääü"],
    many: ["a", "b", "c"],
    mixed: ["a", 1],
  },
});

describe("fields of provider objects", () => {
  it("have their value when it is of the right type", () => {
    expect(readBoolean(OBJECT, "status.yes")).toEqual({ value: true });
    expect(readString(OBJECT, "status.text")).toEqual({ value: "t" });
    expect(readCount(OBJECT, "status.count")).toEqual({ value: 2 });
    expect(readStrings(OBJECT, "status.list", LIMITS)).toEqual({ value: ["a", "b"] });
    expect(readStrings(OBJECT, "status.wide", LIMITS)).toEqual({ value: ["ääü"] });
  });

  it("have neither value nor problem when they are absent or null", () => {
    for (const path of ["status.none", "status.absent", "status.text.deeper"]) {
      expect(readString(OBJECT, path)).toEqual({});
      expect(readStrings(OBJECT, path, LIMITS)).toEqual({});
    }
  });

  it("have a problem instead of a value when they are of another type or beyond a limit", () => {
    expect(readBoolean(OBJECT, "status.text")).toEqual({ problem: "status.text is not a boolean" });
    expect(readString(OBJECT, "status.yes")).toEqual({ problem: "status.yes is not a string" });
    for (const name of ["negative", "half", "huge", "text"]) {
      expect(readCount(OBJECT, `status.${name}`)).toEqual({ problem: `status.${name} is not a count` });
    }
    expect(readStrings(OBJECT, "status.mixed", LIMITS)).toEqual({
      problem: "status.mixed is not a list of strings",
    });
    expect(readStrings(OBJECT, "status.long", LIMITS)).toEqual({
      problem: "status.long has an item of more than 3 characters",
    });
    expect(readStrings(OBJECT, "status.many", LIMITS)).toEqual({
      problem: "status.many has more than 2 items",
    });
  });
});
