import { ALL_RULES } from "../../../shared/contract/rules/all.ts";
import type { Place } from "../../../shared/contract/rules/rule.ts";
import { WAIVE_ANNOTATION } from "../../../shared/contract/waive-annotation.ts";
import { messageOf } from "../../../shared/function/errors.ts";
import { truncate } from "../../../shared/rules/conditions/truncate.ts";
import type { InputProblem } from "./finding.ts";

/** Reasons by rule id, for every object; those of one object stand in its annotation. */
export type Waivers = ReadonlyMap<string, string>;

/** Bounds of one annotation and of one reason, in UTF-16 units. */
const MAX_REASON = 1_000;
const MAX_WAIVERS = 100;
/** The most characters of a waiver that messages quote. */
const MAX_QUOTED = 200;

/** Returns the reason to waive a rule for an object, or undefined; that of the command line comes first. */
export function reasonFor(waivers: Waivers, rule: string, { waive }: Place): string | undefined {
  return waivers.get(rule) ?? (waive === undefined ? undefined : readWaivers(waive).get(rule));
}

/** Reads `RULE=REASON; RULE=REASON`. Throws where a reason is missing; whether rules exist is `checkWaivers`. */
export function readWaivers(annotation: string): Waivers {
  const parts = annotation
    .split(";")
    .map((part) => part.trim())
    .filter((part) => part !== "");
  if (parts.length > MAX_WAIVERS) throw new Error(`${WAIVE_ANNOTATION}: more than ${MAX_WAIVERS} waivers`);
  return new Map(parts.map(readWaiver));
}

/** Reads one `RULE=REASON`. Throws where the reason is missing or too long. */
export function readWaiver(text: string): readonly [rule: string, reason: string] {
  const [, rule = "", reason = ""] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
  const [id, why] = [rule.trim(), reason.trim()];
  if (id === "" || why === "")
    throw new Error(`waiver "${truncate(text, MAX_QUOTED)}": reason missing; write RULE=REASON`);
  if (why.length > MAX_REASON)
    throw new Error(`waiver of ${truncate(id, MAX_QUOTED)}: reason longer than ${MAX_REASON} characters`);
  return [id, why];
}

/** Throws for waivers of rules that do not exist. */
export function checkWaivers(waivers: Waivers, rules: ReadonlySet<string>): void {
  const unknown = [...waivers.keys()].filter((id) => !rules.has(id));
  if (unknown.length > 0) {
    throw new Error(
      `no such rule to waive: ${truncate(unknown.join(", "), MAX_QUOTED)}; see capstan contract list`,
    );
  }
}

/** The problem of an object's own waivers; undefined where they can be read or it has none. */
export function waiverProblem({ waive }: Place, rules: ReadonlySet<string>): string | undefined {
  if (waive === undefined) return undefined;
  try {
    checkWaivers(readWaivers(waive), rules);
    return undefined;
  } catch (error) {
    return messageOf(error);
  }
}

const KNOWN_RULES = new Set(ALL_RULES.map(({ id }) => id));

/** Checks the waivers of an object. An annotation that cannot be read waives nothing, and is a problem. */
export function withCheckedWaivers<T extends { readonly place: Place }>(
  one: T,
): { readonly one: T; readonly problem?: InputProblem } {
  const { file, line, object } = one.place;
  const message = waiverProblem(one.place, KNOWN_RULES);
  if (message === undefined) return { one };
  const problem = { file: file ?? object, line, message };
  return { one: { ...one, place: { ...one.place, waive: undefined } }, problem };
}
