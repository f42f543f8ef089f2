import { describe, expect, it } from "vitest";
import { linesOf } from "../../../../infra/platform/yaml/yaml-survey.ts";

const TEXT = `# a comment
metadata:
  name: x
  labels:
    example.dev/a: "1"
spec:
  versions:
  - name: v1
    schema: {type: object,
      properties: {a: &b {type: string}}}
  - served: true
    name: v2
    text: |
      spec:
    last: *b
items: [
  one,
  {name: two,
   deep: 1}]
`;

describe("linesOf", () => {
  const lines = linesOf(TEXT);

  it.each([
    ["metadata", 2],
    ["metadata.labels[example.dev/a]", 5],
    ["metadata.annotations", 2],
    ["spec.versions[v1]", 8],
    ["spec.versions[v1].schema.properties.a.type", 10],
    ["spec.versions[v2].served", 11],
    ["spec.versions[1].text", 13],
    ["spec.versions[v2].last.type", 15],
    ["spec.versions[v3]", 7],
    ["items[0]", 17],
    ["items[two].deep", 19],
    ["nothing.at.all", 2],
    ["", 2],
  ])("%s is on line %i", (path, line) => {
    expect(lines(path)).toBe(line);
  });

  it("reads JSON and single values", () => {
    expect(linesOf('{\n"a": [\n1,\n2]}')("a[1]")).toBe(4);
    expect(linesOf("one")("a")).toBe(1);
  });
});
