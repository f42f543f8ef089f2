import { unknown, warn } from "../rule.ts";
import { at, MOVER, targetRule } from "./move-rule.ts";

export const absentOnTarget = targetRule(
  {
    id: "MV-09",
    level: "SHOULD",
    sentence: "The target has no object of the move set with another content",
    effect: "clusterctl move overwrites it",
    source: `${MOVER}, createTargetObject`,
  },
  ({ objects }, { unread }) => [
    ...objects
      .filter(({ fate, onTarget }) => fate === "moves" && onTarget === "other")
      .map(({ title, global }) =>
        warn({
          ...at(title),
          found: `another content on the target, which is ${global ? "kept" : "overwritten"}`,
          expected: "the same content, or no such object",
          ...(global ? { effect: "clusterctl move keeps the target's; what moves works with that one" } : {}),
        }),
      ),
    ...unread.map(({ resource, reason }) =>
      unknown(`list ${resource} on the target: ${reason}`, {
        ...at(resource),
        expected: "the right to list it",
      }),
    ),
  ],
);
