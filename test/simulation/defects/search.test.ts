import { expect, it } from "vitest";
import { prepare } from "../play/prepared.ts";
import { DEFECTS } from "./known.ts";
import { createSearcher } from "./search.ts";

const FOUND = ["D-02", "D-10", "D-17", "D-20"];

it("a run without a fault is enough to find a lost event, a missing uid, an unsorted list and a run during a pause", async () => {
  const searcher = createSearcher(await prepare());
  const found = new Map<string, string | undefined>();
  for (const defect of DEFECTS.filter(({ number }) => FOUND.includes(number))) {
    const { violated } = await searcher.search({ defect, seeds: 0, sites: 0 });
    found.set(defect.number, violated?.split(":", 1)[0]);
  }
  expect(Object.fromEntries(found)).toEqual({
    "D-02": "F-17",
    "D-10": "F-20",
    "D-17": "F-40",
    "D-20": "F-19",
  });
});
