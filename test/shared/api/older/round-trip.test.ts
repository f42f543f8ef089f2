import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { convertObject } from "../../../../shared/api/older/convert.ts";
import { OLDER } from "../../../../shared/api/older/table.ts";
import { kindOf } from "../../../../shared/api/registry.ts";
import { MINUTE } from "../../../../shared/function/backoff.ts";
import { randomObject } from "../../../support/older/random-object.ts";

/** Objects of each pair of versions. The night test plays a million in all. */
const RUNS = Number(process.env["CAPSTAN_ROUND_TRIPS"] ?? 1_000) / 15;

/** A ClusterClass takes longest. */
const TIMEOUT_MS = 10 * MINUTE + RUNS * 60;

const lookup = (group: string) => `${group}/v9`;

const pairs = [...OLDER].flatMap(([name, versions]) => {
  const [group = "", kind = ""] = name.split("/");
  return Object.keys(versions).map((version) => ({ group, kind, version }));
});

describe("a round trip", () => {
  it.each(pairs)(
    "of a $kind through $version loses nothing that it has",
    ({ group, kind, version }) => {
      const of = kindOf(group, kind);
      if (of === undefined) throw new Error(`${kind} is not a kind of the core`);
      const older = `${group}/${version}`;
      fc.assert(
        fc.property(randomObject(of), (object) => {
          const before = structuredClone(object);
          const down = convertObject(object, older, lookup);
          const up = convertObject(down, object.apiVersion, lookup);
          expect(object).toEqual(before);
          expect(up).toMatchObject(object);
          expect(convertObject(up, older, lookup)).toEqual(down);
          expect(convertObject(convertObject(down, object.apiVersion, lookup), older, lookup)).toEqual(down);
        }),
        { numRuns: Math.ceil(RUNS) },
      );
    },
    TIMEOUT_MS,
  );
});
