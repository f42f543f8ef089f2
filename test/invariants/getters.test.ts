import { expect, it } from "vitest";
import { sourcesIn } from "../support/sources.ts";

const sources = (
  await Promise.all(["shared", "functions", "infra/playground/functions"].map(sourcesIn))
).flat();

/** A method of a class is a getter of its prototype, once for all objects. */
const OF_LITERAL = /^(?: {4,}get \w+\(|.*Object\.definePropert)/m;

it("no run makes an object with a getter of its own: V8 gives each a hidden class that keeps the run until old space is collected", () => {
  expect(sources.filter(({ code }) => OF_LITERAL.test(code)).map(({ path }) => path)).toEqual([]);
});
