import { align, linesOfDecision } from "../../operate/replay/align-decisions.ts";
import type { ApartResult } from "../../operate/replay/replay-apart.ts";
import { type ReplayAnswer, replaySchema } from "../api/letters.ts";
import { letterAt } from "./letters.ts";
import { requireKey } from "./require.ts";
import { defineRoute } from "./route.ts";

export const replay = defineRoute(
  {
    method: "GET",
    path: "/letters/{function}/{key}/replay",
    summary: "Replays a dead letter offline, for at most 2 s and in 256 MiB. Nothing is sent.",
    needs: ["letters", "replay"],
    isOnce: true,
    answer: replaySchema,
  },
  async ({ viewer, params: { function: name = "", key = "" }, ports }) => {
    requireKey(viewer, key);
    return answerOf(await ports.replay(await letterAt(ports.letters, name, key)));
  },
);

function answerOf(result: ApartResult): Omit<ReplayAnswer, "asOf"> {
  if (result.type === "cut" || result.type === "not replayable") {
    return { verdict: result.type, why: result.why };
  }
  const { type, recorded, replayed } = result;
  const rows = align(linesOfDecision(recorded), linesOfDecision(replayed));
  const lines = rows.slice(0, MAX_LINES).map(({ left, right }) => ({ left, right, same: left === right }));
  const why = rows.length > MAX_LINES ? `the first ${MAX_LINES} lines of ${rows.length}` : undefined;
  return { verdict: type, why, recorded, replayed, lines };
}
const MAX_LINES = 2_000;
