import { fail, type Judgement, orPass, unknown } from "../rule.ts";
import type { ProbeSubject } from "./subject.ts";

/** IP-16: claims of a paused Cluster and of a missing one rest. Whether they do is seen only where a claim is served later. */
export function judgeClaims({ title, life }: ProbeSubject): readonly Judgement[] {
  const trial = life.claims.get(title);
  if (trial === undefined) return [unknown("the server has no IPAddressClaims, or the life ended before")];
  const worked = [
    ["a paused Cluster", trial.paused],
    ["a missing Cluster", trial.missing],
  ] as const;
  const judgements = worked.flatMap(([of, written]) =>
    written.map((path) => fail({ path, found: `written for a claim of ${of}`, expected: "nothing" })),
  );
  if (judgements.length > 0 || trial.isServed) return orPass(judgements);
  return [unknown("the claim got no address within the limit, also once the pause was over")];
}
