import { type Judgement, pass, unknown, warn } from "../rule.ts";
import type { ProbeSubject } from "./subject.ts";

/** IC-20: the provider writes nothing on an object that another system manages. */
export function judgeManaged({ life: { managed } }: ProbeSubject): readonly Judgement[] {
  if (managed === undefined) return [unknown("core did not adopt such an object, or the life ended before")];
  if (managed.written.length === 0) return [pass()];
  return [warn({ found: `written: ${managed.written.join(", ")}`, expected: "no write within 10 s" })];
}
