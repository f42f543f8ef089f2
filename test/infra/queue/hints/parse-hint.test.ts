import { describe, expect, it } from "vitest";
import { parseHint } from "../../../../infra/queue/hints/parse-hint.ts";

describe("a message about a change", () => {
  it("names keys, letters and snapshots", () => {
    expect(parseHint('["{cap:machine-node}:l:","a|b|c/d"]')).toEqual({
      of: "keys",
      function: "machine-node",
      keys: ["a|b|c/d"],
    });
    expect(parseHint('["{cap:machine-node}:d:"]')).toEqual({
      of: "letters",
      function: "machine-node",
      keys: [],
    });
    expect(parseHint('["{cap:store:a%2Fb}:cluster.x-k8s.io:Machine:objects","[\\"n\\",\\"m\\"]"]')).toEqual({
      of: "snapshot",
      type: { cluster: "a/b", group: "cluster.x-k8s.io", kind: "Machine" },
      key: { namespace: "n", name: "m" },
    });
  });

  it.each([
    "",
    "x",
    "{}",
    "[1]",
    "[]",
    '["other"]',
    '["{cap:A B}:l:","k"]',
    '["{cap:a}:l:",7]',
    '["{cap:store:%}:g:K:objects","[\\"n\\",\\"m\\"]"]',
    '["{cap:store:c}:g:K:objects"]',
    '["{cap:store:c}:g:K:objects","[\\"n\\"]"]',
    '["{cap:store:c}:g:K:objects","no"]',
    `["{cap:a}:l:","${"k".repeat(5_000_000)}"]`,
  ])("says nothing when it is another text", (text) => {
    expect(parseHint(text)).toBeUndefined();
  });
});
